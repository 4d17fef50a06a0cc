//! The rules of the language, checked one by one.

use crate::{Description, Diagnostic, Parsed};

pub use codes::explain;

/// The codes of all problems, with a title and an explanation each.
pub mod codes {
    /// What is known about a code.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Code {
        /// The code: `E` for errors, `W` for warnings, and three digits.
        pub code: &'static str,
        /// What is wrong, in a line.
        pub title: &'static str,
        /// Why that is wrong and what to do.
        pub explanation: &'static str,
    }

    /// Every code there is, in order.
    pub const CODES: &[Code] = &[Code {
        code: "E001",
        title: "a closing parenthesis is missing",
        explanation: "Every open parenthesis needs a closing one.",
    }];

    /// What is known about a code, whatever its case.
    pub fn explain(code: &str) -> Option<&'static Code> {
        CODES.iter().find(|c| c.code.eq_ignore_ascii_case(code))
    }
}

/// Every rule of the language that the description breaks, in the order of the text.
pub fn check(_description: &Description) -> Vec<Diagnostic> {
    Vec::new()
}

/// Everything that is to be said about a text: problems of notation and broken rules together, in the order of the text.
pub fn report(parsed: &Parsed) -> Vec<Diagnostic> {
    parsed.diagnostics.clone()
}
