//! Max^n: every role wants its own best.
//!
//! Roles that choose at the same time are taken to choose one after the other, each knowing what
//! those before it chose; we choose first. Among moves that are equal for whoever chooses, the one
//! that is worst for us is feared.

use ludorum_reasoner::{MoveId, Reasoner, Role};
use rustc_hash::FxHashMap;

use super::walk::{Stop, Walk};
use super::{Lookahead, MOST, UNKNOWN};
use ludorum_player::MoveResult;
use ludorum_player::Position;

/// More joint moves than this are not looked at: the position counts as beyond the horizon.
const MOST_JOINT: usize = 4096;
/// The bytes of an entry of the table besides one for each role, with what a table takes while it
/// grows.
const ENTRY_BYTES: usize = 160;

/// A value for each role, and whether it was found without meeting the horizon.
#[derive(Clone, Debug)]
struct Found {
    values: Box<[u8]>,
    is_all: bool,
}

/// The table of positions.
#[derive(Debug)]
pub(super) struct MaxN {
    /// The depth, `u32::MAX` if the horizon was not met, and what was found.
    table: FxHashMap<u128, (u32, Found)>,
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
        walk: &mut Walk<'_, R>,
        state: &R::State,
        us: Role,
        depth: u32,
    ) -> Result<Found, Stop> {
        walk.count()?;
        let roles = walk.reasoner.roles().len();
        let ends = walk.reasoner.is_terminal(state)?;
        let beyond = || Found {
            values: vec![UNKNOWN; roles].into(),
            is_all: false,
        };
        if !ends && depth == 0 {
            return Ok(beyond());
        }
        let key = walk.reasoner.key(state);
        if let Some((known, found)) = self.table.get(&key)
            && *known >= depth
        {
            return Ok(found.clone());
        }
        let legal = if ends { None } else { walk.legal(state)? };
        let Some(legal) = legal else {
            let values: Result<Vec<u8>, Stop> =
                (0..roles).map(|role| walk.goal(state, role)).collect();
            return Ok(Found {
                values: values?.into(),
                is_all: true,
            });
        };
        let joint = legal.iter().map(Vec::len).fold(1, usize::saturating_mul);
        if joint > MOST_JOINT {
            return Ok(beyond());
        }
        let mut order: Vec<Role> = vec![us];
        order.extend((0..roles).filter(|role| *role != us));
        let mut joint_move: Vec<MoveId> = legal.iter().map(|moves| moves[0]).collect();
        let found = self.choose(walk, state, us, depth, &legal, &order, &mut joint_move)?;
        if self.table.len() < self.bytes / (ENTRY_BYTES + roles) || self.table.contains_key(&key) {
            let depth = if found.is_all { u32::MAX } else { depth };
            self.table.insert(key, (depth, found.clone()));
        }
        Ok(found)
    }

    /// Lets the first role of the order choose, knowing the moves already in the joint move, then
    /// the others.
    #[allow(clippy::too_many_arguments)] // one line of a recursion
    fn choose<R: Reasoner>(
        &mut self,
        walk: &mut Walk<'_, R>,
        state: &R::State,
        us: Role,
        depth: u32,
        legal: &[Vec<MoveId>],
        order: &[Role],
        joint_move: &mut Vec<MoveId>,
    ) -> Result<Found, Stop> {
        let Some((role, rest)) = order.split_first() else {
            let next = walk.reasoner.next(state, joint_move)?;
            return self.value(walk, &next, us, depth - 1);
        };
        let mut best: Option<Found> = None;
        let mut is_all = true;
        for id in &legal[*role] {
            joint_move[*role] = *id;
            let found = self.choose(walk, state, us, depth, legal, rest, joint_move)?;
            is_all &= found.is_all;
            let merit = |found: &Found| (found.values[*role], MOST - found.values[us].min(MOST));
            if best.as_ref().is_none_or(|best| merit(&found) > merit(best)) {
                best = Some(found);
            }
        }
        let values = best.map_or_else(|| Box::from([]), |best| best.values);
        Ok(Found { values, is_all })
    }
}

impl<R: Reasoner> Lookahead<R> for MaxN {
    fn look(
        &mut self,
        walk: &mut Walk<'_, R>,
        position: &Position<R::State>,
        depth: u32,
        moves: &mut [MoveResult],
    ) -> Result<bool, Stop> {
        self.table.retain(|_, (depth, _)| *depth == u32::MAX);
        let us = position.role;
        let others: Vec<Role> = (0..position.legal.len())
            .filter(|role| *role != us)
            .collect();
        let mut joint_move: Vec<MoveId> = position.legal.iter().map(|moves| moves[0]).collect();
        let mut is_all = true;
        for found in moves {
            joint_move[us] = found.id;
            let before = walk.positions;
            let (state, legal) = (&position.state, &position.legal);
            let answer = self.choose(walk, state, us, depth, legal, &others, &mut joint_move)?;
            is_all &= answer.is_all;
            found.visits += walk.positions - before;
            found.value = answer.values.get(us).map(|value| f64::from(*value));
        }
        Ok(is_all)
    }
}
