//! What stands for a content: a chessman, a disc, a cross, a wall, or a short text.

use crate::named_colour::NamedColour;

/// A chessman.
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

/// The schema of a glyph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum GlyphShape {
    ChessPiece(ChessPiece),
    Disc,
    CrownedDisc,
    Cross,
    Ring,
    /// A filled cell.
    Block,
    /// A filled cell that nothing passes.
    Wall,
    /// A cell that is gone.
    Pit,
    /// A cell that is burnt.
    Burnt,
    Fire,
    Lamp(bool),
    /// An arrow: to the right, downwards.
    Arrow([i8; 2]),
    /// A stroke: across or down.
    Stroke(bool),
    Star,
    Pellet,
    Flag,
    Coins(u8),
    /// A piece of four properties.
    Fourfold(u8),
    /// Text on the bare cell.
    Text(String),
    /// Text on a token.
    Token(String),
}

/// The colour of a glyph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GlyphColour {
    /// A colour called by name.
    Named(&'static NamedColour),
    /// The colour of a role.
    Role(usize),
    /// The colour of text.
    Ink,
}

/// A glyph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Glyph {
    pub(crate) figure: GlyphShape,
    pub(crate) paint: GlyphColour,
}

/// The direction that some words speak of, on the screen.
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

/// Names of nothing.
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

/// Names that may mean nothing, or a side, or a man.
pub(crate) fn may_be_blank(content: &str) -> bool {
    matches!(
        content,
        "b" | "e" | "o" | "f" | "n" | "dot" | "open" | "floor" | "ground" | "off" | "-"
    )
}
