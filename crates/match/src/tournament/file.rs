//! The file that describes a tournament, as it is written: [`TournamentFile`].

use std::ops::Range;

use serde::{Deserialize, Serialize};
use thiserror::Error;
use toml::Spanned;

/// The longest file that is read.
pub const MAX_BYTES: usize = 1 << 20;

/// Who meets whom, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TournamentFormat {
    /// Everybody meets everybody else once in each round.
    RoundRobin,
    /// In each round players with about the same score meet, if possible such that did not meet
    /// before.
    Swiss,
    /// Who loses is out.
    KnockOut,
    /// In each round players challenge the one above, and take the place if they win.
    Ladder,
}

impl TournamentFormat {
    /// As it is written in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::RoundRobin => "round-robin",
            Self::Swiss => "swiss",
            Self::KnockOut => "knock-out",
            Self::Ladder => "ladder",
        }
    }
}

/// A tournament as it is written in TOML. Unknown keys are refused, so that a typing error cannot
/// change a tournament silently.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TournamentFile {
    /// Its name: letters, digits, `-`, `_` and `.`.
    pub(super) name: Spanned<String>,
    /// Where all chance comes from.
    #[serde(default = "one")]
    pub(super) seed: u64,
    /// Who meets whom.
    pub(super) kind: Spanned<TournamentFormat>,
    /// How many rounds.
    pub(super) rounds: Option<Spanned<u32>>,
    /// How often each assignment of players to roles is played when two meet.
    pub(super) repeats: Option<Spanned<u32>>,
    /// How often a tied encounter of a knock-out is played again.
    pub(super) replays: Option<Spanned<u32>>,
    /// The start clock of games that have none of their own, in seconds.
    pub(super) start: Option<Spanned<f64>>,
    /// The play clock of games that have none of their own, in seconds.
    pub(super) play: Option<Spanned<f64>>,
    /// The most matches at once.
    pub(super) parallel: Option<Spanned<u32>>,
    /// How many CPUs the players of all matches at once may use.
    pub(super) cpus: Option<Spanned<u32>>,
    /// How many errors of a player end a match for it.
    pub(super) forfeit_after: Option<Spanned<u32>>,
    /// How many steps a match may have.
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
    /// A shipped name or a path, relative to the file.
    pub(super) game: Spanned<String>,
    /// The start clock in seconds.
    pub(super) start: Option<Spanned<f64>>,
    /// The play clock in seconds.
    pub(super) play: Option<Spanned<f64>>,
    /// How many steps a match may have.
    pub(super) max_steps: Option<Spanned<u32>>,
}

/// A player of a tournament.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PlayerEntry {
    /// What to call it; as `player` if not given.
    pub(super) name: Option<Spanned<String>>,
    /// A player of ours with its options, or an address.
    pub(super) player: Spanned<String>,
    /// How many CPUs it uses while it thinks.
    pub(super) cpus: Option<Spanned<u32>>,
    /// How many roles it plays at once, for one at an address.
    pub(super) matches: Option<Spanned<u32>>,
}

fn one() -> u64 {
    1
}

/// What is wrong with a file, and where.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}{message}", place(*line))]
pub struct FileError {
    /// The line, from 1; none if it is the file as a whole.
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

    /// An error at a place of the text.
    pub(super) fn at(text: &str, span: &Range<usize>, message: impl Into<String>) -> Self {
        let before = text.as_bytes().iter().take(span.start);
        Self {
            line: Some(before.filter(|byte| **byte == b'\n').count() + 1),
            message: message.into(),
        }
    }
}

/// What the parser says, without the words of programmers.
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

    /// What it is called.
    pub fn name(&self) -> &str {
        self.name.get_ref()
    }
}
