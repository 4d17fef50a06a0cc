//! The rules of the language, checked one by one.

use crate::{Description, Diagnostic, Parsed};

/// Every rule of the language that the description breaks, in the order of the text.
pub fn check(_description: &Description) -> Vec<Diagnostic> {
    Vec::new()
}

/// Everything that is to be said about a text: problems of notation and broken rules together, in the order of the text.
pub fn report(parsed: &Parsed) -> Vec<Diagnostic> {
    parsed.diagnostics.clone()
}

/// What a code means, for people.
pub fn explain(_code: &str) -> Option<&'static str> {
    None
}
