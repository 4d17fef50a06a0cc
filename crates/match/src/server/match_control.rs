//! Cancelling a match from outside its thread: [`MatchControl`].

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ludorum_players::CancelHandle;
use tokio_util::sync::CancellationToken;

/// Handle that cancels a match or makes its player answer at once. It works from any thread,
/// whatever the match thread is doing. Clones control the same match.
#[derive(Clone, Debug, Default)]
pub(super) struct MatchControl {
    inner: Arc<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    /// Wakes tasks that wait for an answer of the match.
    off: CancellationToken,
    /// Cancel flag that engines poll.
    flag: Arc<AtomicBool>,
    /// Cancel handle of the player, once the player exists.
    player: Mutex<Option<CancelHandle>>,
}

impl MatchControl {
    fn player(&self) -> MutexGuard<'_, Option<CancelHandle>> {
        let lock = self.inner.player.lock();
        lock.unwrap_or_else(PoisonError::into_inner)
    }

    /// Cancels the match: its answers are not needed any more.
    pub(super) fn cancel(&self) {
        self.inner.flag.store(true, Ordering::Release);
        self.inner.off.cancel();
        self.answer_now();
    }

    /// Ends the search, so that the player answers with its best move so far.
    pub(super) fn answer_now(&self) {
        if let Some(player) = &*self.player() {
            player.cancel();
        }
    }

    /// Registers the player's handle. If the match is cancelled already, the player is cancelled at
    /// once.
    pub(super) fn reach(&self, player: CancelHandle) {
        let mut place = self.player();
        if self.is_cancelled() {
            player.cancel();
        }
        *place = Some(player);
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.inner.flag.load(Ordering::Acquire)
    }

    /// The flag that is set when the match is cancelled.
    pub(super) fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.inner.flag)
    }

    /// Waits until the match is cancelled.
    pub(super) async fn cancelled(&self) {
        self.inner.off.cancelled().await;
    }
}
