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
    for (index, asked) in sheet.relations.uses().iter().enumerate() {
        if asked.negated && sheet.dependencies.in_cycle(&sheet.relations, asked) {
            let component = sheet.dependencies.component(asked.relation) as usize;
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
                tell(sheet, Severity::Error, &path, count)
            }),
            NegationCheck::Unknown => found.add(NEGATIVE_CYCLE, || {
                tell(sheet, Severity::Error, &by_name(), count)
            }),
            NegationCheck::Acyclic => found.add(NEGATIVE_CYCLE_BY_NAME, || {
                tell(sheet, Severity::Warning, &by_name(), count)
            }),
        }
    }
}

fn tell(sheet: &Sheet<'_>, severity: Severity, path: &[Use], count: usize) -> Diagnostic {
    let head = sheet.relation_name(sheet.relations.head(path[0].clause));
    let way = path::in_words(sheet, path);
    let also = match count {
        0 | 1 => String::new(),
        2 => " (one more negation lies on such a cycle)".to_owned(),
        n => format!(" ({} more negations lie on such cycles)", n - 1),
    };
    match severity {
        Severity::Error => {
            let message = format!("`{head}` depends on its own negation: {way}");
            path::with_labels(sheet, Diagnostic::error(NEGATIVE_CYCLE, message), path).help(format!(
                "break the cycle: define what is negated without the relation that asks for it{also}"
            ))
        }
        Severity::Warning => {
            let message = format!(
                "`{head}` depends on its own negation, though never for the same values: {way}"
            );
            let diagnostic = Diagnostic::warning(NEGATIVE_CYCLE_BY_NAME, message);
            path::with_labels(sheet, diagnostic, path).help(format!(
                "give what is negated a relation of its own; not every reasoner looks at the values{also}"
            ))
        }
    }
}
