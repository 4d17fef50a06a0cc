//! Max^n (Luckhardt and Irani 1986): every role maximises its own goal.
//!
//! Simultaneous moves are searched one after the other: each role knows the choices before it, and
//! the player's role chooses first. Ties of a role are broken against the player.

use ludorum_reasoner::{MoveId, Reasoner, Role};
use rustc_hash::FxHashMap;

use super::query::{QueryBudget, SearchEnd};
use super::{DepthSearch, MAX_GOAL, UNKNOWN};
use ludorum_player::MoveResult;
use ludorum_player::Position;

/// The maximum number of joint moves of a state; with more, the state counts as beyond the horizon.
const MAX_JOINT_MOVES: usize = 4096;
/// The bytes of a transposition table entry, besides one for each role; hash tables are half empty.
const ENTRY_BYTES: usize = 160;

/// A value for each role, and whether the horizon was never reached.
#[derive(Clone, Debug)]
struct Value {
    values: Box<[u8]>,
    is_complete: bool,
}

/// Max^n with a transposition table.
#[derive(Debug)]
pub(super) struct MaxN {
    /// The depth, `u32::MAX` if the horizon was not reached, and the value.
    table: FxHashMap<u128, (u32, Value)>,
    bytes: usize,
}

impl MaxN {
    pub(super) fn new(bytes: usize) -> Self {
        Self {
            table: FxHashMap::default(),
            bytes,
        }
    }

    fn value<R: Reasoner>(
        &mut self,
        queries: &mut QueryBudget<'_, R>,
        state: &R::State,
        own: Role,
        depth: u32,
    ) -> Result<Value, SearchEnd> {
        queries.count()?;
        let roles = queries.reasoner.roles().len();
        let ends = queries.reasoner.is_terminal(state)?;
        let beyond = || Value {
            values: vec![UNKNOWN; roles].into(),
            is_complete: false,
        };
        if !ends && depth == 0 {
            return Ok(beyond());
        }
        let key = queries.reasoner.key(state);
        if let Some((known, found)) = self.table.get(&key)
            && *known >= depth
        {
            return Ok(found.clone());
        }
        let legal = if ends { None } else { queries.legal(state)? };
        let Some(legal) = legal else {
            let values: Result<Vec<u8>, SearchEnd> =
                (0..roles).map(|role| queries.goal(state, role)).collect();
            return Ok(Value {
                values: values?.into(),
                is_complete: true,
            });
        };
        let joint = legal.iter().map(Vec::len).fold(1, usize::saturating_mul);
        if joint > MAX_JOINT_MOVES {
            return Ok(beyond());
        }
        let mut order: Vec<Role> = vec![own];
        order.extend((0..roles).filter(|role| *role != own));
        let mut joint_move: Vec<MoveId> = legal.iter().map(|moves| moves[0]).collect();
        let found = self.choose(queries, state, own, depth, &legal, &order, &mut joint_move)?;
        if self.table.len() < self.bytes / (ENTRY_BYTES + roles) || self.table.contains_key(&key) {
            let depth = if found.is_complete { u32::MAX } else { depth };
            self.table.insert(key, (depth, found.clone()));
        }
        Ok(found)
    }

    /// The first role in the order chooses, knowing the moves that the joint move has already; the
    /// other roles follow.
    #[allow(clippy::too_many_arguments)] // one line of a recursion
    fn choose<R: Reasoner>(
        &mut self,
        queries: &mut QueryBudget<'_, R>,
        state: &R::State,
        own: Role,
        depth: u32,
        legal: &[Vec<MoveId>],
        order: &[Role],
        joint_move: &mut Vec<MoveId>,
    ) -> Result<Value, SearchEnd> {
        let Some((role, rest)) = order.split_first() else {
            let next = queries.reasoner.next(state, joint_move)?;
            return self.value(queries, &next, own, depth - 1);
        };
        let mut best: Option<Value> = None;
        let mut is_complete = true;
        for id in &legal[*role] {
            joint_move[*role] = *id;
            let found = self.choose(queries, state, own, depth, legal, rest, joint_move)?;
            is_complete &= found.is_complete;
            let value_of = |found: &Value| {
                (
                    found.values[*role],
                    MAX_GOAL - found.values[own].min(MAX_GOAL),
                )
            };
            if best
                .as_ref()
                .is_none_or(|best| value_of(&found) > value_of(best))
            {
                best = Some(found);
            }
        }
        let values = best.map_or_else(|| Box::from([]), |best| best.values);
        Ok(Value {
            values,
            is_complete,
        })
    }
}

impl<R: Reasoner> DepthSearch<R> for MaxN {
    fn search_depth(
        &mut self,
        queries: &mut QueryBudget<'_, R>,
        position: &Position<R::State>,
        depth: u32,
        moves: &mut [MoveResult],
    ) -> Result<bool, SearchEnd> {
        self.table.retain(|_, (depth, _)| *depth == u32::MAX);
        let own = position.role;
        let others: Vec<Role> = (0..position.legal.len())
            .filter(|role| *role != own)
            .collect();
        let mut joint_move: Vec<MoveId> = position.legal.iter().map(|moves| moves[0]).collect();
        let mut is_complete = true;
        for found in moves {
            joint_move[own] = found.id;
            let before = queries.positions;
            let (state, legal) = (&position.state, &position.legal);
            let answer =
                self.choose(queries, state, own, depth, legal, &others, &mut joint_move)?;
            is_complete &= answer.is_complete;
            found.visits += queries.positions - before;
            found.value = answer.values.get(own).map(|value| f64::from(*value));
        }
        Ok(is_complete)
    }
}
