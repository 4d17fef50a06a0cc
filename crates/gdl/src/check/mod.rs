//! The rules of the language, checked one by one.

use crate::{Description, Diagnostic};

/// Every rule of the language that the description breaks, in the order of the text.
pub fn check(_description: &Description) -> Vec<Diagnostic> {
    Vec::new()
}
