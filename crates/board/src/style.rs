//! Mapping from contents to glyphs and colours.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use crate::glyph::{ChessPiece, Glyph, GlyphColour, GlyphShape, direction, is_blank};
use crate::named_colour::{NAMED_COLOURS, named_colour};
use crate::names::{split_words, truncate};
use crate::property_code::PropertyCode;

/// Words that only say that something is there.
const PLAIN: [&str; 14] = [
    "disc", "disk", "checker", "stone", "peg", "man", "piece", "token", "marble", "player", "ball",
    "counter", "mark", "marker",
];

/// How the contents of a game are mapped to glyphs.
#[derive(Clone, Debug, Default)]
#[allow(clippy::struct_excessive_bools)] // independent findings
pub(crate) struct Style {
    roles: Vec<String>,
    /// Contents of two letters are a colour and a chess piece.
    letters: bool,
    /// The only pieces are men and kings: draughts.
    draughts: bool,
    /// Contents encode four binary properties.
    code: Option<PropertyCode>,
    /// `x` and `o` are crosses and rings.
    crosses: bool,
    /// The letter that precedes all numbers.
    prefix: Option<char>,
    /// The glyphs of the hint.
    hinted: BTreeMap<String, String>,
}

impl Style {
    /// Analyses all contents of a game together: the meaning of a letter depends on the other
    /// contents.
    pub(crate) fn new(
        roles: &[String],
        contents: &FxHashSet<String>,
        hinted: BTreeMap<String, String>,
    ) -> Self {
        let mut style = Self {
            roles: roles.to_vec(),
            hinted,
            ..Self::default()
        };
        let full: Vec<&String> = contents.iter().filter(|c| !is_blank(c)).collect();
        let pairs = full.iter().filter(|c| style.pair(c).is_some()).count();
        style.letters = pairs >= 1 && 2 * pairs >= full.len();
        let men: FxHashSet<ChessPiece> = full
            .iter()
            .filter_map(|content| style.man(content))
            .collect();
        let plain = |man: &ChessPiece| matches!(man, ChessPiece::Pawn | ChessPiece::King);
        style.draughts = men.contains(&ChessPiece::Pawn) && men.iter().all(plain);
        style.code = PropertyCode::find(&full);
        style.crosses = full.iter().any(|content| content.eq_ignore_ascii_case("x"));
        style.prefix = common_prefix(&full);
        style
    }

    /// The glyph of a content. A content of several leaves has several words.
    pub(crate) fn glyph(&self, content: &str) -> Glyph {
        let owner = self.owner(content);
        let figure = self.figure(content, owner);
        let paint = owner.unwrap_or(match &figure {
            // Numbered objects also get different colours.
            GlyphShape::Token(text) => text.parse().map_or(GlyphColour::Ink, GlyphColour::Role),
            _ => GlyphColour::Ink,
        });
        Glyph { figure, paint }
    }

    fn figure(&self, content: &str, owner: Option<GlyphColour>) -> GlyphShape {
        let words = self.split(content);
        let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
        if let Some(bits) = self.code.as_ref().and_then(|code| code.bits(content)) {
            return GlyphShape::Fourfold(bits);
        }
        if let Some(man) = self.man(content) {
            return match man {
                ChessPiece::King if self.draughts => GlyphShape::CrownedDisc,
                _ if self.draughts => GlyphShape::Disc,
                _ => GlyphShape::ChessPiece(man),
            };
        }
        if self.crosses {
            match content.to_ascii_lowercase().as_str() {
                "x" => return GlyphShape::Cross,
                "o" => return GlyphShape::Ring,
                _ => {}
            }
        }
        match content {
            "ecks" | "X" => return GlyphShape::Cross,
            "oh" | "O" => return GlyphShape::Ring,
            _ => {}
        }
        if content.parse::<i64>().is_ok() {
            return GlyphShape::Text(truncate(content, 4));
        }
        // A number followed by a letter for its state.
        if let [one, state] = &words[..]
            && one.parse::<i64>().is_ok()
            && state.len() == 1
        {
            return if state == "e" {
                GlyphShape::Text(truncate(one, 4))
            } else {
                GlyphShape::Token(truncate(one, 4))
            };
        }
        match content {
            "o" => return GlyphShape::Ring,
            "w" if owner.is_none() && !self.crosses => return GlyphShape::Wall,
            "w" | "r" | "g" | "y" if owner.is_some() => return GlyphShape::Disc,
            _ => {}
        }
        if let Some(rest) = self.prefix.and_then(|prefix| content.strip_prefix(prefix)) {
            return GlyphShape::Text(truncate(rest, 4));
        }
        if has(&[
            "wall", "block", "blocked", "blk", "brick", "rock", "barrier", "obstacle",
        ]) {
            return GlyphShape::Wall;
        }
        if has(&["hole", "pit", "gone", "water", "offlimits"]) {
            return GlyphShape::Pit;
        }
        if has(&["arrow", "burned", "burnt", "dirt"]) {
            return GlyphShape::Burnt;
        }
        if has(&[
            "chocolate",
            "visited",
            "marked",
            "filled",
            "plowed",
            "trail",
            "body",
            "tail",
        ]) {
            return GlyphShape::Block;
        }
        if has(&["fire", "flame", "burning"]) {
            return GlyphShape::Fire;
        }
        if has(&["light", "lit", "lamp"])
            && owner.is_none_or(|paint| {
                paint == GlyphColour::Ink || matches!(paint, GlyphColour::Named(_))
            })
            && words.len() == 1
        {
            return GlyphShape::Lamp(true);
        }
        if has(&["nolight", "unlit"]) {
            return GlyphShape::Lamp(false);
        }
        if has(&["star", "gold", "goal", "treasure"]) && owner.is_none() {
            return GlyphShape::Star;
        }
        if has(&["pellet", "point", "dot", "food"]) {
            return GlyphShape::Pellet;
        }
        if has(&["flag", "exit", "finish"]) {
            return GlyphShape::Flag;
        }
        if has(&["across", "horizontal", "vertical"]) || content == "down" {
            return GlyphShape::Stroke(has(&["across", "horizontal"]));
        }
        let is_role = self.roles.iter().any(|role| role == content);
        if let Some(direction) = direction(&words).filter(|_| !is_role) {
            return GlyphShape::Arrow(direction);
        }
        if let Some(coins) = coins(content) {
            return GlyphShape::Coins(coins);
        }
        let kind: Vec<&String> = words
            .iter()
            .filter(|word| named_colour(word).is_none() && !self.roles.iter().any(|r| r == *word))
            .collect();
        let is_plain = kind.iter().all(|word| PLAIN.contains(&word.as_str()));
        if is_plain || is_role || is_initial(content, owner) {
            return GlyphShape::Disc;
        }
        if let Some(text) = self.hinted.get(content) {
            return GlyphShape::Token(truncate(text, 3));
        }
        GlyphShape::Token(abbreviation(&kind))
    }

    /// The words of a content; a colour and a piece that are written as one word are separated.
    fn split(&self, content: &str) -> Vec<String> {
        let mut parts = Vec::new();
        for word in split_words(content) {
            let known = named_colour(&word).is_some() || ChessPiece::of_word(&word).is_some();
            let side = NAMED_COLOURS
                .iter()
                .map(|swatch| swatch.name)
                .chain(self.roles.iter().map(String::as_str))
                .find(|side| word.len() > side.len() + 2 && word.starts_with(side));
            match side {
                Some(side) if !known => {
                    parts.push(side.to_owned());
                    parts.push(word[side.len()..].to_owned());
                }
                _ => parts.push(word),
            }
        }
        parts
    }

    /// The chess piece of a content.
    fn man(&self, content: &str) -> Option<ChessPiece> {
        let words = self.split(content);
        if let Some(man) = words.iter().find_map(|word| ChessPiece::of_word(word)) {
            return Some(man);
        }
        if self.letters {
            return self.pair(content).map(|(_, man)| man);
        }
        (content == "q").then_some(ChessPiece::Queen)
    }

    /// Parses a content of two letters: colour and piece, optionally followed by the letter of a
    /// column.
    fn pair(&self, content: &str) -> Option<(GlyphColour, ChessPiece)> {
        let mut chars = content.chars();
        let (side, man) = (chars.next()?, chars.next()?);
        let more = chars.next();
        if more.is_some_and(|c| !('a'..='h').contains(&c) && !c.is_ascii_digit())
            || chars.next().is_some()
        {
            return None;
        }
        let paint = match side {
            'w' => named_colour("white").map(GlyphColour::Named),
            'b' => named_colour("black").map(GlyphColour::Named),
            _ => None,
        };
        let role = || {
            let role = self.roles.iter().position(|role| role.starts_with(side))?;
            Some(GlyphColour::Role(role))
        };
        Some((paint.or_else(role)?, ChessPiece::of_letter(man)?))
    }

    /// The colour of the owner of a content: a colour in its name, or that of the role whose name
    /// it contains.
    pub(crate) fn owner(&self, content: &str) -> Option<GlyphColour> {
        let parts = self.split(content);
        let named = parts.iter().find_map(|word| named_colour(word));
        if let Some(swatch) = named {
            return Some(GlyphColour::Named(swatch));
        }
        if self.letters
            && let Some((paint, _)) = self.pair(content)
        {
            return Some(paint);
        }
        if let Some(role) = self.roles.iter().position(|role| {
            role == content || parts.iter().any(|part| role.eq_ignore_ascii_case(part))
        }) {
            return Some(self.of_role(role));
        }
        match content {
            "ecks" => return Some(GlyphColour::Role(0)),
            "oh" => return Some(GlyphColour::Role(1)),
            _ => {}
        }
        // A single letter, or a prefix of the name of a role: `x` belongs to `xplayer`.
        let lower = content.to_ascii_lowercase();
        let mut begun =
            self.roles.iter().enumerate().filter(|(_, role)| {
                !lower.is_empty() && role.to_ascii_lowercase().starts_with(&lower)
            });
        if let Some((role, _)) = begun.next() {
            let paint = self.of_role(role);
            if begun.all(|(other, _)| self.of_role(other) == paint) {
                return Some(paint);
            }
        }
        if self.crosses {
            match lower.as_str() {
                "x" => return Some(GlyphColour::Role(0)),
                "o" => return Some(GlyphColour::Role(1)),
                "z" => return Some(GlyphColour::Role(2)),
                "w" => return named_colour("white").map(GlyphColour::Named),
                _ => {}
            }
        }
        if parts.len() == 2 && parts[1] == "b" && parts[0].parse::<i64>().is_ok() {
            return named_colour("black").map(GlyphColour::Named);
        }
        None
    }

    /// The colour of a role: the one that its name contains, otherwise a default colour.
    pub(crate) fn of_role(&self, role: usize) -> GlyphColour {
        let name = self.roles.get(role).map_or("", String::as_str);
        let parts = split_words(name);
        let named = NAMED_COLOURS.iter().find(|swatch| {
            parts.iter().any(|part| {
                part == swatch.name || (part.starts_with(swatch.name) && swatch.name != "light")
            })
        });
        named.map_or(GlyphColour::Role(role), GlyphColour::Named)
    }
}

/// Whether a content is a single letter that stands for its owner.
fn is_initial(content: &str, owner: Option<GlyphColour>) -> bool {
    content.len() == 1 && matches!(owner, Some(GlyphColour::Role(_) | GlyphColour::Named(_)))
}

fn coins(content: &str) -> Option<u8> {
    Some(match content {
        "onecoin" => 1,
        "twocoins" => 2,
        "threecoins" => 3,
        _ => return None,
    })
}

/// The letter that precedes the number in all numbered contents: `s1`, `s2`.
fn common_prefix(contents: &[&String]) -> Option<char> {
    let mut common = None;
    for content in contents {
        let first = content.chars().next()?;
        let rest = &content[first.len_utf8()..];
        if !first.is_ascii_alphabetic() || rest.is_empty() || rest.parse::<u32>().is_err() {
            return None;
        }
        if common.is_some_and(|common| common != first) {
            return None;
        }
        common = Some(first);
    }
    common.filter(|_| contents.len() > 1)
}

/// A few letters for words without a glyph.
fn abbreviation(words: &[&String]) -> String {
    match words {
        [] => String::new(),
        [word] => {
            // Keep the number at the end, to tell `terrorist1` from `terrorist2`.
            let stem = word.trim_end_matches(|c: char| c.is_ascii_digit());
            let number = &word[stem.len()..];
            if PLAIN.contains(&stem) && !number.is_empty() {
                return truncate(number, 3);
            }
            let room = 4usize.saturating_sub(number.len()).max(1);
            let letters: String = if word.chars().count() <= 4 {
                return (*word).clone();
            } else {
                stem.chars().take(room.min(3)).collect()
            };
            format!("{letters}{}", truncate(number, 3))
        }
        _ => words
            .iter()
            .take(4)
            .filter_map(|word| word.chars().next())
            .collect(),
    }
}
