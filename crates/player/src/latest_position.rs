//! The current position of the match, shared by a player and its searcher.
//!
//! Both follow the moves of the match with reasoners of their own. On a slow engine that takes much
//! of a short clock, so each takes over what the other has already computed.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ludorum_reasoner::MoveId;

/// A position of the match.
#[derive(Debug)]
pub(crate) struct KnownPosition<S> {
    /// How many joint moves and state changes led to it.
    pub(crate) step: u64,
    pub(crate) state: S,
    /// All legal moves of the player's own role, if they are known.
    pub(crate) legal: Option<Vec<MoveId>>,
}

/// The latest position that either thread has computed. Nothing is copied or dropped under the
/// lock: a thread that is preempted while it holds the lock would block the other.
#[derive(Debug)]
pub(crate) struct LatestPosition<S>(Arc<Mutex<Option<Arc<KnownPosition<S>>>>>);

impl<S> Clone for LatestPosition<S> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<S> Default for LatestPosition<S> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<S: Clone> LatestPosition<S> {
    fn lock(&self) -> MutexGuard<'_, Option<Arc<KnownPosition<S>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The position at a step, if it is the latest known one.
    pub(crate) fn get(&self, step: u64) -> Option<Arc<KnownPosition<S>>> {
        let latest = self.lock();
        latest.as_ref().filter(|known| known.step == step).cloned()
    }

    /// Stores a position, unless a later one is known, or the same one with its legal moves.
    pub(crate) fn update(&self, step: u64, state: &S, legal: Option<&[MoveId]>) {
        let is_news = |latest: &Option<Arc<KnownPosition<S>>>| {
            latest.as_ref().is_none_or(|known| {
                step > known.step || step == known.step && known.legal.is_none() && legal.is_some()
            })
        };
        if !is_news(&self.lock()) {
            return;
        }
        let position = Arc::new(KnownPosition {
            step,
            state: state.clone(),
            legal: legal.map(<[MoveId]>::to_vec),
        });
        let mut latest = self.lock();
        if is_news(&latest) {
            let old = latest.replace(position);
            drop(latest);
            drop(old);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_later_or_more_complete_position_replaces_the_known_one() {
        let latest = LatestPosition::default();
        assert!(latest.get(0).is_none());
        latest.update(3, &"three", None);
        latest.update(2, &"two", Some(&[MoveId(1)]));
        assert!(latest.get(2).is_none());
        latest.update(3, &"three", Some(&[MoveId(7)]));
        latest.update(3, &"three", None);
        let known = latest.get(3).unwrap();
        assert_eq!(known.state, "three");
        assert_eq!(known.legal.as_deref(), Some(&[MoveId(7)][..]));
        latest.update(4, &"four", None);
        assert!(latest.get(3).is_none() && latest.get(4).is_some());
    }
}
