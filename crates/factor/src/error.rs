//! Why a game is not staged.

use thiserror::Error;

/// The reason why a game is compiled without stages.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum NotApplicable {
    /// A move is a variable that no rule gives a functor.
    #[error("a legal rule of {role} leaves the functor of the move open")]
    OpenMove {
        /// The role.
        role: String,
    },
    /// Taking the legal rules apart makes too many.
    #[error("the legal rules have more than {limit} cases")]
    TooManyCases {
        /// The limit.
        limit: usize,
    },
    /// The legal moves are asked for in a way that a sample of them cannot answer.
    #[error("{relation} depends on the legal moves in a way that needs all of them")]
    LegalInUse {
        /// The relation whose rules ask.
        relation: String,
    },
    /// A role has no legal rule.
    #[error("{role} has no legal rule")]
    NoMoves {
        /// The role.
        role: String,
    },
    /// A rule asks for a fluent that is a variable.
    #[error("a rule of {relation} has a variable for a whole fluent")]
    OpenFluent {
        /// The relation of the rule.
        relation: String,
    },
    /// Binding conditions to the candidate makes too many relations.
    #[error("more than {limit} relations are bound to the candidate")]
    TooManyRelations {
        /// The limit.
        limit: usize,
    },
    /// The staged rules could not be read back, which is an error of the rewriting.
    #[error("the staged rules are not valid: {message}")]
    Invalid {
        /// The first diagnostic.
        message: String,
    },
}
