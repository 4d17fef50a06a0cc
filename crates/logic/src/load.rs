//! The loader: from the text of a rule sheet to its rules and diagnostics, in one call.
//!
//! Every front end takes this path: text, syntax tree ([`Description`]), checks of the language,
//! normalised [`Rules`].

use ludorum_gdl::check;
use ludorum_gdl::source::{MAX_BYTES, SourceError};
use ludorum_gdl::{Description, Diagnostic, Notation, parse_as};

use crate::rules::Rules;

/// What to do with a text, and how large it may be.
#[derive(Clone, Copy, Debug)]
pub struct LoadOptions {
    /// The notation; it is detected when none is given.
    pub notation: Option<Notation>,
    /// The largest text that is read, in bytes.
    pub max_bytes: usize,
    /// Whether to run the checks of the language, which find more errors than normalisation does
    /// and warnings as well. Without them, the diagnostics are those of the parser and of
    /// normalisation.
    pub checks: bool,
    /// Whether to normalise a sheet without errors.
    pub rules: bool,
}

impl Default for LoadOptions {
    /// Everything, for texts of at most [`MAX_BYTES`].
    fn default() -> Self {
        Self {
            notation: None,
            max_bytes: MAX_BYTES,
            checks: true,
            rules: true,
        }
    }
}

impl LoadOptions {
    /// Parses and normalises, without the checks: for sheets that are known to be good, and for
    /// sheets of others that break the language in ways that do not matter.
    pub fn without_checks() -> Self {
        Self {
            checks: false,
            ..Self::default()
        }
    }

    /// Parses and checks, without making rules: for editors and for `ludorum check`.
    pub fn checks_only() -> Self {
        Self {
            rules: false,
            ..Self::default()
        }
    }
}

/// A rule sheet that was read.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The clauses that could be parsed.
    pub description: Description,
    /// The rules; `None` if there is an error, or if they were not asked for.
    pub rules: Option<Rules>,
    /// Errors and warnings, in the order of the text; errors of normalisation come last.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a rule sheet.
///
/// Fails only when the text is too large to be read; everything else that is wrong is in
/// [`Loaded::diagnostics`].
///
/// ```
/// use ludorum_logic::{LoadOptions, load};
/// let text = "(role white) (legal white go) (next done) (<= terminal (true done)) (goal white 100)";
/// let loaded = load(text, &LoadOptions::default()).unwrap();
/// assert!(!loaded.has_errors());
/// assert_eq!(loaded.rules.unwrap().roles.len(), 1);
///
/// let loaded = load("(role white) (legal white", &LoadOptions::default()).unwrap();
/// assert!(loaded.has_errors() && loaded.rules.is_none());
/// ```
pub fn load(text: &str, options: &LoadOptions) -> Result<Loaded, SourceError> {
    if text.len() > options.max_bytes {
        return Err(SourceError::TooLarge {
            bytes: text.len(),
            limit: options.max_bytes,
        });
    }
    Ok(Loaded::new(text, options))
}

impl Loaded {
    /// Reads a text of any size.
    fn new(text: &str, options: &LoadOptions) -> Self {
        let notation = options.notation.unwrap_or_else(|| Notation::detect(text));
        let parsed = parse_as(text, notation);
        let mut diagnostics = if options.checks {
            check::diagnose(&parsed)
        } else {
            parsed.diagnostics
        };
        let mut rules = None;
        if options.rules && !diagnostics.iter().any(Diagnostic::is_error) {
            match Rules::new(&parsed.description) {
                Ok(made) => rules = Some(made),
                Err(errors) => diagnostics.extend(errors),
            }
        }
        Self {
            description: parsed.description,
            rules,
            diagnostics,
        }
    }

    /// Whether there is an error: such a sheet cannot be played.
    pub fn has_errors(&self) -> bool {
        self.errors().next().is_some()
    }

    /// The diagnostics that are errors.
    pub fn errors(&self) -> impl Iterator<Item = &Diagnostic> {
        self.diagnostics.iter().filter(|problem| problem.is_error())
    }

    /// The rules, or the errors that keep them from being made.
    pub fn into_rules(self) -> Result<Rules, Vec<Diagnostic>> {
        let mut problems = self.diagnostics;
        problems.retain(Diagnostic::is_error);
        self.rules.ok_or(problems)
    }
}

impl Rules {
    /// Parses and normalises a text of any size without the checks, for callers that have no use
    /// for warnings.
    pub fn from_text(text: &str) -> Result<Self, Vec<Diagnostic>> {
        Loaded::new(text, &LoadOptions::without_checks()).into_rules()
    }
}
