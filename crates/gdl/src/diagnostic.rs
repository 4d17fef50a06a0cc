//! Diagnostics: the problems of a rule sheet with their positions and suggested corrections.

use serde::Serialize;

use crate::source::Span;

/// The severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The sheet can be played, but contains something suspicious.
    Warning,
    /// The sheet violates the language.
    Error,
}

/// A span with an explanation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Label {
    /// The span.
    pub span: Span,
    /// The explanation; may be empty.
    pub text: String,
}

/// A problem of a rule sheet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// The stable code of the kind of problem, such as `E101`.
    pub code: &'static str,
    /// Its severity.
    pub severity: Severity,
    /// One sentence that states the problem.
    pub message: String,
    /// One sentence that suggests a correction.
    pub help: Option<String>,
    /// The spans concerned, the most important first.
    pub labels: Vec<Label>,
}

impl Diagnostic {
    /// An error.
    pub fn error(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Error, message)
    }

    /// A warning.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Warning, message)
    }

    fn new(code: &'static str, severity: Severity, message: impl Into<String>) -> Self {
        Self {
            code,
            severity,
            message: message.into(),
            help: None,
            labels: Vec::new(),
        }
    }

    /// Adds a label.
    #[must_use]
    pub fn at(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label {
            span,
            text: text.into(),
        });
        self
    }

    /// Sets the suggested correction.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Whether this is an error.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// The messages of the first problems in one line, for reports that have no room for places.
///
/// ```
/// use ludorum_gdl::diagnostic::{Diagnostic, summary};
/// let problems = ["a", "b", "c", "d"].map(|message| Diagnostic::error("E001", message));
/// assert_eq!(summary(&problems), "a; b; c; and 1 more");
/// ```
pub fn summary(problems: &[Diagnostic]) -> String {
    const SHOWN: usize = 3;
    let shown = problems.iter().take(SHOWN);
    let shown: Vec<&str> = shown.map(|problem| problem.message.as_str()).collect();
    match problems.len().saturating_sub(SHOWN) {
        0 => shown.join("; "),
        more => format!("{}; and {more} more", shown.join("; ")),
    }
}

/// The number of arguments in words: `1 argument`, `2 arguments`.
pub(crate) fn arguments(count: usize) -> String {
    match count {
        0 => "no arguments".to_owned(),
        1 => "1 argument".to_owned(),
        n => format!("{n} arguments"),
    }
}

/// Maximum number of listed errors, and of listed warnings. Bounds the memory for texts that are
/// not rule sheets at all.
const MAX_LISTED: usize = 1_000;

/// The diagnostics of a parser run.
#[derive(Debug, Default)]
pub(crate) struct DiagnosticList {
    listed: Vec<Diagnostic>,
    errors: usize,
    warnings: usize,
}

impl DiagnosticList {
    /// Adds a diagnostic; those beyond the limit are only counted.
    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        let count = if diagnostic.is_error() {
            &mut self.errors
        } else {
            &mut self.warnings
        };
        *count += 1;
        if *count <= MAX_LISTED {
            self.listed.push(diagnostic);
        }
    }

    /// Whether there is no diagnostic.
    pub(crate) fn is_empty(&self) -> bool {
        self.listed.is_empty()
    }

    /// The list, with the number of unlisted diagnostics at its end.
    pub(crate) fn into_diagnostics(mut self) -> Vec<Diagnostic> {
        if let more @ 1.. = self.errors.saturating_sub(MAX_LISTED) {
            self.listed.push(
                Diagnostic::error("E015", format!("{more} more errors are not listed"))
                    .at(Span::default(), "")
                    .help("correct the problems above and check again"),
            );
        }
        if let more @ 1.. = self.warnings.saturating_sub(MAX_LISTED) {
            self.listed.push(
                Diagnostic::warning("W002", format!("{more} more warnings are not listed"))
                    .at(Span::default(), "")
                    .help("correct the problems above and check again"),
            );
        }
        self.listed
    }
}
