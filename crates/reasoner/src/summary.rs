//! What the rules say about a state.

use crate::goal::Goal;
use crate::ids::MoveId;

/// What the rules derive from a state: whether it is terminal, the goals and the legal moves.
///
/// A state ([`Reasoner::State`](crate::Reasoner::State)) is a set of fluents and nothing else. A
/// summary holds the answers that follow from that set. It has no fluents and no successor.
/// [`Reasoner::summaries`](crate::Reasoner::summaries) computes the summaries of many states at
/// once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateSummary {
    /// Whether the state is terminal.
    pub terminal: bool,
    /// The goal of each role.
    pub goals: Vec<Goal>,
    /// The legal moves of each role, sorted by their KIF text.
    pub legal: Vec<Vec<MoveId>>,
}
