//! Alpha-beta search (Knuth and Moore 1975) with the paranoid assumption (Sturtevant and Korf
//! 2000): one role against all others.

use ludorum_reasoner::{MoveId, Reasoner, Role};
use rustc_hash::FxHashMap;

use super::query::{QueryBudget, SearchEnd};
use super::{DepthSearch, MAX_GOAL, UNKNOWN};
use ludorum_player::JointMoves;
use ludorum_player::MoveResult;
use ludorum_player::Position;

/// The maximum number of replies to a move; with more, the state counts as beyond the horizon.
const MAX_REPLIES: usize = 4096;
/// The bytes of a transposition table entry; hash tables are half empty.
const ENTRY_BYTES: usize = 120;

/// An entry of the transposition table.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// The depth of the search; `u32::MAX` if the horizon was not reached.
    depth: u32,
    low: u8,
    high: u8,
    /// The best move, which is tried first.
    best: MoveId,
}

/// A value, and whether the horizon was never reached.
#[derive(Clone, Copy, Debug)]
struct Value {
    value: u8,
    is_complete: bool,
}

/// Alpha-beta search with a transposition table.
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

    /// The value of a state for the role, within the window from `alpha` to `beta`.
    fn value<R: Reasoner>(
        &mut self,
        queries: &mut QueryBudget<'_, R>,
        state: &R::State,
        role: Role,
        depth: u32,
        (mut alpha, mut beta): (u8, u8),
    ) -> Result<Value, SearchEnd> {
        queries.count()?;
        let all = |value| Value {
            value,
            is_complete: true,
        };
        if queries.reasoner.is_terminal(state)? {
            return Ok(all(queries.goal(state, role)?));
        }
        let beyond = Value {
            value: UNKNOWN,
            is_complete: false,
        };
        if depth == 0 {
            return Ok(beyond);
        }
        let key = queries.reasoner.key(state);
        let mut first = None;
        if let Some(known) = self.table.get(&key) {
            first = Some(known.best);
            if known.depth >= depth {
                let is_complete = known.depth == u32::MAX;
                if known.low == known.high || known.low >= beta {
                    let value = known.low;
                    return Ok(Value { value, is_complete });
                }
                if known.high <= alpha {
                    let value = known.high;
                    return Ok(Value { value, is_complete });
                }
                // Only final bounds narrow the window: a cutoff at a bound of limited depth would
                // count as a proof.
                if is_complete {
                    alpha = alpha.max(known.low);
                    beta = beta.min(known.high);
                }
            }
        }
        let Some(mut legal) = queries.legal(state)? else {
            return Ok(all(queries.goal(state, role)?));
        };
        if let Some(place) = legal[role].iter().position(|id| Some(*id) == first) {
            legal[role][..=place].rotate_right(1);
        }
        let mut best = Value {
            value: 0,
            is_complete: true,
        };
        let mut best_move = legal[role][0];
        let floor = alpha;
        for (i, id) in legal[role].iter().enumerate() {
            let found = self.answer(queries, state, role, *id, &legal, depth, (alpha, beta))?;
            best.is_complete &= found.is_complete;
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

    /// The value of a move against the best reply of the other roles, which know it.
    #[allow(clippy::too_many_arguments)] // one line of a recursion
    fn answer<R: Reasoner>(
        &mut self,
        queries: &mut QueryBudget<'_, R>,
        state: &R::State,
        role: Role,
        id: MoveId,
        legal: &[Vec<MoveId>],
        depth: u32,
        (alpha, mut beta): (u8, u8),
    ) -> Result<Value, SearchEnd> {
        let replies = JointMoves::new(legal, role, id);
        let count = replies.count();
        if count > MAX_REPLIES {
            return Ok(Value {
                value: UNKNOWN,
                is_complete: false,
            });
        }
        let mut worst = Value {
            value: MAX_GOAL,
            is_complete: true,
        };
        for number in 0..count {
            let next = queries.reasoner.next(state, &replies.nth(number))?;
            let found = self.value(queries, &next, role, depth - 1, (alpha, beta))?;
            worst.is_complete &= found.is_complete;
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
        found: Value,
        best: MoveId,
        (alpha, beta): (u8, u8),
    ) {
        if self.table.len() >= self.most && !self.table.contains_key(&key) {
            return;
        }
        let depth = if found.is_complete { u32::MAX } else { depth };
        // A value outside the window is only a bound.
        let low = if found.value > alpha { found.value } else { 0 };
        let high = if found.value < beta {
            found.value
        } else {
            MAX_GOAL
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

impl<R: Reasoner> DepthSearch<R> for Paranoid {
    fn search_depth(
        &mut self,
        queries: &mut QueryBudget<'_, R>,
        position: &Position<R::State>,
        depth: u32,
        moves: &mut [MoveResult],
    ) -> Result<bool, SearchEnd> {
        if self.table.len() >= self.most {
            // Entries of limited depth are useless at the next depth.
            self.table.retain(|_, entry| entry.depth == u32::MAX);
            if self.table.len() >= self.most / 2 {
                self.table.clear();
            }
        }
        let mut alpha = 0;
        let mut is_complete = true;
        let Position {
            state, role, legal, ..
        } = position;
        for (place, found) in moves.iter_mut().enumerate() {
            let window = (alpha, MAX_GOAL);
            let before = queries.positions;
            let answer = self.answer(queries, state, *role, found.id, legal, depth, window)?;
            is_complete &= answer.is_complete;
            // A value that is not above alpha is an upper bound: no better than the best move so
            // far.
            let value = if place == 0 || answer.value > alpha {
                answer.value
            } else {
                answer.value.min(alpha)
            };
            found.visits += queries.positions - before;
            found.value = Some(f64::from(value));
            alpha = alpha.max(answer.value);
        }
        Ok(is_complete)
    }
}
