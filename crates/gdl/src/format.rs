//! Lays a sheet out as a careful author would.

use crate::{Description, Notation};

/// The sheet in `notation`, laid out, comments kept. `text` is what the description was parsed from.
pub fn format(description: &Description, _text: &str, notation: Notation) -> String {
    match notation {
        Notation::Kif => crate::kif::sheet(description),
        Notation::Infix => crate::infix::sheet(description),
    }
}
