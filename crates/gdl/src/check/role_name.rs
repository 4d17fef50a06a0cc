//! Check W104: the role argument of a keyword must be one of the roles.

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashSet};

use super::codes::NOT_A_ROLE;
use super::found::Found;
use super::names::Occurrences;
use super::sheet::{Sheet, times};
use crate::ast::{SyntaxAtom, SyntaxTerm};
use crate::diagnostic::Diagnostic;
use crate::symbol::Symbol;

pub(super) fn check(sheet: &Sheet<'_>, found: &mut Found) {
    // Missing roles and roles from rules are reported by another check.
    let by_rules = |(_, clause): &(u32, &crate::ast::Clause)| !clause.body.is_empty();
    if sheet.roles.is_empty() || sheet.clauses_defining("role", 1).iter().any(by_rules) {
        return;
    }
    let roles: FxHashSet<Symbol> = sheet.roles.iter().copied().collect();
    let mut unknown: IndexMap<(Symbol, &str), Occurrences, FxBuildHasher> = IndexMap::default();
    let mut record = |atom: &SyntaxAtom, word: &'static str| {
        let arg = atom.args[0];
        if let SyntaxTerm::Constant(name) = sheet.description.term(arg)
            && !roles.contains(name)
        {
            let first = sheet.description.term_span(arg);
            unknown
                .entry((*name, word))
                .or_insert(Occurrences { first, count: 0 })
                .count += 1;
        }
    };
    for word in ["legal", "does", "goal", "input"] {
        for (_, clause) in sheet.clauses_defining(word, 2) {
            record(&clause.head, word);
        }
        for atom in sheet.atoms_using(word, 2) {
            record(atom, word);
        }
    }
    for atom in sheet.atoms_using("role", 1) {
        record(atom, "role");
    }
    for ((name, word), occurrences) in unknown {
        found.add(NOT_A_ROLE, || {
            let name = sheet.name(name);
            let label = match occurrences.count {
                1 => "no `role` fact declares it".to_owned(),
                n => format!("no `role` fact declares it; used {}", times(n)),
            };
            let roles = sheet.roles.iter().map(|r| sheet.name(*r));
            let help = match sheet.speller.nearest(name, roles) {
                Some(role) => format!("did you mean `{role}`?"),
                None => format!("use a role of the sheet, or add `(role {name})`"),
            };
            Diagnostic::warning(NOT_A_ROLE, format!("`{name}` in `{word}` is not a role"))
                .at(occurrences.first, label)
                .help(help)
        });
    }
}
