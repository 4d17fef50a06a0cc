//! Checks E114 and W122, stratified negation: no relation depends on its own negation (Apt et al.
//! 1988, Love et al. 2008).

use super::clause_graph::{COMPARISONS, NegationCheck, negation_on_cycle};
use super::codes::{NEGATIVE_CYCLE, NEGATIVE_CYCLE_BY_NAME};
use super::dependencies::cycle;
use super::found::Found;
use super::path;
use super::relations::Use;
use super::sheet::Sheet;
use crate::diagnostic::{Diagnostic, Severity};

pub(super) fn check(sheet: &Sheet<'_>, found: &mut Found) {
    // One diagnostic for each strongly connected component: its first negative edge and their
    // number.
    let components = sheet.dependencies.components();
    let mut negations: Vec<(Option<usize>, usize)> = vec![(None, 0); components.len()];
    for (index, usage) in sheet.relations.uses().iter().enumerate() {
        if usage.negated && sheet.dependencies.in_cycle(&sheet.relations, usage) {
            let component = sheet.dependencies.component(usage.relation) as usize;
            negations[component].0.get_or_insert(index);
            negations[component].1 += 1;
        }
    }
    let mut budget = COMPARISONS;
    for ((first, count), component) in negations.into_iter().zip(components) {
        let Some(first) = first else { continue };
        let by_name = || {
            let first = sheet.relations.uses()[first];
            cycle(&sheet.relations, &sheet.dependencies, first)
        };
        match negation_on_cycle(sheet, component, &mut budget) {
            NegationCheck::Cycle(path, count) => found.add(NEGATIVE_CYCLE, || {
                diagnostic(sheet, Severity::Error, &path, count)
            }),
            NegationCheck::Unknown => found.add(NEGATIVE_CYCLE, || {
                diagnostic(sheet, Severity::Error, &by_name(), count)
            }),
            NegationCheck::Acyclic => found.add(NEGATIVE_CYCLE_BY_NAME, || {
                diagnostic(sheet, Severity::Warning, &by_name(), count)
            }),
        }
    }
}

fn diagnostic(sheet: &Sheet<'_>, severity: Severity, path: &[Use], count: usize) -> Diagnostic {
    let head = sheet.relation_name(sheet.relations.head(path[0].clause));
    let path_text = path::in_words(sheet, path);
    let also = match count {
        0 | 1 => String::new(),
        2 => " (one more negation is on such a cycle)".to_owned(),
        n => format!(" ({} more negations are on such cycles)", n - 1),
    };
    match severity {
        Severity::Error => {
            let message = format!("`{head}` depends on its own negation: {path_text}");
            path::with_labels(sheet, Diagnostic::error(NEGATIVE_CYCLE, message), path).help(
                format!(
                    "break the cycle: the negated relation must not depend on the relation that \
                    uses its negation{also}"
                ),
            )
        }
        Severity::Warning => {
            let message = format!(
                "`{head}` depends on its own negation, though never for the same values: \
                    {path_text}"
            );
            let diagnostic = Diagnostic::warning(NEGATIVE_CYCLE_BY_NAME, message);
            path::with_labels(sheet, diagnostic, path).help(format!(
                "define the negated cases by a relation of their own, since some reasoners \
                    compare only the names of relations{also}"
            ))
        }
    }
}
