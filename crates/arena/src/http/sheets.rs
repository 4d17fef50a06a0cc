//! Routes that check and add rule sheets.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use ludorum_gdl::line_index::{LineIndex, SourceRange};
use ludorum_gdl::{Diagnostic, Severity};
use ludorum_logic::{LoadOptions, Loaded, load};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::body::Body;
use crate::app_state::{AppState, Work};
use crate::error::ApiError;

/// Limit on diagnostics in an answer.
const MAX_DIAGNOSTICS: usize = 100;
/// Limit on labels of a diagnostic.
const MAX_LABELS: usize = 10;
/// Length limit of a title in characters.
const MAX_TITLE: usize = 80;

/// The body of a request with a rule sheet.
#[derive(Debug, Deserialize)]
pub(super) struct SheetBody {
    text: String,
    title: Option<String>,
}

/// A diagnostic.
#[derive(Debug, Serialize)]
struct Problem {
    severity: Severity,
    code: &'static str,
    message: String,
    help: Option<String>,
    labels: Vec<Label>,
}

/// A source range with an optional text.
#[derive(Debug, Serialize)]
struct Label {
    #[serde(flatten)]
    place: SourceRange,
    text: Option<String>,
}

/// The result of checking a sheet.
#[derive(Debug)]
struct Findings {
    problems: Vec<Problem>,
    /// The roles; none if the sheet has errors.
    roles: Option<Vec<String>>,
}

pub(super) async fn check(
    State(state): State<Arc<AppState>>,
    Body(sheet): Body<SheetBody>,
) -> Result<Response, ApiError> {
    let findings = examine(&state, sheet.text).await?.1;
    Ok(super::json(&json!({
        "ok": findings.roles.is_some(),
        "diagnostics": findings.problems,
        "roles": findings.roles.unwrap_or_default(),
    })))
}

pub(super) async fn bring(
    State(state): State<Arc<AppState>>,
    Body(sheet): Body<SheetBody>,
) -> Result<Response, ApiError> {
    let title = sheet.title.as_deref().map(str::trim).unwrap_or_default();
    let title = title.chars().filter(|c| !c.is_control()).take(MAX_TITLE);
    let title: String = title.collect();
    let (text, findings) = examine(&state, sheet.text).await?;
    let Some(roles) = findings.roles else {
        let error = ApiError::wrong("sheet", "the sheet has errors and cannot be played");
        return Err(error.with("diagnostics", json!(findings.problems)));
    };
    let title = (!title.is_empty()).then_some(title);
    let game = state.library.add_sheet(&text, title, roles);
    Ok(super::json(&json!({
        "game": game.name,
        "title": game.title,
        "roles": game.roles,
        "diagnostics": findings.problems,
    })))
}

/// Checks a sheet on a blocking thread, and returns its text.
async fn examine(state: &AppState, text: String) -> Result<(String, Findings), ApiError> {
    let options = LoadOptions {
        max_bytes: state.options.sheet_bytes,
        ..LoadOptions::default()
    };
    let read = move || {
        let findings = load(&text, &options).map(|loaded| Findings::new(&text, loaded));
        findings.map(|findings| (text, findings))
    };
    let read = state.work(Work::Inspect, read).await?;
    read.map_err(|error| {
        let status = StatusCode::PAYLOAD_TOO_LARGE;
        ApiError::new(status, "too-large", error.to_string())
    })
}

impl Findings {
    fn new(text: &str, loaded: Loaded) -> Self {
        let roles = loaded.rules.map(|rules| {
            let names = rules.roles.iter().map(|id| rules.terms.text(*id));
            names.collect()
        });
        let mut diagnostics = loaded.diagnostics;
        // Errors come first where not all diagnostics can be shown.
        if diagnostics.len() > MAX_DIAGNOSTICS {
            diagnostics.sort_by_key(|diagnostic| std::cmp::Reverse(diagnostic.severity));
            diagnostics.truncate(MAX_DIAGNOSTICS);
        }
        let lines = LineIndex::new(text);
        let problems = diagnostics.into_iter();
        Self {
            problems: problems
                .map(|problem| Problem::new(problem, &lines))
                .collect(),
            roles,
        }
    }
}

impl Problem {
    fn new(diagnostic: Diagnostic, lines: &LineIndex) -> Self {
        let labels = diagnostic.labels.iter().take(MAX_LABELS);
        Self {
            severity: diagnostic.severity,
            code: diagnostic.code,
            labels: labels
                .map(|label| Label {
                    place: lines.range(label.span),
                    text: (!label.text.is_empty()).then(|| label.text.clone()),
                })
                .collect(),
            message: diagnostic.message,
            help: diagnostic.help,
        }
    }
}
