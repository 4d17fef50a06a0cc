//! The record of a match: [`MatchRecord`].

use serde::{Deserialize, Serialize};

/// A match as far as it was played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchRecord {
    /// The match id.
    pub id: String,
    /// The name of the game.
    pub game: String,
    /// The roles, in the order of the rules.
    pub roles: Vec<String>,
    /// The player of each role: the spec of a built-in player, an address, or the name of a custom
    /// player.
    pub players: Vec<String>,
    /// The names of the players in their tournament; empty for other matches.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// The start clock in milliseconds.
    pub start_clock_ms: u64,
    /// The play clock in milliseconds.
    pub play_clock_ms: u64,
    /// The seed.
    #[serde(with = "crate::seed::text")]
    pub seed: u64,
    /// Start time, in milliseconds since 1970.
    pub began_at_ms: u64,
    /// The fluents of the initial state, sorted.
    pub initial: Vec<String>,
    /// Errors before the first move, such as a player that was not ready.
    #[serde(rename = "start_mishaps")]
    pub start_errors: Vec<PlayerError>,
    /// The accepted steps.
    pub steps: Vec<MatchStep>,
    /// How the match ended; none while it is running.
    pub outcome: Option<Outcome>,
}

impl MatchRecord {
    /// The names of the players where they have some, else their specs or addresses.
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
    /// The number of the step, from 0.
    pub number: u32,
    /// The move of each role.
    pub moves: Vec<String>,
    /// The fluents of the state after it, sorted.
    pub state: Vec<String>,
    /// The errors of players in this step.
    #[serde(rename = "mishaps")]
    pub player_errors: Vec<PlayerError>,
    /// The response time of each player, in milliseconds.
    pub took_ms: Vec<u64>,
    /// When it was accepted, in milliseconds since 1970.
    pub at_ms: u64,
}

/// An error of a player.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayerError {
    /// The index of the role.
    pub role: usize,
    /// The kind of error.
    pub kind: PlayerErrorKind,
    /// A description with an excerpt of what was received.
    pub detail: String,
}

/// Kinds of errors of players.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PlayerErrorKind {
    /// No answer in time.
    TimeOut,
    /// An illegal move.
    IllegalMove,
    /// An answer that cannot be parsed.
    Garbage,
    /// No connection, or a broken one.
    Connection,
    /// The player refused to play.
    Refused,
}

impl PlayerErrorKind {
    /// Each kind with its name and its two-letter code in match records.
    const NAMES: [(Self, &'static str, &'static str); 5] = [
        (Self::TimeOut, "time-out", "TO"),
        (Self::IllegalMove, "illegal-move", "IL"),
        (Self::Garbage, "garbage", "GB"),
        (Self::Connection, "connection", "CE"),
        (Self::Refused, "refused", "RF"),
    ];

    /// The name.
    pub fn name(self) -> &'static str {
        let mut names = Self::NAMES.iter();
        names
            .find(|(kind, ..)| *kind == self)
            .map_or("", |(_, name, _)| name)
    }

    /// The two-letter code.
    pub fn code(self) -> &'static str {
        let mut names = Self::NAMES.iter();
        names
            .find(|(kind, ..)| *kind == self)
            .map_or("", |(.., code)| code)
    }

    /// The kind with a name.
    pub fn from_name(name: &str) -> Option<Self> {
        let mut names = Self::NAMES.iter();
        names
            .find(|(_, known, _)| *known == name)
            .map(|(kind, ..)| *kind)
    }

    /// The kind with a two-letter code.
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
    /// The goal value of each role; none where the rules define no or several values.
    pub goals: Vec<Option<u8>>,
    /// Roles that lost because of errors or a resignation.
    pub forfeited: Vec<usize>,
    /// Why the match ended without a terminal state.
    pub reason: Option<String>,
}
