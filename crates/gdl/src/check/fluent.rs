//! Checks W114 and W115: fluents and moves in conditions that no head can match.

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashSet};

use super::codes::{UNKNOWN_FLUENT, UNKNOWN_MOVE};
use super::found::Found;
use super::names::Occurrences;
use super::sheet::{Sheet, times};
use crate::ast::{SyntaxTerm, SyntaxTermId};
use crate::diagnostic::{Diagnostic, arguments};
use crate::keyword;
use crate::symbol::Symbol;

pub(super) fn check(sheet: &Sheet<'_>, found: &mut Found) {
    let heads = |word: &str, arity: usize| -> Vec<SyntaxTermId> {
        let clauses = sheet.clauses_defining(word, arity);
        clauses
            .iter()
            .map(|(_, c)| c.head.args[arity - 1])
            .collect()
    };
    let conditions = |word: &str, arity: usize| -> Vec<SyntaxTermId> {
        let atoms = sheet.atoms_using(word, arity);
        atoms.iter().map(|atom| atom.args[arity - 1]).collect()
    };
    let defined = [heads("init", 1), heads("next", 1)].concat();
    if let Some(defined) = DefinedNames::of(sheet, &defined) {
        defined.report_unknown(found, &conditions("true", 1), &FLUENT);
    }
    if let Some(defined) = DefinedNames::of(sheet, &heads("legal", 2)) {
        defined.report_unknown(found, &conditions("does", 2), &MOVE);
    }
}

struct Words {
    code: &'static str,
    what: &'static str,
    /// What the fact or move can never be.
    never: &'static str,
    why: &'static str,
}

const FLUENT: Words = Words {
    code: UNKNOWN_FLUENT,
    what: "fact",
    never: "true",
    why: "no clause for `init` or `next` defines it, so it is never true",
};

const MOVE: Words = Words {
    code: UNKNOWN_MOVE,
    what: "move",
    never: "played",
    why: "no clause for `legal` defines it, so it is never played",
};

/// A functor or constant with its arity.
type NameArity = (Symbol, usize);

/// The functors and constants of the terms in some heads.
struct DefinedNames<'s, 'd> {
    sheet: &'s Sheet<'d>,
    set: FxHashSet<NameArity>,
    /// The same in text order.
    order: Vec<NameArity>,
}

impl<'s, 'd> DefinedNames<'s, 'd> {
    /// `None` if there is no head, or if some head has a variable, which matches anything.
    fn of(sheet: &'s Sheet<'d>, terms: &[SyntaxTermId]) -> Option<Self> {
        let mut set = FxHashSet::default();
        let mut order = Vec::new();
        for id in terms {
            let name = name_and_arity(sheet, *id)?;
            if set.insert(name) {
                order.push(name);
            }
        }
        (!order.is_empty()).then_some(Self { sheet, set, order })
    }

    fn report_unknown(&self, found: &mut Found, conditions: &[SyntaxTermId], words: &Words) {
        let mut unknown: IndexMap<NameArity, Occurrences, FxBuildHasher> = IndexMap::default();
        for id in conditions {
            if let Some(name) = name_and_arity(self.sheet, *id)
                && !self.set.contains(&name)
                && !is_reserved(self.sheet.name(name.0))
            {
                let first = self.sheet.description.term_span(*id);
                unknown
                    .entry(name)
                    .or_insert(Occurrences { first, count: 0 })
                    .count += 1;
            }
        }
        for ((symbol, arity), occurrences) in unknown {
            found.add(words.code, || {
                let name = self.sheet.name(symbol);
                let label = match occurrences.count {
                    1 => words.why.to_owned(),
                    n => format!("{}; used {}", words.why, times(n)),
                };
                let other = self.order.iter().find(|(s, _)| *s == symbol);
                let names = self
                    .order
                    .iter()
                    .map(|(s, _)| self.sheet.name(*s))
                    .filter(|other| *other != name);
                let help = if let Some((_, arity)) = other {
                    format!("`{name}` is defined with {}", arguments(*arity))
                } else if let Some(near) = self.sheet.speller.nearest(name, names) {
                    format!("did you mean `{near}`?")
                } else {
                    "add a rule that defines it, or remove the condition".to_owned()
                };
                let with = match arity {
                    0 => String::new(),
                    n => format!(" with {}", arguments(n)),
                };
                Diagnostic::warning(
                    words.code,
                    format!(
                        "the {} `{name}`{with} can never be {}",
                        words.what, words.never
                    ),
                )
                .at(occurrences.first, label)
                .help(help)
            });
        }
    }
}

/// Reserved words in terms, as in `(true (not p))`, have a check of their own.
fn is_reserved(name: &str) -> bool {
    keyword::relation(name).is_some() || keyword::connective(name).is_some()
}

fn name_and_arity(sheet: &Sheet<'_>, id: SyntaxTermId) -> Option<NameArity> {
    match sheet.description.term(id) {
        SyntaxTerm::Variable(_) => None,
        SyntaxTerm::Constant(name) => Some((*name, 0)),
        SyntaxTerm::Compound { functor, args } => Some((*functor, args.len())),
    }
}
