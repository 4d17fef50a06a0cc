//! Check W113: relations that are defined but never used.

use super::codes::UNUSED;
use super::found::Found;
use super::relations::Relation;
use super::sheet::Sheet;
use crate::diagnostic::{Diagnostic, arguments};
use crate::keyword;

pub(super) fn check(sheet: &Sheet<'_>, found: &mut Found) {
    for component in sheet.dependencies.components() {
        // A strongly connected component that nothing else uses is unused as well; it is reported
        // once.
        let is_used_from_outside = |relation: &Relation| {
            relation.uses.iter().any(|index| {
                let usage = sheet.relations.usage(*index);
                !sheet.dependencies.in_cycle(&sheet.relations, usage)
            })
        };
        let members = || component.iter().map(|id| sheet.relations.get(*id));
        if members().any(|r| r.keyword.is_some() || is_used_from_outside(r)) {
            continue;
        }
        let Some((first, relation)) = members()
            .filter_map(|r| Some((*r.heads.first()?, r)))
            .min_by_key(|(clause, _)| *clause)
        else {
            continue;
        };
        let name = sheet.name(relation.symbol);
        if keyword::connective(name).is_some() || super::gdl2::is_sees(name, relation.arity) {
            continue;
        }
        found.add(UNUSED, || {
            let label = match component.len() {
                1 => "no other relation uses it",
                _ => "only relations that it depends on use it",
            };
            Diagnostic::warning(
                UNUSED,
                format!(
                    "relation `{name}` with {} is never used",
                    arguments(relation.arity)
                ),
            )
            .at(sheet.clause(first).head.span, label)
            .help("remove it, or add the rule that should use it")
        });
    }
}
