//! A cache of drawn positions of a match, so that many watchers cost one drawing.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::pictures::RenderedState;

/// Capacity of the cache.
const CAPACITY: usize = 64;

/// The position, and for whom it is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BoardKey {
    pub(super) round: u32,
    pub(super) step: u32,
    /// The role of a viewer who may move.
    pub(super) mover: Option<usize>,
    /// Whether the match ended in this position.
    pub(super) over: bool,
}

type Slot = Arc<OnceLock<Arc<RenderedState>>>;

/// The most recently drawn positions.
#[derive(Debug, Default)]
pub(super) struct BoardCache {
    kept: Mutex<VecDeque<(BoardKey, Slot)>>,
}

impl BoardCache {
    /// A drawn position; concurrent callers wait for the first.
    pub(super) fn get(
        &self,
        key: BoardKey,
        draw: impl FnOnce() -> RenderedState,
    ) -> Arc<RenderedState> {
        let slot = {
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            let known = kept.iter().find(|(known, _)| *known == key);
            if let Some((_, slot)) = known {
                Arc::clone(slot)
            } else {
                let slot = Slot::default();
                kept.push_back((key, Arc::clone(&slot)));
                if kept.len() > CAPACITY {
                    kept.pop_front();
                }
                slot
            }
        };
        Arc::clone(slot.get_or_init(|| Arc::new(draw())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_is_drawn_once_for_all_viewers() {
        let boards = BoardCache::default();
        let key = |step| BoardKey {
            round: 0,
            step,
            mover: None,
            over: false,
        };
        let mut drawn = 0;
        for step in [1, 1, 2, 1] {
            boards.get(key(step), || {
                drawn += 1;
                RenderedState::default()
            });
        }
        assert_eq!(drawn, 2);
        for step in 0..200 {
            boards.get(key(step), RenderedState::default);
        }
        assert!(boards.kept.lock().unwrap().len() <= CAPACITY);
    }
}
