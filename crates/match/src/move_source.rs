//! Participants in this process that are neither a built-in player nor a server, such as a person:
//! [`CustomPlayer`] and its [`MoveSource`].

use std::fmt;
use std::sync::Arc;

use futures_util::future::BoxFuture;

/// A request for a move.
#[derive(Clone, Debug)]
pub struct MoveRequest {
    /// The role to move.
    pub role: usize,
    /// The step, from 0.
    pub step: u32,
    /// The legal moves of the role.
    pub legal: Vec<String>,
}

/// Supplies the moves of a [`CustomPlayer`].
///
/// The manager treats its answers like any other: an illegal move is replaced by a random one and
/// recorded as an error. An implementation should therefore check moves before it returns them.
pub trait MoveSource: Send + Sync {
    /// The move. The future is dropped when the answer is not needed any more.
    fn play(&self, request: MoveRequest) -> BoxFuture<'_, String>;

    /// Completes when the player resigns, and never otherwise. It is called again when a match is
    /// resumed.
    fn resignation(&self) -> BoxFuture<'_, ()>;
}

/// A participant whose moves come from a [`MoveSource`].
#[derive(Clone)]
pub struct CustomPlayer {
    /// The name in records.
    pub name: String,
    /// Whether the play clock applies; for people it usually does not.
    pub is_timed: bool,
    /// The source of the moves.
    pub source: Arc<dyn MoveSource>,
}

impl fmt::Debug for CustomPlayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CustomPlayer").field(&self.name).finish()
    }
}

impl PartialEq for CustomPlayer {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && Arc::ptr_eq(&self.source, &other.source)
    }
}
