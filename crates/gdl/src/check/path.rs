//! Explanation of a dependency path in messages and labels.

use super::relations::Use;
use super::sheet::Sheet;
use crate::diagnostic::Diagnostic;

/// Maximum number of steps that are shown one by one.
const STEPS: usize = 8;

/// The path as text: `legal → reachable → does`, starting with the head of the first step.
pub(super) fn in_words(sheet: &Sheet<'_>, path: &[Use]) -> String {
    let mut names: Vec<String> = Vec::new();
    if let Some(first) = path.first() {
        names.push(
            sheet
                .relation_name(sheet.relations.head(first.clause))
                .to_owned(),
        );
    }
    for (index, step) in path.iter().enumerate() {
        if skipped(index, path.len()) {
            if names.last().is_none_or(|last| last != "…") {
                names.push("…".to_owned());
            }
            continue;
        }
        let name = sheet.relation_name(step.relation);
        names.push(if step.negated {
            format!("not {name}")
        } else {
            name.to_owned()
        });
    }
    names.join(" → ")
}

/// Adds a label for every step.
pub(super) fn with_labels(
    sheet: &Sheet<'_>,
    mut diagnostic: Diagnostic,
    path: &[Use],
) -> Diagnostic {
    for (index, step) in path.iter().enumerate() {
        if skipped(index, path.len()) {
            continue;
        }
        let head = sheet.relation_name(sheet.relations.head(step.clause));
        let used = sheet.relation_name(step.relation);
        let word = if step.negated {
            format!("`{head}` uses the negation of `{used}`")
        } else {
            format!("`{head}` uses `{used}`")
        };
        diagnostic = diagnostic.at(sheet.span(step), word);
    }
    diagnostic
}

/// Whether a step is in the omitted middle of a long path.
fn skipped(index: usize, length: usize) -> bool {
    length > STEPS && index >= STEPS - 2 && index < length - 2
}
