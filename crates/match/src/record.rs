//! What is left of a match: [`MatchRecord`].

use serde::{Deserialize, Serialize};

/// A match as far as it was played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchRecord {
    /// The name of the match.
    pub id: String,
    /// The name of the game.
    pub game: String,
    /// The roles, in the order of the rules.
    pub roles: Vec<String>,
    /// Who played them: a player of ours with its options, or an address.
    pub players: Vec<String>,
    /// What the players are called, in a tournament; else empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// The start clock in milliseconds.
    pub start_clock_ms: u64,
    /// The play clock in milliseconds.
    pub play_clock_ms: u64,
    /// The seed.
    #[serde(with = "crate::seed::text")]
    pub seed: u64,
    /// When it began, in milliseconds since 1970.
    pub began_at_ms: u64,
    /// The fluents of the initial state, sorted.
    pub initial: Vec<String>,
    /// Errors before the first move, such as a player that was not ready.
    #[serde(rename = "start_mishaps")]
    pub start_errors: Vec<PlayerError>,
    /// The steps that were accepted.
    pub steps: Vec<MatchStep>,
    /// How it ended; none if it has not.
    pub outcome: Option<Outcome>,
}

impl MatchRecord {
    /// What players are called: their names where they have some.
    pub fn display_names(&self) -> &[String] {
        if self.names.is_empty() {
            &self.players
        } else {
            &self.names
        }
    }
}

/// A joint move that was accepted, and the state it led to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchStep {
    /// Its place in the match, from 0.
    pub number: u32,
    /// The move of each role.
    pub moves: Vec<String>,
    /// The fluents of the state after it, sorted.
    pub state: Vec<String>,
    /// What went wrong on the way.
    #[serde(rename = "mishaps")]
    pub player_errors: Vec<PlayerError>,
    /// How long each player took, in milliseconds.
    pub took_ms: Vec<u64>,
    /// When it was accepted, in milliseconds since 1970.
    pub at_ms: u64,
}

/// An error of a player.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayerError {
    /// The role, by its number.
    pub role: usize,
    /// What kind of error.
    pub kind: PlayerErrorKind,
    /// In words, with what was received, cut where it is long.
    pub detail: String,
}

/// Kinds of errors of players.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PlayerErrorKind {
    /// No answer in time.
    TimeOut,
    /// A move that is not legal.
    IllegalMove,
    /// An answer that cannot be read.
    Garbage,
    /// No connection, or one that broke.
    Connection,
    /// The player says that it cannot play.
    Refused,
}

impl PlayerErrorKind {
    /// All kinds: what each is called and the two letters that stand for it in records of matches.
    const NAMES: [(Self, &'static str, &'static str); 5] = [
        (Self::TimeOut, "time-out", "TO"),
        (Self::IllegalMove, "illegal-move", "IL"),
        (Self::Garbage, "garbage", "GB"),
        (Self::Connection, "connection", "CE"),
        (Self::Refused, "refused", "RF"),
    ];

    /// What it is called.
    pub fn name(self) -> &'static str {
        let mut names = Self::NAMES.iter();
        names
            .find(|(kind, ..)| *kind == self)
            .map_or("", |(_, name, _)| name)
    }

    /// Two letters for it.
    pub fn code(self) -> &'static str {
        let mut names = Self::NAMES.iter();
        names
            .find(|(kind, ..)| *kind == self)
            .map_or("", |(.., code)| code)
    }

    /// The kind of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        let mut names = Self::NAMES.iter();
        names
            .find(|(_, known, _)| *known == name)
            .map(|(kind, ..)| *kind)
    }

    /// The kind of two letters.
    pub fn from_code(code: &str) -> Option<Self> {
        let mut names = Self::NAMES.iter();
        names
            .find(|(.., known)| *known == code)
            .map(|(kind, ..)| *kind)
    }
}

/// How a match ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// Whether a terminal state was reached.
    pub completed: bool,
    /// The goal of each role; none where the rules give none or several.
    pub goals: Vec<Option<u8>>,
    /// Roles that lost because of their errors.
    pub forfeited: Vec<usize>,
    /// Why it ended without a terminal state.
    pub reason: Option<String>,
}
