//! The contract that every player keeps: [`Player`].

use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use ludorum_reasoner::{ReasonError, Role};
use serde::Serialize;
use thiserror::Error;

use crate::report::Report;
use crate::result_slot::ResultSlot;

/// A player of one role in one match.
///
/// # The contract
/// - A player begins at the initial state, or where [`set_state`](Self::set_state) puts it, and
///   advances by the joint moves given to [`apply_joint_move`](Self::apply_joint_move).
/// - [`play`](Self::play) answers with a legal move no later than 50 ms after the deadline,
///   whatever the engine does. A role with one legal move answers at once.
/// - The next `play` computes the state after the joint moves, so it is the one that reports a
///   joint move which is not legal.
/// - Between `play` and `apply_joint_move` a player is idle unless
///   [`ponder`](Self::ponder) is called.
/// - The same spec, seed and simulation budget give the same moves, as long as one thread searches
///   and the engine does not change during the match. What `random`, `one-ply` and `mcs` draw
///   depends only on the seed and the number of joint moves so far, so a player that is given the
///   moves of an interrupted match goes on as the first one would have.
pub trait Player: Send {
    /// The role it plays.
    fn role(&self) -> Role;

    /// The names of all roles.
    fn roles(&self) -> Vec<String>;

    /// Searches the initial position until the start clock ends, or until nothing is left to find.
    fn start(&mut self, deadline: Instant) -> Result<(), PlayError>;

    /// Its move in the current state. The state does not change before
    /// [`apply_joint_move`](Self::apply_joint_move).
    fn play(&mut self, deadline: Instant) -> Result<Answer, PlayError>;

    /// Advances by a joint move, one text for each role.
    fn apply_joint_move(&mut self, joint_move: &[String]) -> Result<(), PlayError>;

    /// Goes to the state with exactly these fluents; what was learned about other states may be
    /// lost.
    fn set_state(&mut self, facts: &[String]) -> Result<(), PlayError>;

    /// Searches in the opponents' time, until the next call of any method but `report`.
    fn ponder(&mut self);

    /// Whether it ponders and something is left to find.
    fn is_pondering(&self) -> bool;

    /// Stops pondering.
    fn stop(&mut self);

    /// A handle that cancels the player from another thread.
    fn cancel_handle(&self) -> CancelHandle;

    /// Cancels the player and waits until its threads have ended, which they do soon.
    fn shut_down(&mut self);

    /// The report of the search so far, also while it ponders; none before the search of the
    /// current state has a result.
    fn report(&mut self) -> Option<Report>;

    /// An observer that reads the reports from another thread, also during `play`.
    fn report_observer(&self) -> Box<dyn ReportObserver>;
}

/// Reads the reports of a player from any thread. It may outlive the player; the report does not
/// change then.
pub trait ReportObserver: Send {
    /// The report of the search so far; none before the search of the current state has a result.
    fn report(&mut self) -> Option<Report>;
}

/// Cancels a player from any thread and for good: queries to its engine end, a pending
/// [`Player::play`] returns with the result so far, and later searches end at once.
#[derive(Clone, Debug)]
pub struct CancelHandle(pub(crate) Arc<ResultSlot>);

impl CancelHandle {
    /// Cancels the player.
    pub fn cancel(&self) {
        self.0.cancel();
    }
}

/// A move, and the report of the search that chose it.
#[derive(Clone, Debug, Serialize)]
pub struct Answer {
    /// The move in KIF.
    pub text: String,
    /// Its index among the legal moves of the role.
    pub index: usize,
    /// The report.
    #[serde(flatten)]
    pub report: Report,
}

/// Why a player could not be made or could not answer.
#[derive(Debug, Error)]
pub enum PlayError {
    /// There is no such role.
    #[error("there is no role number {role}: the game has {count}")]
    UnknownRole {
        /// The requested role number.
        role: Role,
        /// How many roles there are.
        count: usize,
    },
    /// The engine could not be made for this game.
    #[error(transparent)]
    Engine(Box<dyn Error + Send + Sync>),
    /// The reasoner failed.
    #[error(transparent)]
    Reason(#[from] ReasonError),
    /// The role has no legal move: the match is over, or the rules are wrong.
    #[error("{role} has no legal move here")]
    NoLegalMove {
        /// The role's name.
        role: String,
    },
    /// Not even one legal move was known at the deadline.
    #[error("no move of {role} was known when the time was up")]
    NoMoveKnown {
        /// The role's name.
        role: String,
    },
    /// The operating system gave no thread.
    #[error("no thread could be started: {0}")]
    Thread(#[from] std::io::Error),
}

impl PlayError {
    /// The error of an engine that could not be made.
    pub fn engine(error: impl Error + Send + Sync + 'static) -> Self {
        Self::Engine(Box::new(error))
    }
}
