//! Shows what is wrong with a sheet: snippets for people, JSON for machines.

mod excerpt;
mod json;
mod snippet;

pub(crate) use json::FileReport;
pub(crate) use snippet::{counted, render};
