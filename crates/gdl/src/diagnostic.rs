//! What is wrong with a sheet, where, and what would be right.

use serde::Serialize;

use crate::source::Span;

/// How bad a problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The sheet can be played, but its author should look at this.
    Warning,
    /// The sheet breaks a rule of the language.
    Error,
}

/// A place in the text with a word about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// What is to be seen there; may be empty.
    pub text: String,
}

/// One problem of a sheet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// The stable code of this kind of problem, such as `E101`.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// One sentence: what is wrong.
    pub message: String,
    /// One sentence: what would be right.
    pub help: Option<String>,
    /// The places concerned, the most important first.
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

    /// Adds a place.
    #[must_use]
    pub fn at(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label {
            span,
            text: text.into(),
        });
        self
    }

    /// Says what would be right.
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

/// How many errors, and how many warnings, a parser lists. Sheets of people stay far below;
/// megabytes of stray parentheses must not fill the memory with advice.
const MAX_LISTED: usize = 1_000;

/// The problems that a parser has met so far.
#[derive(Debug, Default)]
pub(crate) struct DiagnosticList {
    listed: Vec<Diagnostic>,
    errors: usize,
    warnings: usize,
}

impl DiagnosticList {
    /// Adds a problem; those beyond the limit are only counted.
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

    /// Whether there is no problem.
    pub(crate) fn is_empty(&self) -> bool {
        self.listed.is_empty()
    }

    /// The list, which says at its end how many more there were.
    pub(crate) fn into_diagnostics(mut self) -> Vec<Diagnostic> {
        if let more @ 1.. = self.errors.saturating_sub(MAX_LISTED) {
            self.listed.push(
                Diagnostic::error("E015", format!("{more} more errors are not listed"))
                    .at(Span::default(), "")
                    .help("repair some of those above and look again"),
            );
        }
        if let more @ 1.. = self.warnings.saturating_sub(MAX_LISTED) {
            self.listed.push(
                Diagnostic::warning("W002", format!("{more} more warnings are not listed"))
                    .at(Span::default(), "")
                    .help("repair some of those above and look again"),
            );
        }
        self.listed
    }
}
