//! The one error type of the library.

use std::path::PathBuf;

use ludorum_engines::BuildError;
use ludorum_engines::engine::EngineTextError;
use ludorum_gdl::Diagnostic;
use ludorum_gdl::source::SourceError;
use ludorum_players::{PlayError, PlayerSpecError, SolveError};
use ludorum_reasoner::ReasonError;
use thiserror::Error;

/// Why something could not be done.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// No game of this name ships.
    #[error("there is no shipped game `{name}`{}", did_you_mean(suggestions))]
    UnknownGame {
        /// The name.
        name: String,
        /// Shipped games with similar names.
        suggestions: Vec<&'static str>,
    },
    /// A rule sheet could not be read as text.
    #[error("cannot read {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The message of the system.
        source: std::io::Error,
    },
    /// A rule sheet that is too large or is not UTF-8.
    #[error("the rules of `{name}` cannot be read: {source}")]
    Text {
        /// The game.
        name: String,
        /// What is wrong.
        source: SourceError,
    },
    /// The rule sheet has errors; warnings are listed with them.
    #[error("the rules of `{name}` have errors: {}", first_error(diagnostics))]
    Rules {
        /// The game.
        name: String,
        /// All problems in the order of the text.
        diagnostics: Vec<Diagnostic>,
    },
    /// The game has no role of this name.
    #[error("`{game}` has no role `{role}`; its roles are {}", roles.join(", "))]
    UnknownRole {
        /// The game.
        game: String,
        /// The name.
        role: String,
        /// The roles that it has.
        roles: Vec<String>,
    },
    /// A text that is not a legal move of a role in a state.
    #[error("`{text}` is not a move of {role}")]
    UnknownMove {
        /// The role.
        role: String,
        /// The text.
        text: String,
    },
    /// The name or an option of an engine is wrong.
    #[error(transparent)]
    EngineName(#[from] EngineTextError),
    /// The engine could not be made for the game.
    #[error(transparent)]
    Build(Box<BuildError>),
    /// A question about a state has no answer.
    #[error(transparent)]
    Reason(#[from] ReasonError),
    /// The name or an option of a player is wrong.
    #[error(transparent)]
    PlayerName(#[from] PlayerSpecError),
    /// The player could not do what it was asked to.
    #[error(transparent)]
    Play(#[from] PlayError),
    /// The puzzle was not searched.
    #[error(transparent)]
    Solve(#[from] SolveError),
}

fn did_you_mean(names: &[&str]) -> String {
    if names.is_empty() {
        return String::new();
    }
    format!("; did you mean {}?", names.join(" or "))
}

fn first_error(diagnostics: &[Diagnostic]) -> String {
    let first = diagnostics.iter().find(|problem| problem.is_error());
    first.map_or_else(String::new, |problem| problem.message.clone())
}

impl From<BuildError> for Error {
    fn from(error: BuildError) -> Self {
        Self::Build(Box::new(error))
    }
}
