//! Diagnostics as machines read them. The shape is described in the help of `check` and stays as it is.

use ludorum_gdl::source::Position;
use ludorum_gdl::{Diagnostic, Severity, Span};
use serde::Serialize;

use super::excerpt::line_starts;
use crate::diagnosis::Diagnosis;
use crate::playability::Evidence;

/// Everything that is said about one file.
#[derive(Debug, Serialize)]
pub(crate) struct FileReport {
    file: String,
    ok: bool,
    diagnostics: Vec<Problem>,
    #[serde(skip_serializing_if = "Option::is_none")]
    playouts: Option<Playouts>,
}

/// How much a sheet was played.
#[derive(Debug, Serialize)]
struct Playouts {
    asked: u32,
    made: u32,
    steps: u64,
}

#[derive(Debug, Serialize)]
struct Problem {
    code: &'static str,
    severity: Severity,
    message: String,
    help: Option<String>,
    labels: Vec<Place>,
    /// The joint moves that lead to a problem of play, and the facts of the state that has it.
    #[serde(flatten)]
    evidence: Option<Evidence>,
}

#[derive(Debug, Serialize)]
struct Place {
    start: u32,
    end: u32,
    line: usize,
    column: usize,
    end_line: usize,
    end_column: usize,
    text: String,
}

impl FileReport {
    /// The report on a sheet.
    pub(crate) fn new(file: &str, text: &str, diagnosis: &Diagnosis) -> Self {
        let lines = Lines::new(text);
        let read = diagnosis.diagnostics.iter();
        let mut diagnostics: Vec<Problem> = read
            .map(|found| Problem::new(found, None, &lines))
            .collect();
        if let Some(playability) = &diagnosis.playability {
            diagnostics.extend(playability.problems.iter().map(|problem| {
                let evidence = problem.evidence.clone();
                Problem::new(&problem.diagnostic, evidence, &lines)
            }));
        }
        Self {
            file: file.to_owned(),
            ok: diagnosis.errors() == 0,
            diagnostics,
            playouts: diagnosis.playability.as_ref().map(|played| Playouts {
                asked: played.asked,
                made: played.made,
                steps: played.steps,
            }),
        }
    }
}

impl Problem {
    fn new(diagnostic: &Diagnostic, evidence: Option<Evidence>, lines: &Lines) -> Self {
        Self {
            code: diagnostic.code,
            severity: diagnostic.severity,
            message: diagnostic.message.clone(),
            help: diagnostic.help.clone(),
            labels: diagnostic
                .labels
                .iter()
                .map(|label| Place::new(label.span, &label.text, lines))
                .collect(),
            evidence,
        }
    }
}

impl Place {
    fn new(span: Span, text: &str, lines: &Lines) -> Self {
        let start = lines.position(span.start as usize);
        let end = lines.position(span.end as usize);
        Self {
            start: span.start,
            end: span.end,
            line: start.line,
            column: start.column,
            end_line: end.line,
            end_column: end.column,
            text: text.to_owned(),
        }
    }
}

/// An index of lines: a sheet with many problems is not walked from the start for each.
struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
    is_ascii: bool,
}

impl<'t> Lines<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            text,
            starts: line_starts(text),
            is_ascii: text.is_ascii(),
        }
    }

    fn position(&self, offset: usize) -> Position {
        let offset = self.text.floor_char_boundary(offset);
        let line = self.starts.partition_point(|start| *start <= offset);
        let start = self.starts[line - 1];
        let before = if self.is_ascii {
            offset - start
        } else {
            self.text[start..offset].chars().count()
        };
        Position {
            line,
            column: before + 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ludorum_gdl::source::position;

    #[test]
    fn indexed_positions_are_the_counted_ones() {
        for text in ["", "a", "a\nb\n", "ç\nx ç y\r\n\n", "(role a)\n(role b)"] {
            let lines = Lines::new(text);
            for offset in 0..text.len() + 3 {
                assert_eq!(
                    lines.position(offset),
                    position(text, offset),
                    "{text:?} {offset}"
                );
            }
        }
    }
}
