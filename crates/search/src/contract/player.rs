//! The contract that every player keeps: [`Player`].

use std::sync::Arc;
use std::time::Instant;

use ludorum_engines::engine::BuildError;
use ludorum_reasoner::{ReasonError, Role};
use serde::Serialize;
use thiserror::Error;

use super::board::Board;
use super::report::Report;

/// A player of one role in one match.
///
/// # The contract
/// - A player begins at the initial state, or wherever [`go_to`](Self::go_to) puts it, and goes on
///   by the joint moves it is told.
/// - [`play`](Self::play) answers with a legal move no later than 50 ms after the deadline,
///   whatever the engine does. A role with one legal move answers at once.
/// - What it was told is worked out by the next `play`, so a joint move that is not legal is
///   complained about there.
/// - Between `play` and `told` it does nothing unless it is asked to [`ponder`](Self::ponder).
/// - The same spec, seed and budget of simulations give the same moves, as long as one thread
///   searches and the engine does not change on the way. What `random`, `one-ply` and `mcs` draw
///   depends on the seed and the number of joint moves they were told alone, so a player that is
///   told the moves of a match that was broken off goes on as the first would have.
pub trait Player: Send {
    /// The role it plays.
    fn role(&self) -> Role;

    /// The names of all roles.
    fn roles(&self) -> Vec<String>;

    /// Thinks about the first move until the start clock ends, or until there is nothing more to
    /// find.
    fn start(&mut self, deadline: Instant) -> Result<(), PlayError>;

    /// Its move in the current state. The state does not change before [`told`](Self::told).
    fn play(&mut self, deadline: Instant) -> Result<Answer, PlayError>;

    /// A joint move was played, one text for each role.
    fn told(&mut self, joint_move: &[String]) -> Result<(), PlayError>;

    /// Goes to the state with exactly these fluents; what was found out about other states may be
    /// lost.
    fn go_to(&mut self, facts: &[String]) -> Result<(), PlayError>;

    /// Thinks on in the others' time, until the next call of anything but `report`.
    fn ponder(&mut self);

    /// Whether it ponders and has not found all there is to find.
    fn is_pondering(&self) -> bool;

    /// Stops thinking.
    fn rest(&mut self);

    /// Lets anybody end its work from another thread.
    fn dismissal(&self) -> Dismissal;

    /// Stops thinking for good and waits until its threads have ended, which they do soon.
    fn leave(&mut self);

    /// What it thinks right now, also while it ponders; none before it has thought anything about
    /// the current state.
    fn report(&mut self) -> Option<Report>;

    /// Somebody who sees what it thinks from another thread, also while it is asked for a move.
    fn onlooker(&self) -> Box<dyn Onlooker>;
}

/// Looks over the shoulder of a player. It may outlive the player; then there is nothing new to be
/// seen.
pub trait Onlooker: Send {
    /// What the player thinks right now; none before it has thought anything about the current
    /// state.
    fn report(&mut self) -> Option<Report>;
}

/// Ends the work of a player, from whatever thread and for good: questions to its engine end,
/// whoever waits for a move is given what there is, and nothing is thought about any more.
#[derive(Clone, Debug)]
pub struct Dismissal(pub(super) Arc<Board>);

impl Dismissal {
    /// Dismisses the player.
    pub fn dismiss(&self) {
        self.0.dismiss();
    }
}

/// A move, and what was thought about it.
#[derive(Clone, Debug, Serialize)]
pub struct Answer {
    /// The move in KIF.
    pub text: String,
    /// Its place among the legal moves of the role.
    pub index: usize,
    /// What was thought.
    #[serde(flatten)]
    pub report: Report,
}

/// Why a player could not do what it was asked to.
#[derive(Debug, Error)]
pub enum PlayError {
    /// There is no such role.
    #[error("there is no role number {role}: the game has {count}")]
    UnknownRole {
        /// The number asked for.
        role: Role,
        /// How many there are.
        count: usize,
    },
    /// The engine could not be made for this game.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The rules give no answer.
    #[error(transparent)]
    Reason(#[from] ReasonError),
    /// The role has no legal move: the game is over, or its sheet is at fault.
    #[error("{role} has no legal move here")]
    NoLegalMove {
        /// The role's name.
        role: String,
    },
    /// Not even one legal move was known when the time was up.
    #[error("no move of {role} was known when the time was up")]
    NoMoveKnown {
        /// The role's name.
        role: String,
    },
    /// The system gave no thread.
    #[error("no thread could be started: {0}")]
    Thread(#[from] std::io::Error),
}
