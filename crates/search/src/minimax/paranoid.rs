//! Alpha-beta: one role against all others.

use ludorum_reasoner::{MoveId, Reasoner, Role};
use rustc_hash::FxHashMap;

use super::walk::{Stop, Walk};
use super::{Lookahead, MOST, UNKNOWN};
use ludorum_player::JointMoves;
use ludorum_player::MoveResult;
use ludorum_player::Position;

/// More answers of the others to one move than this are not looked at: the position counts as
/// beyond the horizon.
const MOST_REPLIES: usize = 4096;
/// The bytes of an entry of the table, with what a table takes while it grows.
const ENTRY_BYTES: usize = 120;

/// What is known about a position.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// To which depth; `u32::MAX` if the horizon was not met.
    depth: u32,
    low: u8,
    high: u8,
    /// The move to try first.
    best: MoveId,
}

/// A value, and whether it was found without meeting the horizon.
#[derive(Clone, Copy, Debug)]
struct Found {
    value: u8,
    is_all: bool,
}

/// The table of positions.
#[derive(Debug)]
pub(super) struct Paranoid {
    table: FxHashMap<u128, Entry>,
    most: usize,
}

impl Paranoid {
    pub(super) fn new(bytes: usize) -> Self {
        Self {
            table: FxHashMap::default(),
            most: bytes / ENTRY_BYTES,
        }
    }

    /// What a role gets from a state on, at least `alpha` and at most `beta` if those matter.
    fn value<R: Reasoner>(
        &mut self,
        walk: &mut Walk<'_, R>,
        state: &R::State,
        role: Role,
        depth: u32,
        (mut alpha, mut beta): (u8, u8),
    ) -> Result<Found, Stop> {
        walk.count()?;
        let all = |value| Found {
            value,
            is_all: true,
        };
        if walk.reasoner.is_terminal(state)? {
            return Ok(all(walk.goal(state, role)?));
        }
        let beyond = Found {
            value: UNKNOWN,
            is_all: false,
        };
        if depth == 0 {
            return Ok(beyond);
        }
        let key = walk.reasoner.key(state);
        let mut first = None;
        if let Some(known) = self.table.get(&key) {
            first = Some(known.best);
            if known.depth >= depth {
                let is_all = known.depth == u32::MAX;
                if known.low == known.high || known.low >= beta {
                    let value = known.low;
                    return Ok(Found { value, is_all });
                }
                if known.high <= alpha {
                    let value = known.high;
                    return Ok(Found { value, is_all });
                }
                // Only what is known for good: a cut at a bound that was not would be taken for a
                // proof.
                if is_all {
                    alpha = alpha.max(known.low);
                    beta = beta.min(known.high);
                }
            }
        }
        let Some(mut legal) = walk.legal(state)? else {
            return Ok(all(walk.goal(state, role)?));
        };
        if let Some(place) = legal[role].iter().position(|id| Some(*id) == first) {
            legal[role][..=place].rotate_right(1);
        }
        let mut best = Found {
            value: 0,
            is_all: true,
        };
        let mut best_move = legal[role][0];
        let floor = alpha;
        for (i, id) in legal[role].iter().enumerate() {
            let found = self.answer(walk, state, role, *id, &legal, depth, (alpha, beta))?;
            best.is_all &= found.is_all;
            if i == 0 || found.value > best.value {
                best.value = found.value;
                best_move = *id;
            }
            alpha = alpha.max(best.value);
            if alpha >= beta {
                break;
            }
        }
        self.learn(key, depth, best, best_move, (floor, beta));
        Ok(best)
    }

    /// What a move of the role is worth if the others know it.
    #[allow(clippy::too_many_arguments)] // one line of a recursion
    fn answer<R: Reasoner>(
        &mut self,
        walk: &mut Walk<'_, R>,
        state: &R::State,
        role: Role,
        id: MoveId,
        legal: &[Vec<MoveId>],
        depth: u32,
        (alpha, mut beta): (u8, u8),
    ) -> Result<Found, Stop> {
        let replies = JointMoves::new(legal, role, id);
        let count = replies.count();
        if count > MOST_REPLIES {
            return Ok(Found {
                value: UNKNOWN,
                is_all: false,
            });
        }
        let mut worst = Found {
            value: MOST,
            is_all: true,
        };
        for number in 0..count {
            let next = walk.reasoner.next(state, &replies.nth(number))?;
            let found = self.value(walk, &next, role, depth - 1, (alpha, beta))?;
            worst.is_all &= found.is_all;
            worst.value = worst.value.min(found.value);
            beta = beta.min(worst.value);
            if alpha >= beta {
                break;
            }
        }
        Ok(worst)
    }

    fn learn(
        &mut self,
        key: u128,
        depth: u32,
        found: Found,
        best: MoveId,
        (alpha, beta): (u8, u8),
    ) {
        if self.table.len() >= self.most && !self.table.contains_key(&key) {
            return;
        }
        let depth = if found.is_all { u32::MAX } else { depth };
        // Outside the window a value is only a bound.
        let low = if found.value > alpha { found.value } else { 0 };
        let high = if found.value < beta {
            found.value
        } else {
            MOST
        };
        let entry = Entry {
            depth,
            low,
            high,
            best,
        };
        self.table.insert(key, entry);
    }
}

impl<R: Reasoner> Lookahead<R> for Paranoid {
    fn look(
        &mut self,
        walk: &mut Walk<'_, R>,
        position: &Position<R::State>,
        depth: u32,
        moves: &mut [MoveResult],
    ) -> Result<bool, Stop> {
        if self.table.len() >= self.most {
            // What was learned deep down is of no use at the next depth.
            self.table.retain(|_, entry| entry.depth == u32::MAX);
            if self.table.len() >= self.most / 2 {
                self.table.clear();
            }
        }
        let mut alpha = 0;
        let mut is_all = true;
        let Position {
            state, role, legal, ..
        } = position;
        for (place, found) in moves.iter_mut().enumerate() {
            let window = (alpha, MOST);
            let before = walk.positions;
            let answer = self.answer(walk, state, *role, found.id, legal, depth, window)?;
            is_all &= answer.is_all;
            // A value that is not above alpha is a bound: no better than the best so far.
            let value = if place == 0 || answer.value > alpha {
                answer.value
            } else {
                answer.value.min(alpha)
            };
            found.visits += walk.positions - before;
            found.value = Some(f64::from(value));
            alpha = alpha.max(answer.value);
        }
        Ok(is_all)
    }
}
