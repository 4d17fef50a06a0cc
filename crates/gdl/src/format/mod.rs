//! Lays a sheet out as a careful author would.
//!
//! A rule has its head on the first line and every condition on a line of its own, indented by two;
//! a condition that is longer than a line is broken at its `or`, `and`, `not` with the parts
//! aligned. Rules are set off by blank lines. Facts stay together, those that the author had on one
//! line stay on it while it fits. Blank lines of the author are kept, but never two in a row.
//! Comments stay where they are: on lines of their own, or at the end of a line. Nothing is
//! reordered.
//!
//! Laying out what is laid out already changes nothing. To that end every choice depends only on
//! what survives in the output: the clauses, the order of clauses and comments, which comment ends
//! the line of which condition, which facts share a line, and where blank lines are.
//!
//! `entries` finds all that in the source, `clause` makes the lines of a clause, `page` puts the
//! lines together.

mod clause;
mod comment;
mod entries;
mod lines;
mod page;

use crate::{Description, Notation};

/// The width that lines are kept within where they can be broken, in characters.
pub const WIDTH: usize = 100;

/// The sheet in `notation`, laid out, comments kept. `text` is what the description was parsed
/// from, in either notation.
///
/// A clause that could not be parsed is not in the description, and so not in the result.
pub fn format(description: &Description, text: &str, notation: Notation) -> String {
    page::write(&entries::entries(description, text, notation))
}
