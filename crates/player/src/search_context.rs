//! What a searcher is given besides the position: deadline, cancel flag and result slot.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::result_slot::{Generation, ResultSlot};
use crate::search_result::SearchResult;

/// The deadline of a search, its cancel flag, and the slot for its results.
#[derive(Clone, Debug)]
pub struct SearchContext {
    slot: Arc<ResultSlot>,
    generation: Generation,
    /// When the search ends; none while pondering.
    pub deadline: Option<Instant>,
}

impl SearchContext {
    pub(crate) fn new(
        slot: Arc<ResultSlot>,
        generation: Generation,
        deadline: Option<Instant>,
    ) -> Self {
        Self {
            slot,
            generation,
            deadline,
        }
    }

    /// A context with a result slot of its own, for a search outside of a player. The flag
    /// cancels it.
    pub fn detached(cancelled: Arc<AtomicBool>, deadline: Option<Instant>) -> Self {
        let generation = Generation {
            outdated: cancelled,
            ..Generation::default()
        };
        Self::new(Arc::default(), generation, deadline)
    }

    /// Whether the player still waits for this search.
    #[inline]
    pub fn is_current(&self) -> bool {
        !self.generation.outdated.load(Ordering::Acquire)
    }

    /// The flag that is set when the search is cancelled, for engines to poll.
    pub fn cancel_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.generation.outdated)
    }

    /// Whether the search is cancelled or its deadline has passed.
    #[inline]
    pub fn is_over(&self) -> bool {
        !self.is_current()
            || self
                .deadline
                .is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Publishes a result, which replaces the one before.
    pub fn publish(&self, result: SearchResult) {
        self.slot.publish(self.generation.number, result);
    }

    /// Marks the search as finished, with the error that ended it, if any.
    pub(crate) fn finish(&self, error: Option<String>) {
        self.slot.finish(self.generation.number, error);
    }

    /// The result that was published last.
    pub fn result(&self) -> Option<Arc<SearchResult>> {
        self.slot.read().0
    }
}

#[cfg(test)]
mod tests {
    use ludorum_reasoner::MoveId;

    use super::*;

    #[test]
    fn a_context_is_over_when_it_is_cancelled_or_late() {
        let flag = Arc::new(AtomicBool::new(false));
        let context = SearchContext::detached(Arc::clone(&flag), None);
        assert!(!context.is_over() && context.result().is_none());
        context.publish(SearchResult::of_move(MoveId(3)));
        let result = context.result();
        assert_eq!(result.map(|result| result.choice), Some(MoveId(3)));
        let late = SearchContext::detached(Arc::clone(&flag), Some(Instant::now()));
        assert!(late.is_over() && late.is_current());
        flag.store(true, Ordering::Release);
        assert!(context.is_over() && !context.is_current());
    }
}
