//! Depth-first search with iterative deepening (Korf 1985) and a transposition table.
//!
//! The depth limit doubles as long as it cuts something. A position that was searched with at least
//! as many steps left is not searched again. The table may use half of the memory. When it is full,
//! new positions are not stored, so that some are searched again but none is left out. The stack of
//! positions may use the other half, which limits the depth as well. If a search ends without a
//! cut, the best line is optimal.

use ludorum_reasoner::{MoveId, ReasonError, Reasoner, Rng};
use rustc_hash::FxHashMap;

use crate::best_line::SolveMethod;
use crate::memory_estimate;
use crate::rule_analysis::ROLE;
use crate::technique::{Technique, TechniqueContext, TechniqueStatus};

/// Initial depth limit; most puzzles end earlier.
const INITIAL_DEPTH_LIMIT: u32 = 64;
/// Bytes of a position in the table.
const ENTRY_BYTES: usize = size_of::<(u128, u32)>();

/// A position on the stack.
#[derive(Debug)]
struct Frame<S> {
    state: S,
    /// Moves that are not yet tried; the next one is the last.
    moves: Vec<MoveId>,
    /// Bytes of the frame, including its entries in the lists.
    bytes: usize,
}

/// The state of the search.
#[derive(Debug)]
pub(crate) struct IterativeDeepening<S> {
    frames: Vec<Frame<S>>,
    /// The moves from the root to the last frame.
    line: Vec<MoveId>,
    depth_limit: u32,
    /// Whether the depth limit or the memory has cut a line.
    was_cut: bool,
    /// Whether the memory has cut a line; then a larger depth limit is useless.
    is_full: bool,
    /// The bytes of all frames.
    frame_bytes: usize,
    /// For each position the largest number of steps left with which it was searched.
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
    /// Enters a position: offers the line if it is terminal, otherwise pushes a frame.
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
        // The lists of frames and moves can have unused capacity and exist twice while they grow.
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

    /// Whether a position was searched with at least this number of steps left. If not, it is
    /// recorded as searched.
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
                    // The move is tried again at the next call.
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
        let (entries, capacity) = (self.searched_depths.len(), self.searched_depths.capacity());
        let bytes =
            memory_estimate::hash_table_bytes(entries, capacity, 0, ENTRY_BYTES) + self.frame_bytes;
        (entries as u64, bytes as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{TestPuzzle, history_puzzle};

    #[test]
    fn the_stack_counts_towards_the_memory() {
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
    fn an_exhausted_search_finds_the_optimal_line() {
        let mut puzzle = TestPuzzle::new(&history_puzzle(5));
        let mut context = puzzle.context();
        let mut depth = IterativeDeepening::new(1 << 20, 1);
        while depth.work(&mut context, 100).unwrap() == TechniqueStatus::Running {}
        assert_eq!(context.best.value(), Some(70));
        assert!(!depth.is_full && depth.frame_bytes == 0);
    }
}
