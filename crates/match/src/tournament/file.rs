//! The TOML file of a tournament: [`TournamentFile`].

use std::ops::Range;

use serde::{Deserialize, Serialize};
use thiserror::Error;
use toml::Spanned;

/// Size limit of a tournament file in bytes.
pub const MAX_BYTES: usize = 1 << 20;

/// The format of a tournament.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TournamentFormat {
    /// All players meet each other once in each round.
    RoundRobin,
    /// In each round, players with similar scores meet, if possible players who have not met
    /// before.
    Swiss,
    /// Single elimination: the loser of a pairing is out.
    KnockOut,
    /// In each round, players challenge the one above them and take its place if they win.
    Ladder,
}

impl TournamentFormat {
    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::RoundRobin => "round-robin",
            Self::Swiss => "swiss",
            Self::KnockOut => "knock-out",
            Self::Ladder => "ladder",
        }
    }
}

/// A tournament file. Unknown keys are an error, so that a typing mistake cannot change a
/// tournament.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TournamentFile {
    /// Its name: letters, digits, `-`, `_` and `.`.
    pub(super) name: Spanned<String>,
    /// The seed of all randomness.
    #[serde(default = "one")]
    pub(super) seed: u64,
    /// The format.
    pub(super) kind: Spanned<TournamentFormat>,
    /// The number of rounds.
    pub(super) rounds: Option<Spanned<u32>>,
    /// How often each role assignment is played in a pairing.
    pub(super) repeats: Option<Spanned<u32>>,
    /// How often a tied pairing of a knock-out is replayed.
    pub(super) replays: Option<Spanned<u32>>,
    /// The default start clock in seconds.
    pub(super) start: Option<Spanned<f64>>,
    /// The default play clock in seconds.
    pub(super) play: Option<Spanned<f64>>,
    /// Limit on concurrent matches.
    pub(super) parallel: Option<Spanned<u32>>,
    /// Limit on CPUs used by the players of all concurrent matches.
    pub(super) cpus: Option<Spanned<u32>>,
    /// A player with this many errors loses a match.
    pub(super) forfeit_after: Option<Spanned<u32>>,
    /// The default limit on steps of a match.
    pub(super) max_steps: Option<Spanned<u32>>,
    /// The games.
    #[serde(default)]
    pub(super) games: Vec<GameEntry>,
    /// The players.
    #[serde(default)]
    pub(super) players: Vec<PlayerEntry>,
}

/// A game of a tournament.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GameEntry {
    /// A built-in name or a path relative to the file.
    pub(super) game: Spanned<String>,
    /// The start clock in seconds.
    pub(super) start: Option<Spanned<f64>>,
    /// The play clock in seconds.
    pub(super) play: Option<Spanned<f64>>,
    /// Limit on steps of a match.
    pub(super) max_steps: Option<Spanned<u32>>,
}

/// A player of a tournament.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PlayerEntry {
    /// The name; `player` if missing.
    pub(super) name: Option<Spanned<String>>,
    /// The spec of a built-in player, or an address.
    pub(super) player: Spanned<String>,
    /// The CPUs it uses while it searches.
    pub(super) cpus: Option<Spanned<u32>>,
    /// How many roles a remote player plays at the same time.
    pub(super) matches: Option<Spanned<u32>>,
}

fn one() -> u64 {
    1
}

/// An error in a tournament file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}{message}", place(*line))]
pub struct FileError {
    /// The line, from 1; none for the file as a whole.
    pub line: Option<usize>,
    /// What is wrong.
    pub message: String,
}

fn place(line: Option<usize>) -> String {
    line.map_or(String::new(), |line| format!("line {line}: "))
}

impl FileError {
    /// An error of the file as a whole.
    pub(super) fn whole(message: impl Into<String>) -> Self {
        Self {
            line: None,
            message: message.into(),
        }
    }

    /// An error at a position.
    pub(super) fn at(text: &str, span: &Range<usize>, message: impl Into<String>) -> Self {
        let before = text.as_bytes().iter().take(span.start);
        Self {
            line: Some(before.filter(|byte| **byte == b'\n').count() + 1),
            message: message.into(),
        }
    }
}

/// The parser's message without Rust type names.
fn in_words(message: &str) -> String {
    let problem = ["invalid type: ", "invalid value: "]
        .iter()
        .find_map(|prefix| message.strip_prefix(prefix));
    let Some((found, wanted)) = problem.and_then(|text| text.split_once(", expected ")) else {
        return message.to_owned();
    };
    let wanted = match wanted {
        "u32" | "u64" => "a whole number from 0 on",
        "f64" => "a number",
        "a string" => "a text in quotes",
        "a sequence" => "a list",
        other => other,
    };
    let found = found
        .replace("integer", "the number")
        .replace("floating point", "the number");
    format!("here is {found}, and it should be {wanted}")
}

impl TournamentFile {
    /// Reads a file.
    pub fn read(text: &str) -> Result<Self, FileError> {
        if text.len() > MAX_BYTES {
            let message = format!("it is too large: more than {} kB", MAX_BYTES >> 10);
            return Err(FileError::whole(message));
        }
        toml::from_str(text).map_err(|error| match error.span() {
            Some(span) => FileError::at(text, &span, in_words(error.message())),
            None => FileError::whole(in_words(error.message())),
        })
    }

    /// The name.
    pub fn name(&self) -> &str {
        self.name.get_ref()
    }
}
