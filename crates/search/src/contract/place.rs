//! Where the match is, worked out by the seat or by its mind, whoever was first.
//!
//! Both follow the moves of the match with reasoners of their own. With a slow engine that is hard
//! work, and much of a short clock: what one of them has found out, the other takes over.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ludorum_reasoner::MoveId;

/// A position of the match.
#[derive(Debug)]
pub(crate) struct Place<S> {
    /// How many moves and jumps led to it.
    pub(crate) turn: u64,
    pub(crate) state: S,
    /// The player's own legal moves, all of them, if they are known.
    pub(crate) legal: Option<Vec<MoveId>>,
}

/// The latest position that anybody has worked out. Under its lock nothing is copied or dropped:
/// whoever does that may be kept from the processor meanwhile, and the other waits.
#[derive(Debug)]
pub(crate) struct Latest<S>(Arc<Mutex<Option<Arc<Place<S>>>>>);

impl<S> Clone for Latest<S> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<S> Default for Latest<S> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<S: Clone> Latest<S> {
    fn lock(&self) -> MutexGuard<'_, Option<Arc<Place<S>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The position after so many turns, if somebody has worked it out.
    pub(crate) fn get(&self, turn: u64) -> Option<Arc<Place<S>>> {
        let latest = self.lock();
        latest.as_ref().filter(|place| place.turn == turn).cloned()
    }

    /// Tells a position, unless a later one is known, or this one with more about it.
    pub(crate) fn tell(&self, turn: u64, state: &S, legal: Option<&[MoveId]>) {
        let is_news = |latest: &Option<Arc<Place<S>>>| {
            latest.as_ref().is_none_or(|known| {
                turn > known.turn || turn == known.turn && known.legal.is_none() && legal.is_some()
            })
        };
        if !is_news(&self.lock()) {
            return;
        }
        let place = Arc::new(Place {
            turn,
            state: state.clone(),
            legal: legal.map(<[MoveId]>::to_vec),
        });
        let mut latest = self.lock();
        if is_news(&latest) {
            let old = latest.replace(place);
            drop(latest);
            drop(old);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_newer_or_fuller_is_kept() {
        let latest = Latest::default();
        assert!(latest.get(0).is_none());
        latest.tell(3, &"three", None);
        latest.tell(2, &"two", Some(&[MoveId(1)]));
        assert!(latest.get(2).is_none());
        latest.tell(3, &"three", Some(&[MoveId(7)]));
        latest.tell(3, &"three", None);
        let place = latest.get(3).unwrap();
        assert_eq!(place.state, "three");
        assert_eq!(place.legal.as_deref(), Some(&[MoveId(7)][..]));
        latest.tell(4, &"four", None);
        assert!(latest.get(3).is_none() && latest.get(4).is_some());
    }
}
