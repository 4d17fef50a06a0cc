//! Diagnostics with snippets: the text around each place, marks under it, and advice.

use std::fmt;

use ludorum_gdl::{Diagnostic, Severity};
use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan, ThemeCharacters, ThemeStyles};

use super::excerpt::Excerpts;
use crate::terminal::{OutputStyle, printable, shortened};

/// The longest message that is shown, in characters; names in a sheet may have any length.
const SENTENCE: usize = 400;

/// Renders at most `limit` diagnostics of a sheet.
pub(crate) fn render(
    name: &str,
    text: &str,
    diagnostics: &[Diagnostic],
    limit: usize,
    style: &OutputStyle,
) -> String {
    let handler = handler(style);
    let name = printable(name);
    let excerpts = Excerpts::new(&name, text, style.width);
    let mut out = String::new();
    for diagnostic in diagnostics.iter().take(limit) {
        let report = Report::new(diagnostic, &excerpts);
        if handler.render_report(&mut out, &report).is_err() {
            // If rendering fails, print at least the message.
            out += &format!("{}: {report}\n", report.code);
        }
        out.push('\n');
    }
    if diagnostics.len() > limit {
        let more = diagnostics.len() - limit;
        out += &format!(
            "... and {}\n\n",
            counted(more, "more problem", "more problems")
        );
    }
    out
}

fn handler(style: &OutputStyle) -> GraphicalReportHandler {
    let theme = GraphicalTheme {
        characters: if style.unicode {
            ThemeCharacters::unicode()
        } else {
            ThemeCharacters::ascii()
        },
        styles: if style.color {
            ThemeStyles::ansi()
        } else {
            ThemeStyles::none()
        },
    };
    GraphicalReportHandler::new_themed(theme)
        .with_width(style.width)
        .with_links(false)
        .with_context_lines(1)
        .without_syntax_highlighting()
}

/// `1 error`, `2 errors`.
pub(crate) fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// A diagnostic in the form that miette renders.
struct Report<'s> {
    code: String,
    message: String,
    help: Option<String>,
    severity: miette::Severity,
    labels: Vec<LabeledSpan>,
    excerpts: &'s Excerpts<'s>,
}

impl<'s> Report<'s> {
    fn new(diagnostic: &Diagnostic, excerpts: &'s Excerpts<'s>) -> Self {
        let sentence = |text: &str| printable(&shortened(text, SENTENCE)).into_owned();
        let (word, severity) = match diagnostic.severity {
            Severity::Error => ("error", miette::Severity::Error),
            Severity::Warning => ("warning", miette::Severity::Warning),
        };
        let labels = diagnostic.labels.iter().enumerate().map(|(i, label)| {
            let text = (!label.text.is_empty()).then(|| sentence(&label.text));
            let span = excerpts.clip(label.span);
            if i == 0 {
                LabeledSpan::new_primary_with_span(text, span)
            } else {
                LabeledSpan::new_with_span(text, span)
            }
        });
        Self {
            code: format!("{word}[{}]", diagnostic.code),
            message: sentence(&diagnostic.message),
            help: diagnostic.help.as_deref().map(sentence),
            severity,
            labels: labels.collect(),
            excerpts,
        }
    }
}

impl fmt::Debug for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Report<'_> {}

impl miette::Diagnostic for Report<'_> {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(&self.code))
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(self.severity)
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        let help = self.help.as_ref()?;
        Some(Box::new(help))
    }

    fn source_code(&self) -> Option<&dyn miette::SourceCode> {
        Some(self.excerpts)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        Some(Box::new(self.labels.iter().cloned()))
    }
}
