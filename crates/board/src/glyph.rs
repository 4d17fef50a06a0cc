//! Glyphs: the shape and colour that represent a content, such as a chess piece, a disc, a cross, a
//! wall or a short text.

use crate::named_colour::NamedColour;

/// A chess piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ChessPiece {
    King,
    Queen,
    Rook,
    Bishop,
    Knight,
    Pawn,
}

impl ChessPiece {
    pub(crate) fn of_word(word: &str) -> Option<Self> {
        Some(match word {
            "king" => Self::King,
            "queen" => Self::Queen,
            "rook" | "castle" => Self::Rook,
            "bishop" => Self::Bishop,
            "knight" => Self::Knight,
            "pawn" => Self::Pawn,
            _ => return None,
        })
    }

    pub(crate) fn of_letter(letter: char) -> Option<Self> {
        Some(match letter {
            'k' => Self::King,
            'q' => Self::Queen,
            'r' => Self::Rook,
            'b' => Self::Bishop,
            'n' => Self::Knight,
            'p' => Self::Pawn,
            _ => return None,
        })
    }
}

/// The shape of a glyph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum GlyphShape {
    ChessPiece(ChessPiece),
    Disc,
    CrownedDisc,
    Cross,
    Ring,
    /// A filled cell.
    Block,
    /// A filled cell that cannot be passed.
    Wall,
    /// A missing cell.
    Pit,
    /// A burnt cell.
    Burnt,
    Fire,
    Lamp(bool),
    /// An arrow with its direction: right, down.
    Arrow([i8; 2]),
    /// A line: horizontal or vertical.
    Stroke(bool),
    Star,
    Pellet,
    Flag,
    Coins(u8),
    /// A piece with four binary properties.
    Fourfold(u8),
    /// Text on the cell itself.
    Text(String),
    /// Text on a round token.
    Token(String),
}

/// The colour of a glyph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GlyphColour {
    /// A colour that the content names.
    Named(&'static NamedColour),
    /// The colour of a role.
    Role(usize),
    /// The text colour.
    Ink,
}

/// A shape with a colour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Glyph {
    pub(crate) figure: GlyphShape,
    pub(crate) paint: GlyphColour,
}

/// The screen direction that some words name.
pub(crate) fn direction(words: &[String]) -> Option<[i8; 2]> {
    words.iter().find_map(|word| {
        Some(match word.as_str() {
            "up" | "north" | "above" => [0, -1],
            "down" | "south" | "below" => [0, 1],
            "left" | "west" => [-1, 0],
            "right" | "east" => [1, 0],
            _ => return None,
        })
    })
}

/// Whether a content is a common name for an empty cell.
pub(crate) fn is_blank(content: &str) -> bool {
    let content = content.to_ascii_lowercase();
    let names = [
        "blank",
        "empty",
        "none",
        "nothing",
        "free",
        "clear",
        "void",
        "vacant",
        "space",
        "nobody",
        "nil",
        "null",
        "unmarked",
        "noone",
        "available",
        "zerocoins",
        "uncolored",
        "unfilled",
    ];
    names.contains(&content.as_str())
}

/// Whether a content may mean an empty cell, but also a colour or a piece.
pub(crate) fn may_be_blank(content: &str) -> bool {
    matches!(
        content,
        "b" | "e" | "o" | "f" | "n" | "dot" | "open" | "floor" | "ground" | "off" | "-"
    )
}
