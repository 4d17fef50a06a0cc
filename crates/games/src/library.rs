//! The embedded games themselves.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::BoardHint;

/// Name, sheet and metadata of every game, sorted by name; written by the build script.
static SHEETS: &[(&str, &str, &str)] = include!(concat!(env!("OUT_DIR"), "/sheets.rs"));

static LIBRARY: LazyLock<(Vec<Game>, Vec<MetadataError>)> = LazyLock::new(|| {
    let mut games = Vec::with_capacity(SHEETS.len());
    let mut broken = Vec::new();
    for (name, text, metadata) in SHEETS {
        match Game::new(name, text, metadata) {
            Ok(game) => games.push(game),
            Err(error) => broken.push(error),
        }
    }
    (games, broken)
});

/// A game that ships with Ludorum.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Game {
    /// The name by which commands know it, such as `connect-four`.
    pub name: &'static str,
    /// The name for people, such as `Connect Four`.
    pub title: String,
    /// How to play and how to win: one paragraph on one line.
    pub rules: String,
    /// The roles in the order of the sheet.
    pub roles: Vec<String>,
    /// Words to search by: `board`, `puzzle`, `two-player`, `simultaneous` and so on.
    pub tags: Vec<String>,
    /// For puzzles: whether a goal of 100 can be reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub solvable: Option<bool>,
    /// For puzzles: moves that reach 100, in KIF; empty when none is recorded.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub solution: Vec<String>,
    /// How to draw the board, for games that have one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub board: Option<BoardHint>,
    /// The rule sheet in KIF.
    #[serde(skip)]
    pub text: &'static str,
}

/// Why the metadata of a game cannot be used.
#[derive(Clone, Debug, Error)]
#[error("{name}.toml: {problem}")]
pub struct MetadataError {
    /// The game's name.
    pub name: &'static str,
    /// What is wrong and where.
    pub problem: String,
}

/// What stands in `NAME.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Metadata {
    title: String,
    rules: String,
    roles: Vec<String>,
    tags: Vec<String>,
    solvable: Option<bool>,
    #[serde(default)]
    solution: Vec<String>,
    board: Option<BoardHint>,
}

impl Game {
    fn new(name: &'static str, text: &'static str, metadata: &str) -> Result<Self, MetadataError> {
        let metadata: Metadata = toml::from_str(metadata).map_err(|error| MetadataError {
            name,
            problem: error.to_string(),
        })?;
        Ok(Self {
            name,
            title: metadata.title,
            // The paragraph is laid out anew for every terminal; the line breaks of the file mean
            // nothing.
            rules: metadata
                .rules
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" "),
            roles: metadata.roles,
            tags: metadata.tags,
            solvable: metadata.solvable,
            solution: metadata.solution,
            board: metadata.board,
            text,
        })
    }

    /// Where the sheet is kept in the project's source.
    pub fn path(&self) -> String {
        format!("crates/games/sheets/{}.kif", self.name)
    }

    /// Whether this is a game for one.
    pub fn is_puzzle(&self) -> bool {
        self.roles.len() == 1
    }
}

/// Every game, sorted by name.
pub fn all() -> &'static [Game] {
    &LIBRARY.0
}

/// The games whose metadata cannot be read. [`all`] leaves them out; there are none in a library
/// that passes its tests.
pub fn metadata_errors() -> &'static [MetadataError] {
    &LIBRARY.1
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINIMAL: &str = "title = 'T'\nrules = '''\nOne\n  two.\n'''\nroles = ['a']\ntags = []\n";

    #[test]
    fn the_rules_paragraph_becomes_one_line() {
        let game = Game::new("t", "(role a)", MINIMAL).unwrap();
        assert_eq!(game.rules, "One two.");
        assert_eq!(game.board, None);
        assert!(game.is_puzzle());
    }

    #[test]
    fn an_unknown_key_is_an_error_that_names_the_game_and_the_key() {
        let error = Game::new("t", "", &format!("{MINIMAL}colour = 'red'\n")).unwrap_err();
        let message = error.to_string();
        assert!(message.starts_with("t.toml: "), "{message}");
        assert!(message.contains("colour"), "{message}");
    }

    #[test]
    fn an_unknown_key_of_the_board_is_an_error() {
        let board = "[board]\nshape = 'grid'\nfluent = 'cell'\ncolumm = 1\n";
        let error = Game::new("t", "", &format!("{MINIMAL}{board}")).unwrap_err();
        assert!(error.to_string().contains("columm"), "{error}");
    }
}
