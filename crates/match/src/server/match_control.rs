//! The way to call a match off: [`MatchControl`].

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ludorum_players::CancelHandle;
use tokio_util::sync::CancellationToken;

/// Reaches the thread of a match from outside, whatever it is at. Clones reach the same match.
#[derive(Clone, Debug, Default)]
pub(super) struct MatchControl {
    inner: Arc<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    /// For those who wait for answers.
    off: CancellationToken,
    /// For engines that are at a question.
    flag: Arc<AtomicBool>,
    /// The player, once there is one.
    player: Mutex<Option<CancelHandle>>,
}

impl MatchControl {
    fn player(&self) -> MutexGuard<'_, Option<CancelHandle>> {
        let lock = self.inner.player.lock();
        lock.unwrap_or_else(PoisonError::into_inner)
    }

    /// The match is off: nobody wants to know anything of it any more.
    pub(super) fn cancel(&self) {
        self.inner.flag.store(true, Ordering::Release);
        self.inner.off.cancel();
        self.answer_now();
    }

    /// Lets the player answer with what it has.
    pub(super) fn answer_now(&self) {
        if let Some(player) = &*self.player() {
            player.cancel();
        }
    }

    /// Names the player that is to hear of it.
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

    /// The flag that is set when the match is off.
    pub(super) fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.inner.flag)
    }

    /// Waits until the match is off.
    pub(super) async fn cancelled(&self) {
        self.inner.off.cancelled().await;
    }
}
