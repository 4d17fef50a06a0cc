//! Everything that is wrong with a sheet: problems of notation and broken rules of the language, in
//! the order of the text.

use ludorum_gdl::check::diagnose;
use ludorum_gdl::{Description, Diagnostic, Notation, Severity, parse_as};
use ludorum_logic::Rules;

use crate::outcome::Failure;
use crate::playability::Playability;
use crate::report::render;
use crate::source::GameSource;
use crate::terminal::Terminal;

/// As many errors of a sheet are shown where it was to be used, not checked.
const SHOWN: usize = 10;

/// The normalised rules of a sheet; its errors if it has any.
pub(crate) fn rules(source: &GameSource, terminal: &Terminal) -> Result<Rules, Failure> {
    let diagnosis = Diagnosis::new(&source.text, None);
    let errors: Vec<Diagnostic> = diagnosis
        .diagnostics
        .into_iter()
        .filter(Diagnostic::is_error)
        .collect();
    let rules = if errors.is_empty() {
        Rules::new(&diagnosis.description)
    } else {
        Err(errors)
    };
    rules.map_err(|errors| {
        let look = terminal.stderr_look();
        Failure::Sheet(render(&source.name, &source.text, &errors, SHOWN, &look))
    })
}

/// A sheet with its problems.
#[derive(Clone, Debug)]
pub(crate) struct Diagnosis {
    /// The clauses that could be read.
    pub(crate) description: Description,
    /// The problems, in the order of the text.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// What playing it has shown, if it was played.
    pub(crate) playability: Option<Playability>,
}

impl Diagnosis {
    /// Parses and checks a text, in the notation that it seems to be written in when none is given.
    pub(crate) fn new(text: &str, notation: Option<Notation>) -> Self {
        let notation = notation.unwrap_or_else(|| Notation::detect(text));
        let parsed = parse_as(text, notation);
        let diagnostics = diagnose(&parsed);
        Self {
            description: parsed.description,
            diagnostics,
            playability: None,
        }
    }

    /// Turns warnings into errors.
    #[must_use]
    pub(crate) fn strictly(mut self) -> Self {
        let played = self.playability.iter_mut().flat_map(|p| &mut p.problems);
        let played = played.map(|problem| &mut problem.diagnostic);
        for diagnostic in self.diagnostics.iter_mut().chain(played) {
            diagnostic.severity = Severity::Error;
        }
        self
    }

    /// How many errors there are.
    pub(crate) fn errors(&self) -> usize {
        self.all().filter(|d| d.is_error()).count()
    }

    /// How many warnings there are.
    pub(crate) fn warnings(&self) -> usize {
        self.all().filter(|d| !d.is_error()).count()
    }

    fn all(&self) -> impl Iterator<Item = &Diagnostic> {
        let played = self.playability.iter().flat_map(|p| &p.problems);
        self.diagnostics
            .iter()
            .chain(played.map(|problem| &problem.diagnostic))
    }
}
