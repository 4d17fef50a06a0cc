//! Diagnostics as JSON. The format is part of the interface: the help of `check` describes it.

use ludorum_gdl::line_index::{LineIndex, SourceRange};
use ludorum_gdl::{Diagnostic, Severity};
use serde::Serialize;

use crate::playability::Evidence;
use crate::sheet_report::SheetReport;

/// The report on one file.
#[derive(Debug, Serialize)]
pub(crate) struct FileReport {
    file: String,
    ok: bool,
    diagnostics: Vec<Problem>,
    #[serde(skip_serializing_if = "Option::is_none")]
    playouts: Option<Playouts>,
}

/// The number of random games of a sheet.
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
    labels: Vec<Label>,
    /// The joint moves that lead to a fault, and the facts of its state.
    #[serde(flatten)]
    evidence: Option<Evidence>,
}

/// A place in the text and its label.
#[derive(Debug, Serialize)]
struct Label {
    #[serde(flatten)]
    place: SourceRange,
    text: String,
}

impl FileReport {
    /// The report on a sheet.
    pub(crate) fn new(file: &str, text: &str, report: &SheetReport) -> Self {
        let lines = LineIndex::new(text);
        let read = report.diagnostics.iter();
        let mut diagnostics: Vec<Problem> = read
            .map(|found| Problem::new(found, None, &lines))
            .collect();
        if let Some(playability) = &report.playability {
            diagnostics.extend(playability.problems.iter().map(|problem| {
                let evidence = problem.evidence.clone();
                Problem::new(&problem.diagnostic, evidence, &lines)
            }));
        }
        Self {
            file: file.to_owned(),
            ok: report.errors() == 0,
            diagnostics,
            playouts: report.playability.as_ref().map(|played| Playouts {
                asked: played.requested,
                made: played.made,
                steps: played.steps,
            }),
        }
    }
}

impl Problem {
    fn new(diagnostic: &Diagnostic, evidence: Option<Evidence>, lines: &LineIndex) -> Self {
        Self {
            code: diagnostic.code,
            severity: diagnostic.severity,
            message: diagnostic.message.clone(),
            help: diagnostic.help.clone(),
            labels: diagnostic
                .labels
                .iter()
                .map(|label| Label {
                    place: lines.range(label.span),
                    text: label.text.clone(),
                })
                .collect(),
            evidence,
        }
    }
}
