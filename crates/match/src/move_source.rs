//! Somebody who plays without being a player of ours or a server: [`CustomPlayer`], a person at a screen
//! for instance.

use std::fmt;
use std::sync::Arc;

use futures_util::future::BoxFuture;

/// What a guest is asked.
#[derive(Clone, Debug)]
pub struct MoveRequest {
    /// The role that it plays.
    pub role: usize,
    /// The step that is being played, from 0.
    pub step: u32,
    /// Its legal moves.
    pub legal: Vec<String>,
}

/// A source that a guest sits on: how it is asked for moves.
///
/// The manager holds a guest to the rules as it does everybody: what is no legal move is answered
/// with a random one and written down as an error. So whoever implements this should look at the
/// answer before it is given, and ask again.
pub trait MoveSource: Send + Sync {
    /// The guest's move. The future is dropped when nobody waits for the answer any more.
    fn play(&self, request: MoveRequest) -> BoxFuture<'_, String>;

    /// Ends when the guest gives the match up; never if it does not. May be asked again after the
    /// match was taken up again.
    fn resignation(&self) -> BoxFuture<'_, ()>;
}

/// Somebody on a [`MoveSource`].
#[derive(Clone)]
pub struct CustomPlayer {
    /// Its name, as records tell it.
    pub name: String,
    /// Whether the play clock holds for it too; people are not hurried unless they want to be.
    pub is_timed: bool,
    /// How it is asked.
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
