//! The error of a query to a reasoner.

use thiserror::Error;

use crate::ids::Role;

/// Why a query failed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ReasonError {
    /// The joint move does not have exactly one move for each role.
    #[error("a joint move needs {expected} moves, one for each role, and got {got}")]
    WrongMoveCount {
        /// The number of roles.
        expected: usize,
        /// The number of moves given.
        got: usize,
    },
    /// The move is not legal for the role in this state.
    #[error("`{text}` is not a legal move of {role} in this state")]
    IllegalMove {
        /// The role's name.
        role: String,
        /// The move as KIF.
        text: String,
    },
    /// The role number is out of range.
    #[error("there is no role number {role}: the game has {count}")]
    UnknownRole {
        /// The role number.
        role: Role,
        /// The number of roles.
        count: usize,
    },
    /// The text is not a ground term, or not one that the engine can represent.
    #[error("cannot read `{text}`: {reason}")]
    BadText {
        /// The text.
        text: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The engine's budget of work or memory is used up. The rule sheet may recurse without bound.
    #[error("over budget: {0}")]
    Budget(String),
    /// The reasoner does not answer questions of this kind, or not about this state.
    #[error("not supported: {0}")]
    Unsupported(String),
    /// The deadline of [`Reasoner::set_deadline`](crate::Reasoner::set_deadline) has passed, or the
    /// flag of [`Reasoner::set_cancel`](crate::Reasoner::set_cancel) is set.
    #[error("out of time")]
    Stopped,
}

/// Checks that a joint move, as ids or texts, has one move for each role.
pub fn check_move_count<T>(roles: usize, joint_move: &[T]) -> Result<(), ReasonError> {
    if joint_move.len() == roles {
        Ok(())
    } else {
        Err(ReasonError::WrongMoveCount {
            expected: roles,
            got: joint_move.len(),
        })
    }
}
