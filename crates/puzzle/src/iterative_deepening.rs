//! All positions, each line to its end.
//!
//! Depth-first search with a bound on the depth that grows while there is something beyond it, as
//! in IDA*. A position that was come by before with as many steps left is not looked at again. The
//! table of positions has half of the memory; when it is full, what is new is not remembered, so
//! some positions are looked at again and none is left out. The positions of the line have the
//! other half, which bounds the depth as well. When all lines have come to their end, the best one
//! is the best there is.

use ludorum_reasoner::{MoveId, ReasonError, Reasoner, Rng};
use rustc_hash::FxHashMap;

use crate::best_line::SolveMethod;
use crate::memory_estimate;
use crate::rule_analysis::ROLE;
use crate::technique::{Technique, TechniqueContext, TechniqueStatus};

/// The bound on the depth at first: most puzzles have an end before.
const INITIAL_DEPTH_LIMIT: u32 = 64;
/// The bytes of a position in the table.
const ENTRY_BYTES: usize = size_of::<(u128, u32)>();

#[derive(Debug)]
struct Frame<S> {
    state: S,
    /// Moves yet to be tried, the next last.
    moves: Vec<MoveId>,
    /// What it takes, its place in the line included.
    bytes: usize,
}

/// Depth-first search.
#[derive(Debug)]
pub(crate) struct IterativeDeepening<S> {
    frames: Vec<Frame<S>>,
    /// The moves to the last frame.
    line: Vec<MoveId>,
    depth_limit: u32,
    /// Whether the bound has cut anything.
    was_cut: bool,
    /// Whether the memory has, so that going deeper would lead nowhere.
    is_full: bool,
    /// The bytes of all frames.
    frame_bytes: usize,
    /// The steps that were left at each position.
    searched_depths: FxHashMap<u128, u32>,
    rng: Rng,
    max_bytes: usize,
    has_begun: bool,
}

impl<S> IterativeDeepening<S> {
    pub(crate) fn new(max_bytes: usize, seed: u64) -> Self {
        Self {
            frames: Vec::new(),
            line: Vec::new(),
            depth_limit: INITIAL_DEPTH_LIMIT,
            was_cut: false,
            is_full: false,
            frame_bytes: 0,
            searched_depths: FxHashMap::default(),
            rng: Rng::new(seed),
            max_bytes,
            has_begun: false,
        }
    }
}

impl<S: Clone> IterativeDeepening<S> {
    /// Goes to a position that is to be looked at.
    fn visit<R: Reasoner<State = S>>(
        &mut self,
        context: &mut TechniqueContext<'_, R>,
        state: S,
    ) -> Result<(), ReasonError> {
        let depth = self.line.len();
        if context.reasoner.is_terminal(&state)? {
            let value = context.goal_value(&state)?;
            context
                .best
                .offer(value, depth, SolveMethod::Depth, || self.line.clone());
            self.line.pop();
            return Ok(());
        }
        let left = self.depth_limit.saturating_sub(depth as u32);
        if left == 0 {
            self.was_cut = true;
            self.line.pop();
            return Ok(());
        }
        let mut moves = Vec::new();
        context.reasoner.legal_moves(&state, ROLE, &mut moves)?;
        for i in (1..moves.len()).rev() {
            moves.swap(i, self.rng.below(i + 1));
        }
        // The lists of frames and moves may be longer than needed, and are there twice while they
        // grow.
        let bytes = context.reasoner.state_bytes(&state)
            + 3 * (size_of::<Frame<S>>() + size_of::<MoveId>())
            + moves.capacity() * size_of::<MoveId>();
        if self.frame_bytes + bytes > self.max_bytes / 2 {
            self.was_cut = true;
            self.is_full = true;
            self.line.pop();
            return Ok(());
        }
        self.frame_bytes += bytes;
        self.frames.push(Frame {
            state,
            moves,
            bytes,
        });
        Ok(())
    }

    /// Whether a position was looked at with as many steps left; if not, it will have been.
    fn is_searched(&mut self, key: u128, left: u32) -> bool {
        if let Some(known) = self.searched_depths.get_mut(&key) {
            if *known >= left {
                return true;
            }
            *known = left;
            return false;
        }
        let (len, capacity) = (self.searched_depths.len(), self.searched_depths.capacity());
        if memory_estimate::hash_table_bytes(len, capacity, 1, ENTRY_BYTES) <= self.max_bytes / 2 {
            self.searched_depths.insert(key, left);
        }
        false
    }
}

impl<R: Reasoner> Technique<R> for IterativeDeepening<R::State> {
    fn method(&self) -> SolveMethod {
        SolveMethod::Depth
    }

    fn work(
        &mut self,
        context: &mut TechniqueContext<'_, R>,
        quota: u64,
    ) -> Result<TechniqueStatus, ReasonError> {
        let end = context.positions + quota;
        while context.positions < end && !context.should_stop() {
            let Some(frame) = self.frames.last_mut() else {
                if self.has_begun {
                    if !self.was_cut {
                        return Ok(TechniqueStatus::Proven);
                    }
                    if self.is_full {
                        return Ok(TechniqueStatus::Finished);
                    }
                    self.depth_limit = self.depth_limit.saturating_mul(2);
                }
                self.has_begun = true;
                self.was_cut = false;
                self.line.clear();
                self.searched_depths.clear();
                let root = context.root.clone();
                if let Err(error) = self.visit(context, root) {
                    self.has_begun = false;
                    return Err(error);
                }
                continue;
            };
            let Some(id) = frame.moves.last().copied() else {
                let bytes = self.frames.pop().map_or(0, |frame| frame.bytes);
                self.frame_bytes -= bytes;
                self.line.pop();
                continue;
            };
            let state = frame.state.clone();
            let next = context.next(&state, id)?;
            context.simulations += 1;
            let key = context.reasoner.key(&next);
            let left = self.depth_limit.saturating_sub(self.line.len() as u32 + 1);
            if !self.is_searched(key, left) {
                self.line.push(id);
                let depth = self.frames.len();
                if let Err(error) = self.visit(context, next) {
                    // It is tried again the next time.
                    self.line.pop();
                    self.searched_depths.remove(&key);
                    return Err(error);
                }
                if let Some(frame) = self.frames.get_mut(depth - 1) {
                    frame.moves.pop();
                }
            } else if let Some(frame) = self.frames.last_mut() {
                frame.moves.pop();
            }
        }
        Ok(TechniqueStatus::Running)
    }

    fn size(&self) -> (u64, u64) {
        let (searched_depths, capacity) =
            (self.searched_depths.len(), self.searched_depths.capacity());
        let bytes = memory_estimate::hash_table_bytes(searched_depths, capacity, 0, ENTRY_BYTES)
            + self.frame_bytes;
        (searched_depths as u64, bytes as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{TestPuzzle, history_puzzle};

    #[test]
    fn positions_on_the_line_count_as_well() {
        let most = 32 << 10;
        let mut puzzle = TestPuzzle::new(&history_puzzle(60));
        let mut context = puzzle.context();
        let mut depth = IterativeDeepening::new(most, 1);
        let mut progress = TechniqueStatus::Running;
        for _ in 0..50 {
            progress = depth.work(&mut context, 100).unwrap();
            let frames = depth.frames.iter();
            let states = frames.map(|frame| context.reasoner.state_bytes(&frame.state));
            let states: usize = states.sum();
            let table = memory_estimate::hash_table_bytes(
                depth.searched_depths.len(),
                depth.searched_depths.capacity(),
                0,
                ENTRY_BYTES,
            );
            assert!(states + table <= most, "{states} and {table}");
            if progress != TechniqueStatus::Running {
                break;
            }
        }
        assert!(depth.is_full, "the end is deeper than the memory reaches");
        assert_ne!(progress, TechniqueStatus::Proven);
    }

    #[test]
    fn with_enough_memory_the_best_line_is_proven() {
        let mut puzzle = TestPuzzle::new(&history_puzzle(5));
        let mut context = puzzle.context();
        let mut depth = IterativeDeepening::new(1 << 20, 1);
        while depth.work(&mut context, 100).unwrap() == TechniqueStatus::Running {}
        assert_eq!(context.best.value(), Some(70));
        assert!(!depth.is_full && depth.frame_bytes == 0);
    }
}
