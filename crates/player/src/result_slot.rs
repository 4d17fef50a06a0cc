//! The slot through which a searcher hands its results to the player.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::search_result::SearchResult;

/// The latest search result, shared by a player and its searcher. Every command of the player opens
/// a new generation; what is written for an older generation is dropped.
#[derive(Debug, Default)]
pub(crate) struct ResultSlot {
    content: Mutex<Content>,
    changed: Condvar,
    /// Set when the player is cancelled for good.
    cancelled: Arc<AtomicBool>,
}

#[derive(Debug, Default)]
struct Content {
    generation: u64,
    /// When the generation was opened.
    started: Option<Instant>,
    /// Shared, because a result over thousands of moves is large and must not be copied under the
    /// lock.
    result: Option<Arc<SearchResult>>,
    done: bool,
    error: Option<String>,
    /// The cancel flag of the generation. Engines poll it, so a long query ends as soon as the next
    /// generation is opened.
    outdated: Arc<AtomicBool>,
}

/// A generation of the slot, and the flag that is set when the next one is opened.
#[derive(Clone, Debug, Default)]
pub(crate) struct Generation {
    pub(crate) number: u64,
    pub(crate) outdated: Arc<AtomicBool>,
}

impl ResultSlot {
    fn lock(&self) -> MutexGuard<'_, Content> {
        self.content.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens a new generation, which cancels a search for the current one.
    pub(crate) fn advance(&self) -> Generation {
        let mut content = self.lock();
        let number = content.generation + 1;
        content.outdated.store(true, Ordering::Release);
        let is_cancelled = self.cancelled.load(Ordering::Acquire);
        let outdated = Arc::new(AtomicBool::new(is_cancelled));
        let new = Content {
            generation: number,
            started: Some(Instant::now()),
            done: is_cancelled,
            outdated: Arc::clone(&outdated),
            ..Content::default()
        };
        let old = std::mem::replace(&mut *content, new);
        // Drop the old result outside the lock.
        drop(content);
        drop(old);
        Generation { number, outdated }
    }

    /// Cancels the current and every later generation. Waiting threads return with the result so
    /// far.
    pub(crate) fn cancel(&self) {
        self.cancelled.store(true, Ordering::Release);
        let mut content = self.lock();
        content.outdated.store(true, Ordering::Release);
        content.done = true;
        drop(content);
        self.changed.notify_all();
    }

    /// The flag that [`cancel`](Self::cancel) sets.
    pub(crate) fn cancel_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.cancelled)
    }

    /// When the current generation was opened.
    pub(crate) fn started(&self) -> Option<Instant> {
        self.lock().started
    }

    /// Waits until the search of the current generation is finished, at most until a deadline.
    /// Gives the result and the error.
    pub(crate) fn wait(&self, deadline: Instant) -> (Option<Arc<SearchResult>>, Option<String>) {
        let mut content = self.lock();
        while !content.done {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            content = self
                .changed
                .wait_timeout(content, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
        (content.result.clone(), content.error.clone())
    }

    /// The result and the error of the current generation so far.
    pub(crate) fn read(&self) -> (Option<Arc<SearchResult>>, Option<String>) {
        let content = self.lock();
        (content.result.clone(), content.error.clone())
    }

    /// Whether the search of the current generation is finished.
    pub(crate) fn is_done(&self) -> bool {
        self.lock().done
    }

    /// Replaces the result of a generation, if it is still the current one.
    pub(crate) fn publish(&self, generation: u64, result: SearchResult) {
        let result = Arc::new(result);
        self.write(generation, |content| content.result.replace(result));
    }

    /// Marks a generation as finished, if it is still the current one.
    pub(crate) fn finish(&self, generation: u64, error: Option<String>) {
        self.write(generation, |content| {
            content.done = true;
            content.error = error;
        });
    }

    /// Changes the content if the generation is still the current one. The lock is released before
    /// the old value is dropped and before waiting threads are notified: on a busy machine a
    /// notified thread may run at once and block on the lock.
    fn write<T>(&self, generation: u64, change: impl FnOnce(&mut Content) -> T) {
        let mut content = self.lock();
        if content.generation == generation {
            let old = change(&mut content);
            drop(content);
            self.changed.notify_all();
            drop(old);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use ludorum_reasoner::MoveId;

    use super::*;

    #[test]
    fn a_result_for_an_older_generation_is_dropped() {
        let slot = ResultSlot::default();
        let old = slot.advance();
        assert!(!old.outdated.load(Ordering::Acquire));
        let new = slot.advance();
        assert!(old.outdated.load(Ordering::Acquire));
        slot.publish(old.number, SearchResult::of_move(MoveId(1)));
        assert!(slot.read().0.is_none());
        assert!(!slot.is_done());
        slot.publish(new.number, SearchResult::of_move(MoveId(2)));
        slot.finish(new.number, None);
        let (result, error) = slot.wait(Instant::now());
        assert_eq!(result.map(|result| result.choice), Some(MoveId(2)));
        assert_eq!(error, None);
        assert!(slot.is_done());
    }

    #[test]
    fn after_cancel_no_search_goes_on_and_no_thread_waits() {
        let slot = ResultSlot::default();
        let generation = slot.advance();
        slot.publish(generation.number, SearchResult::of_move(MoveId(1)));
        slot.cancel();
        assert!(generation.outdated.load(Ordering::Acquire));
        let far = Instant::now() + Duration::from_hours(1);
        let (result, _) = slot.wait(far);
        assert_eq!(result.map(|result| result.choice), Some(MoveId(1)));
        let later = slot.advance();
        assert!(later.outdated.load(Ordering::Acquire) && slot.wait(far).0.is_none());
    }
}
