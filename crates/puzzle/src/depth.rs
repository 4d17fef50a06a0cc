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

use super::best::Method;
use super::desk::{Desk, Progress, ROLE, Technique};
use super::room;

/// The bound on the depth at first: most puzzles have an end before.
const FIRST: u32 = 64;
/// The bytes of a position in the table.
const ENTRY: usize = size_of::<(u128, u32)>();

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
pub(super) struct Depth<S> {
    frames: Vec<Frame<S>>,
    /// The moves to the last frame.
    line: Vec<MoveId>,
    bound: u32,
    /// Whether the bound has cut anything.
    was_cut: bool,
    /// Whether the memory has, so that going deeper would lead nowhere.
    is_full: bool,
    /// The bytes of all frames.
    held: usize,
    /// The steps that were left at each position.
    seen: FxHashMap<u128, u32>,
    rng: Rng,
    most_bytes: usize,
    has_begun: bool,
}

impl<S> Depth<S> {
    pub(super) fn new(most_bytes: usize, seed: u64) -> Self {
        Self {
            frames: Vec::new(),
            line: Vec::new(),
            bound: FIRST,
            was_cut: false,
            is_full: false,
            held: 0,
            seen: FxHashMap::default(),
            rng: Rng::new(seed),
            most_bytes,
            has_begun: false,
        }
    }
}

impl<S: Clone> Depth<S> {
    /// Goes to a position that is to be looked at.
    fn enter<R: Reasoner<State = S>>(
        &mut self,
        desk: &mut Desk<'_, R>,
        state: S,
    ) -> Result<(), ReasonError> {
        let depth = self.line.len();
        if desk.reasoner.is_terminal(&state)? {
            let value = desk.value(&state)?;
            desk.best
                .offer(value, depth, Method::Depth, || self.line.clone());
            self.line.pop();
            return Ok(());
        }
        let left = self.bound.saturating_sub(depth as u32);
        if left == 0 {
            self.was_cut = true;
            self.line.pop();
            return Ok(());
        }
        let mut moves = Vec::new();
        desk.reasoner.legal_moves(&state, ROLE, &mut moves)?;
        for i in (1..moves.len()).rev() {
            moves.swap(i, self.rng.below(i + 1));
        }
        // The lists of frames and moves may be longer than needed, and are there twice while they
        // grow.
        let bytes = desk.reasoner.state_bytes(&state)
            + 3 * (size_of::<Frame<S>>() + size_of::<MoveId>())
            + moves.capacity() * size_of::<MoveId>();
        if self.held + bytes > self.most_bytes / 2 {
            self.was_cut = true;
            self.is_full = true;
            self.line.pop();
            return Ok(());
        }
        self.held += bytes;
        self.frames.push(Frame {
            state,
            moves,
            bytes,
        });
        Ok(())
    }

    /// Whether a position was looked at with as many steps left; if not, it will have been.
    fn is_known(&mut self, key: u128, left: u32) -> bool {
        if let Some(known) = self.seen.get_mut(&key) {
            if *known >= left {
                return true;
            }
            *known = left;
            return false;
        }
        let (len, capacity) = (self.seen.len(), self.seen.capacity());
        if room::table(len, capacity, 1, ENTRY) <= self.most_bytes / 2 {
            self.seen.insert(key, left);
        }
        false
    }
}

impl<R: Reasoner> Technique<R> for Depth<R::State> {
    fn method(&self) -> Method {
        Method::Depth
    }

    fn work(&mut self, desk: &mut Desk<'_, R>, quota: u64) -> Result<Progress, ReasonError> {
        let end = desk.positions + quota;
        while desk.positions < end && !desk.is_over() {
            let Some(frame) = self.frames.last_mut() else {
                if self.has_begun {
                    if !self.was_cut {
                        return Ok(Progress::Proven);
                    }
                    if self.is_full {
                        return Ok(Progress::Done);
                    }
                    self.bound = self.bound.saturating_mul(2);
                }
                self.has_begun = true;
                self.was_cut = false;
                self.line.clear();
                self.seen.clear();
                let root = desk.root.clone();
                if let Err(error) = self.enter(desk, root) {
                    self.has_begun = false;
                    return Err(error);
                }
                continue;
            };
            let Some(id) = frame.moves.last().copied() else {
                let bytes = self.frames.pop().map_or(0, |frame| frame.bytes);
                self.held -= bytes;
                self.line.pop();
                continue;
            };
            let state = frame.state.clone();
            let next = desk.next(&state, id)?;
            desk.simulations += 1;
            let key = desk.reasoner.key(&next);
            let left = self.bound.saturating_sub(self.line.len() as u32 + 1);
            if !self.is_known(key, left) {
                self.line.push(id);
                let depth = self.frames.len();
                if let Err(error) = self.enter(desk, next) {
                    // It is tried again the next time.
                    self.line.pop();
                    self.seen.remove(&key);
                    return Err(error);
                }
                if let Some(frame) = self.frames.get_mut(depth - 1) {
                    frame.moves.pop();
                }
            } else if let Some(frame) = self.frames.last_mut() {
                frame.moves.pop();
            }
        }
        Ok(Progress::More)
    }

    fn size(&self) -> (u64, u64) {
        let (seen, capacity) = (self.seen.len(), self.seen.capacity());
        let bytes = room::table(seen, capacity, 0, ENTRY) + self.held;
        (seen as u64, bytes as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Bench, went};

    #[test]
    fn positions_on_the_line_count_as_well() {
        let most = 32 << 10;
        let mut bench = Bench::new(&went(60));
        let mut desk = bench.desk();
        let mut depth = Depth::new(most, 1);
        let mut progress = Progress::More;
        for _ in 0..50 {
            progress = depth.work(&mut desk, 100).unwrap();
            let frames = depth.frames.iter();
            let states = frames.map(|frame| desk.reasoner.state_bytes(&frame.state));
            let states: usize = states.sum();
            let table = room::table(depth.seen.len(), depth.seen.capacity(), 0, ENTRY);
            assert!(states + table <= most, "{states} and {table}");
            if progress != Progress::More {
                break;
            }
        }
        assert!(depth.is_full, "the end is deeper than the memory reaches");
        assert_ne!(progress, Progress::Proven);
    }

    #[test]
    fn with_enough_memory_the_best_line_is_proven() {
        let mut bench = Bench::new(&went(5));
        let mut desk = bench.desk();
        let mut depth = Depth::new(1 << 20, 1);
        while depth.work(&mut desk, 100).unwrap() == Progress::More {}
        assert_eq!(desk.best.value(), Some(70));
        assert!(!depth.is_full && depth.held == 0);
    }
}
