//! Check W112: relations that are used in bodies but never defined.

use super::codes::UNDEFINED;
use super::found::Found;
use super::sheet::{Sheet, times};
use crate::diagnostic::{Diagnostic, arguments};
use crate::keyword;

pub(super) fn check(sheet: &Sheet<'_>, found: &mut Found) {
    for (_, relation) in sheet.relations.iter() {
        if relation.keyword.is_some() || !relation.heads.is_empty() {
            continue;
        }
        let name = sheet.name(relation.symbol);
        // A connective without arguments has a check of its own.
        if keyword::connective(name).is_some() {
            continue;
        }
        let Some(first) = relation.uses.first() else {
            continue;
        };
        let first = sheet.relations.usage(*first);
        found.add(UNDEFINED, || {
            let label = match relation.uses.len() {
                1 => "no clause defines it, so it never holds".to_owned(),
                n => format!("no clause defines it, so it never holds; used {}", times(n)),
            };
            let concluded = || {
                sheet
                    .relations
                    .iter()
                    .map(|(_, r)| r)
                    .filter(|r| !r.heads.is_empty() && r.symbol != relation.symbol)
            };
            let other_arity = sheet
                .relations
                .iter()
                .find(|(_, r)| r.symbol == relation.symbol && !r.heads.is_empty());
            // Probably a fluent without `true` around it.
            let is_function = sheet
                .names
                .functions
                .contains_key(&(relation.symbol, relation.arity));
            let same_arity = concluded()
                .filter(|r| r.arity == relation.arity)
                .map(|r| sheet.name(r.symbol));
            let any_arity = concluded().map(|r| sheet.name(r.symbol));
            let help = if let Some((_, other)) = other_arity {
                format!("`{name}` is defined with {}", arguments(other.arity))
            } else if let Some(near) = sheet
                .speller
                .nearest(name, same_arity)
                .or_else(|| sheet.speller.nearest(name, any_arity))
            {
                format!("did you mean `{near}`?")
            } else if is_function {
                format!("`{name}` is used in terms; did you mean `(true ({name} …))`?")
            } else {
                "define it, or remove the condition".to_owned()
            };
            Diagnostic::warning(
                UNDEFINED,
                format!(
                    "relation `{name}` with {} is never defined",
                    arguments(relation.arity)
                ),
            )
            .at(sheet.span(first), label)
            .help(help)
        });
    }
}
