//! Check W120: clauses that are equal up to renaming of variables.

use rustc_hash::FxHashMap;

use super::codes::CLAUSE_TWICE;
use super::found::Found;
use super::sheet::Sheet;
use crate::diagnostic::Diagnostic;

pub(super) fn check(sheet: &Sheet<'_>, found: &mut Found) {
    let mut first = FxHashMap::default();
    for (index, clause) in sheet.clauses() {
        let shape = sheet.shapes.of_clause(index);
        let before = *first.entry(shape).or_insert(index);
        // Duplicate roles have a check of their own.
        let relation = sheet.relations.get(sheet.relations.head(index));
        if before == index || relation.keyword == Some("role") {
            continue;
        }
        found.add(CLAUSE_TWICE, || {
            let what = if clause.body.is_empty() {
                "fact"
            } else {
                "rule"
            };
            Diagnostic::warning(CLAUSE_TWICE, format!("this {what} occurs twice"))
                .at(clause.span, "the second occurrence")
                .at(sheet.clause(before).span, "the first occurrence")
                .help("remove one of them")
        });
    }
}
