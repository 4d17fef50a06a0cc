//! Check W110 and W111: a relation or functor is used with several arities.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::codes::{FUNCTION_ARITY, RELATION_ARITY};
use super::found::Found;
use super::names::Occurrences;
use super::sheet::{Sheet, times};
use crate::diagnostic::{Diagnostic, arguments};
use crate::symbol::Symbol;

type Arities = IndexMap<Symbol, Vec<(usize, Occurrences)>, FxBuildHasher>;

pub(super) fn check(sheet: &Sheet<'_>, found: &mut Found) {
    let mut relations = Arities::default();
    for (_, relation) in sheet.relations.iter() {
        // Keywords and undefined relations have checks of their own.
        if relation.keyword.is_some() || relation.heads.is_empty() {
            continue;
        }
        let head = relation.heads.iter().map(|c| sheet.clause(*c).head.span);
        let uses = relation.uses.iter().map(|u| {
            let usage = sheet.relations.usage(*u);
            sheet.span(usage)
        });
        let occurrences = Occurrences {
            count: relation.heads.len() + relation.uses.len(),
            first: head.chain(uses).min().unwrap_or_default(),
        };
        let arities = relations.entry(relation.symbol).or_default();
        arities.push((relation.arity, occurrences));
    }
    add_diagnostics(sheet, found, RELATION_ARITY, "relation", &relations);
    let mut functions = Arities::default();
    for ((name, arity), occurrences) in &sheet.names.functions {
        let arities = functions.entry(*name).or_default();
        arities.push((*arity, *occurrences));
    }
    add_diagnostics(sheet, found, FUNCTION_ARITY, "function", &functions);
}

fn add_diagnostics(
    sheet: &Sheet<'_>,
    found: &mut Found,
    code: &'static str,
    what: &str,
    names: &Arities,
) {
    for (name, arities) in names {
        if arities.len() < 2 {
            continue;
        }
        found.add(code, || {
            let name = sheet.name(*name);
            // The rarest arity is the most likely error.
            let mut arities = arities.clone();
            arities.sort_by_key(|(_, o)| (o.count, std::cmp::Reverse(o.first)));
            let mut counts: Vec<usize> = arities.iter().map(|(arity, _)| *arity).collect();
            counts.sort_unstable();
            counts.truncate(6);
            let list: Vec<String> = counts.iter().map(ToString::to_string).collect();
            let mut diagnostic = Diagnostic::warning(
                code,
                format!(
                    "{what} `{name}` is used with {} arguments",
                    list.join(" and ")
                ),
            );
            for (arity, occurrences) in arities.iter().take(6) {
                diagnostic = diagnostic.at(
                    occurrences.first,
                    format!(
                        "{} here; used {} in this form",
                        arguments(*arity),
                        times(occurrences.count)
                    ),
                );
            }
            diagnostic.help(format!(
                "these are different {what}s with the same name; if this is intended, give \
                    them different names"
            ))
        });
    }
}
