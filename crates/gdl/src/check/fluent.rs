//! Checks W114 and W115: fluents and moves in conditions that no head can match.

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashSet};

use super::codes::{UNKNOWN_FLUENT, UNKNOWN_MOVE};
use super::found::Found;
use super::names::Occurrences;
use super::sheet::{Sheet, arguments, times};
use crate::ast::{SyntaxTerm, SyntaxTermId};
use crate::diagnostic::Diagnostic;
use crate::keyword;
use crate::symbol::Symbol;

pub(super) fn check(sheet: &Sheet<'_>, found: &mut Found) {
    let heads = |word: &str, arity: usize| -> Vec<SyntaxTermId> {
        let clauses = sheet.concluding(word, arity);
        clauses
            .iter()
            .map(|(_, c)| c.head.args[arity - 1])
            .collect()
    };
    let asked = |word: &str, arity: usize| -> Vec<SyntaxTermId> {
        let atoms = sheet.asking(word, arity);
        atoms.iter().map(|atom| atom.args[arity - 1]).collect()
    };
    let made = [heads("init", 1), heads("next", 1)].concat();
    if let Some(made) = Made::of(sheet, &made) {
        made.tell_unknown(found, &asked("true", 1), &FLUENT);
    }
    if let Some(made) = Made::of(sheet, &heads("legal", 2)) {
        made.tell_unknown(found, &asked("does", 2), &MOVE);
    }
}

struct Words {
    code: &'static str,
    what: &'static str,
    why: &'static str,
}

const FLUENT: Words = Words {
    code: UNKNOWN_FLUENT,
    what: "fact",
    why: "no `init` and no `next` makes it, so it is never true",
};

const MOVE: Words = Words {
    code: UNKNOWN_MOVE,
    what: "move",
    why: "no `legal` allows it, so it is never done",
};

/// A functor or constant with its arity.
type Outline = (Symbol, usize);

/// The functors and constants of the terms in some heads.
struct Made<'s, 'd> {
    sheet: &'s Sheet<'d>,
    outlines: FxHashSet<Outline>,
    /// The same in text order.
    order: Vec<Outline>,
}

impl<'s, 'd> Made<'s, 'd> {
    /// `None` if there is no head, or if some head has a variable, which matches anything.
    fn of(sheet: &'s Sheet<'d>, terms: &[SyntaxTermId]) -> Option<Self> {
        let mut outlines = FxHashSet::default();
        let mut order = Vec::new();
        for id in terms {
            let outline = outline(sheet, *id)?;
            if outlines.insert(outline) {
                order.push(outline);
            }
        }
        (!order.is_empty()).then_some(Self {
            sheet,
            outlines,
            order,
        })
    }

    fn tell_unknown(&self, found: &mut Found, asked: &[SyntaxTermId], words: &Words) {
        let mut unknown: IndexMap<Outline, Occurrences, FxBuildHasher> = IndexMap::default();
        for id in asked {
            if let Some(outline) = outline(self.sheet, *id)
                && !self.outlines.contains(&outline)
                && !is_reserved(self.sheet.name(outline.0))
            {
                let first = self.sheet.description.term_span(*id);
                unknown
                    .entry(outline)
                    .or_insert(Occurrences { first, count: 0 })
                    .count += 1;
            }
        }
        for ((symbol, arity), occurrences) in unknown {
            found.add(words.code, || {
                let name = self.sheet.name(symbol);
                let label = match occurrences.count {
                    1 => words.why.to_owned(),
                    n => format!("{}; asked for {}", words.why, times(n)),
                };
                let other = self.order.iter().find(|(s, _)| *s == symbol);
                let names = self
                    .order
                    .iter()
                    .map(|(s, _)| self.sheet.name(*s))
                    .filter(|other| *other != name);
                let help = if let Some((_, arity)) = other {
                    format!("`{name}` is made with {}", arguments(*arity))
                } else if let Some(near) = self.sheet.speller.nearest(name, names) {
                    format!("did you mean `{near}`?")
                } else {
                    "add the rule that makes it, or remove the condition".to_owned()
                };
                let with = match arity {
                    0 => String::new(),
                    n => format!(" with {}", arguments(n)),
                };
                Diagnostic::warning(
                    words.code,
                    format!("the {} `{name}`{with} can never be", words.what),
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

fn outline(sheet: &Sheet<'_>, id: SyntaxTermId) -> Option<Outline> {
    match sheet.description.term(id) {
        SyntaxTerm::Variable(_) => None,
        SyntaxTerm::Constant(name) => Some((*name, 0)),
        SyntaxTerm::Compound { functor, args } => Some((*functor, args.len())),
    }
}
