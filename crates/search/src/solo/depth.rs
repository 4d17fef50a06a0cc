//! All positions, each line to its end.
//!
//! Depth-first search with a bound on the depth that grows while there is something beyond it, as in IDA*. A position that was come by before with
//! as many steps left is not looked at again. The table of positions has a bound as well; when it is full, what is new is not
//! remembered, so some positions are looked at again and none is left out. When all lines have come to their end, the best one is the best there is.

use ludorum_reason::{Dice, MoveId, ReasonError, Reasoner};
use rustc_hash::FxHashMap;

use super::best::Method;
use super::desk::{Desk, Progress, ROLE, Technique};

/// The bound on the depth at first: most puzzles have an end before.
const FIRST: u32 = 64;
/// The bytes of a position in the table.
const ENTRY: usize = 48;

#[derive(Debug)]
struct Frame<S> {
    state: S,
    /// Moves yet to be tried, the next last.
    moves: Vec<MoveId>,
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
    /// The steps that were left at each position.
    seen: FxHashMap<u128, u32>,
    dice: Dice,
    most: usize,
    has_begun: bool,
}

impl<S> Depth<S> {
    pub(super) fn new(most_bytes: usize, seed: u64) -> Self {
        Self {
            frames: Vec::new(),
            line: Vec::new(),
            bound: FIRST,
            was_cut: false,
            seen: FxHashMap::default(),
            dice: Dice::new(seed),
            most: most_bytes / ENTRY,
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
            moves.swap(i, self.dice.below(i + 1));
        }
        self.frames.push(Frame { state, moves });
        Ok(())
    }

    /// Whether a position was looked at with as many steps left; if not, it will have been.
    fn is_known(&mut self, key: u128, left: u32) -> bool {
        if let Some(known) = self.seen.get_mut(&key) {
            if *known >= left {
                return true;
            }
            *known = left;
        } else if self.seen.len() < self.most {
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
                self.frames.pop();
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
        let seen = self.seen.len();
        (seen as u64, (seen * ENTRY) as u64)
    }
}
