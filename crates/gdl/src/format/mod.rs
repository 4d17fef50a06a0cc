//! Formatter for rule sheets.
//!
//! A rule has its head on the first line and every condition on a separate line, indented by two. A
//! condition longer than a line is broken at its `or`, `and` or `not`, with the parts aligned.
//! Empty lines separate rules. Facts that are on one line of the source stay on one line if they
//! fit. Empty lines of the source are kept, but never two in a row. Comments stay on separate lines
//! or at the end of a line. Nothing is reordered.
//!
//! Formatting is idempotent. To that end, every decision depends only on properties that the output
//! preserves: the clauses, the order of clauses and comments, which comment ends the line of which
//! condition, which facts share a line, and the positions of empty lines.
//!
//! `entries` extracts these properties from the source, `clause` formats the lines of a clause, and
//! `page` joins the lines.

mod clause;
mod comment;
mod entries;
mod lines;
mod page;

use crate::{Description, Notation};

/// Maximum line width in characters, where a line can be broken.
pub const WIDTH: usize = 100;

/// Formats a sheet in a notation, with its comments. `text` is the text that the description was
/// parsed from, in either notation.
///
/// Clauses that could not be parsed are not in the description, and so not in the result.
pub fn format(description: &Description, text: &str, notation: Notation) -> String {
    page::write(&entries::entries(description, text, notation))
}
