//! The best line found so far, shared by all techniques and threads.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use ludorum_reasoner::MoveId;
use serde::Serialize;

/// The technique that found a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SolveMethod {
    /// Beam search with pattern databases in a factored model.
    Factors,
    /// Breadth-first search.
    Breadth,
    /// Depth-first search with iterative deepening.
    Depth,
    /// Monte Carlo tree search that selects by the best value instead of the mean.
    Tree,
    /// Nested rollout policy adaptation.
    Nested,
}

impl SolveMethod {
    /// All methods, in the order of their turns.
    pub const ALL: [Self; 5] = [
        Self::Breadth,
        Self::Factors,
        Self::Depth,
        Self::Tree,
        Self::Nested,
    ];

    /// A name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Factors => "search over independent parts",
            Self::Breadth => "breadth-first search",
            Self::Depth => "depth-first search",
            Self::Tree => "tree search",
            Self::Nested => "nested rollouts",
        }
    }
}

impl fmt::Display for SolveMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A line of play from the root to a terminal state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FoundLine {
    pub(crate) moves: Vec<MoveId>,
    /// The goal value at its end.
    pub(crate) value: u8,
    pub(crate) method: SolveMethod,
}

/// The line with the highest value; of equal values the shortest. Readers compare [`rank`] without
/// taking the lock.
#[derive(Debug, Default)]
pub(crate) struct BestLine {
    /// Value and length in one number, higher is better; 0 if there is no line.
    rank: AtomicU64,
    line: Mutex<Option<FoundLine>>,
}

/// The value in the upper half, the complement of the length in the lower half.
fn rank(value: u8, length: usize) -> u64 {
    (u64::from(value) + 1) << 32 | u64::from(u32::MAX - length.min(u32::MAX as usize) as u32)
}

impl BestLine {
    fn lock(&self) -> MutexGuard<'_, Option<FoundLine>> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The value of the best line.
    pub(crate) fn value(&self) -> Option<u8> {
        let rank = self.rank.load(Ordering::Acquire) >> 32;
        rank.checked_sub(1).map(|value| value as u8)
    }

    /// A number that changes whenever the line changes.
    pub(crate) fn version(&self) -> u64 {
        self.rank.load(Ordering::Acquire)
    }

    /// Whether a line of this value and length would replace the best line.
    pub(crate) fn would_improve(&self, value: u8, length: usize) -> bool {
        rank(value, length) > self.rank.load(Ordering::Acquire)
    }

    /// Offers a line. `moves` is called only if the line is an improvement.
    pub(crate) fn offer(
        &self,
        value: u8,
        length: usize,
        method: SolveMethod,
        moves: impl FnOnce() -> Vec<MoveId>,
    ) {
        if !self.would_improve(value, length) {
            return;
        }
        let mut line = self.lock();
        if self.would_improve(value, length) {
            *line = Some(FoundLine {
                moves: moves(),
                value,
                method,
            });
            self.rank.store(rank(value, length), Ordering::Release);
        }
    }

    /// A copy of the best line.
    pub(crate) fn line(&self) -> Option<FoundLine> {
        self.lock().clone()
    }

    /// Advances by a move of the match. Returns whether the line continues after it; otherwise the
    /// line is dropped.
    pub(crate) fn advance(&self, id: MoveId) -> bool {
        let mut line = self.lock();
        let continues = line
            .as_ref()
            .is_some_and(|line| line.moves.len() > 1 && line.moves[0] == id);
        if continues {
            if let Some(line) = line.as_mut() {
                line.moves.remove(0);
                self.rank
                    .store(rank(line.value, line.moves.len()), Ordering::Release);
            }
        } else {
            *line = None;
            self.rank.store(0, Ordering::Release);
        }
        continues
    }

    /// Drops the line.
    pub(crate) fn clear(&self) {
        *self.lock() = None;
        self.rank.store(0, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moves(numbers: &[u32]) -> Vec<MoveId> {
        numbers.iter().copied().map(MoveId).collect()
    }

    #[test]
    fn the_higher_value_wins_and_then_the_shorter_line() {
        let best = BestLine::default();
        assert_eq!(best.value(), None);
        assert!(best.would_improve(0, 1000));
        best.offer(50, 3, SolveMethod::Tree, || moves(&[1, 2, 3]));
        best.offer(50, 4, SolveMethod::Depth, || moves(&[1, 2, 3, 4]));
        best.offer(40, 1, SolveMethod::Depth, || moves(&[9]));
        assert_eq!(best.line().map(|line| line.moves), Some(moves(&[1, 2, 3])));
        best.offer(50, 2, SolveMethod::Depth, || moves(&[7, 8]));
        assert_eq!(best.value(), Some(50));
        assert_eq!(
            best.line().map(|line| line.method),
            Some(SolveMethod::Depth)
        );
        best.offer(51, 9, SolveMethod::Nested, || moves(&[0; 9]));
        assert_eq!(best.value(), Some(51));
    }

    #[test]
    fn the_line_continues_only_after_its_own_first_move() {
        let best = BestLine::default();
        best.offer(50, 3, SolveMethod::Tree, || moves(&[1, 2, 3]));
        assert!(best.advance(MoveId(1)));
        assert_eq!(best.line().map(|line| line.moves), Some(moves(&[2, 3])));
        assert!(!best.advance(MoveId(3)));
        assert_eq!(best.line(), None);
        assert_eq!(best.value(), None);
    }
}
