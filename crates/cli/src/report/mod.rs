//! Shows the diagnostics of a sheet: snippets on a terminal, or JSON.

mod excerpt;
mod json;
mod snippet;

pub(crate) use json::FileReport;
pub(crate) use snippet::{counted, render};
