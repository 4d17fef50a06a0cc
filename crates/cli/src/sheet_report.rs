//! A rule sheet with everything that is wrong with it: diagnostics of the loader, and faults that
//! were met in play.

use ludorum_gdl::{Diagnostic, Severity};
use ludorum_logic::{LoadOptions, Loaded, Rules, load};

use crate::outcome::Failure;
use crate::playability::Playability;
use crate::report::render;
use crate::source::GameSource;
use crate::terminal::Terminal;

/// The most errors that are shown of a sheet that was to be used, not checked.
const MAX_ERRORS: usize = 10;

/// Loads the rules of a sheet; the failure shows its errors.
pub(crate) fn load_rules(source: &GameSource, terminal: &Terminal) -> Result<Rules, Failure> {
    let loaded = read(source, &LoadOptions::default())?;
    loaded.into_rules().map_err(|errors| {
        let style = terminal.stderr_style();
        let text = render(&source.name, &source.text, &errors, MAX_ERRORS, &style);
        Failure::Sheet(text)
    })
}

fn read(source: &GameSource, options: &LoadOptions) -> Result<Loaded, Failure> {
    load(&source.text, options)
        .map_err(|error| Failure::input(format!("`{}`: {error}", source.name)))
}

/// A sheet with its diagnostics.
#[derive(Clone, Debug)]
pub(crate) struct SheetReport {
    /// The rules, if they were asked for and the sheet has no errors.
    pub(crate) rules: Option<Rules>,
    /// The diagnostics of the loader, in the order of the text.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// The faults found in random games, if any were played.
    pub(crate) playability: Option<Playability>,
}

impl SheetReport {
    /// Loads and checks a sheet.
    pub(crate) fn new(source: &GameSource, options: &LoadOptions) -> Result<Self, Failure> {
        let loaded = read(source, options)?;
        Ok(Self {
            rules: loaded.rules,
            diagnostics: loaded.diagnostics,
            playability: None,
        })
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
