//! Perft: counts the paths of a game tree up to a depth.
//!
//! `paths(d)` is the number of sequences of `d` joint moves from the initial state. A path ends at
//! a terminal state, or at a state in which some role has no legal move. Such a path counts at its
//! own depth but at no deeper one. The states at the last depth are not generated: only the joint
//! moves that lead to them are counted.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ludorum_engines::Engine;
use ludorum_engines::engine::BuildError;
use ludorum_logic::Rules;
use ludorum_reasoner::{MoveId, ReasonError, Reasoner};
use rustc_hash::FxHashMap;
use serde::Serialize;
use thiserror::Error;

/// Maximum number of entries of the transposition table, which is a few hundred megabytes.
const MAX_ENTRIES: usize = 1 << 22;

/// Options of a perft count.
#[derive(Clone, Debug, Default)]
pub struct PerftRequest {
    /// The maximum depth.
    pub depth: u32,
    /// Also report the paths of the last depth for each first joint move.
    pub divide: bool,
    /// Store counts in a transposition table, so that the paths from a repeated state are counted
    /// once.
    pub hash: bool,
    /// Time limit. Depths that were counted completely are kept.
    pub limit: Option<Duration>,
}

/// The result of a perft count.
#[derive(Clone, Debug, Serialize)]
pub struct PerftResult {
    /// The counts for each depth from 0 that was completed in time.
    pub depths: Vec<PerftDepth>,
    /// The paths of the last depth for each first joint move.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub divided: Vec<PerftBranch>,
    /// Whether all requested depths were counted.
    pub complete: bool,
}

/// The number of paths to one depth.
#[derive(Clone, Debug, Serialize)]
pub struct PerftDepth {
    /// The depth.
    pub depth: u32,
    /// The number of paths.
    pub paths: u128,
    /// The time of this depth in seconds.
    pub seconds: f64,
}

/// The number of paths that begin with one joint move.
#[derive(Clone, Debug, Serialize)]
pub struct PerftBranch {
    /// The joint move.
    pub moves: Vec<String>,
    /// The number of paths.
    pub paths: u128,
}

/// The error of a perft count.
#[derive(Clone, Debug, Error)]
pub enum PerftError {
    /// The engine cannot be built for the game.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The engine failed on a query.
    #[error(transparent)]
    Reason(#[from] ReasonError),
}

/// Counts the paths of a game with an engine.
pub fn perft(
    rules: &Arc<Rules>,
    engine: Engine,
    request: &PerftRequest,
) -> Result<PerftResult, PerftError> {
    let mut reasoner = engine.build(rules)?;
    let deadline = request.limit.map(|limit| Instant::now() + limit);
    reasoner.set_deadline(deadline);
    let mut counter = Counter {
        reasoner,
        deadline,
        table: request.hash.then(FxHashMap::default),
    };
    let mut counted = PerftResult {
        depths: Vec::new(),
        divided: Vec::new(),
        complete: true,
    };
    let start = counter.reasoner.initial()?;
    for depth in 0..=request.depth {
        let begin = Instant::now();
        let mut divided = Vec::new();
        let divide = request.divide && depth > 0;
        let result = if divide {
            counter.divide(&start, depth, &mut divided)
        } else {
            counter.count(&start, depth)
        };
        match result {
            Ok(paths) => counted.depths.push(PerftDepth {
                depth,
                paths,
                seconds: begin.elapsed().as_secs_f64(),
            }),
            Err(ReasonError::Stopped) => {
                counted.complete = false;
                break;
            }
            Err(error) => return Err(error.into()),
        }
        counted.divided = divided;
    }
    Ok(counted)
}

struct Counter<R: Reasoner> {
    reasoner: R,
    deadline: Option<Instant>,
    /// Transposition table: number of paths, by state key and remaining depth.
    table: Option<FxHashMap<(u128, u32), u128>>,
}

/// A stack frame of the depth-first search: a state whose successors are being counted.
struct Frame<R: Reasoner> {
    state: R::State,
    joint_moves: JointMoves,
    /// Remaining depth from this state.
    left: u32,
    paths: u128,
}

impl<R: Reasoner> Counter<R> {
    /// Counts the paths of `depth` joint moves from a state. The depth-first search uses an
    /// explicit stack, so the call stack does not limit the depth.
    fn count(&mut self, state: &R::State, depth: u32) -> Result<u128, ReasonError> {
        let mut stack: Vec<Frame<R>> = Vec::new();
        let mut next = Some((state.clone(), depth));
        loop {
            if let Some((state, left)) = next.take() {
                match self.open(state, left)? {
                    Ok(frame) => stack.push(frame),
                    Err(paths) => match stack.last_mut() {
                        Some(above) => above.paths = above.paths.saturating_add(paths),
                        None => return Ok(paths),
                    },
                }
            }
            let Some(top) = stack.last_mut() else {
                return Ok(0);
            };
            if let Some(joint) = top.joint_moves.next() {
                let child = self.reasoner.next(&top.state, joint)?;
                next = Some((child, top.left - 1));
                continue;
            }
            let paths = top.paths;
            let key = (self.reasoner.key(&top.state), top.left);
            if let Some(table) = &mut self.table
                && table.len() < MAX_ENTRIES
            {
                table.insert(key, paths);
            }
            stack.pop();
            match stack.last_mut() {
                Some(above) => above.paths = above.paths.saturating_add(paths),
                None => return Ok(paths),
            }
        }
    }

    /// Opens a frame for a state, or returns its number of paths if that needs no search.
    fn open(&mut self, state: R::State, left: u32) -> Result<Result<Frame<R>, u128>, ReasonError> {
        if left == 0 {
            return Ok(Err(1));
        }
        if self.deadline.is_some_and(|at| Instant::now() >= at) {
            return Err(ReasonError::Stopped);
        }
        if let Some(table) = &self.table
            && let Some(paths) = table.get(&(self.reasoner.key(&state), left))
        {
            return Ok(Err(*paths));
        }
        let joint_moves = self.joint_moves(&state)?;
        if left == 1 {
            return Ok(Err(joint_moves.count()));
        }
        Ok(Ok(Frame {
            state,
            joint_moves,
            left,
            paths: 0,
        }))
    }

    fn divide(
        &mut self,
        state: &R::State,
        depth: u32,
        branches: &mut Vec<PerftBranch>,
    ) -> Result<u128, ReasonError> {
        let mut joint_moves = self.joint_moves(state)?;
        let mut total: u128 = 0;
        while let Some(joint) = joint_moves.next() {
            let child = self.reasoner.next(state, joint)?;
            let moves = joint
                .iter()
                .enumerate()
                .map(|(role, id)| self.reasoner.move_text(role, *id))
                .collect();
            let paths = self.count(&child, depth - 1)?;
            total = total.saturating_add(paths);
            branches.push(PerftBranch { moves, paths });
        }
        Ok(total)
    }

    fn joint_moves(&mut self, state: &R::State) -> Result<JointMoves, ReasonError> {
        if self.reasoner.is_terminal(state)? {
            return Ok(JointMoves::none());
        }
        let mut legal = Vec::with_capacity(self.reasoner.roles().len());
        for role in 0..self.reasoner.roles().len() {
            let mut moves = Vec::new();
            self.reasoner.legal_moves(state, role, &mut moves)?;
            legal.push(moves);
        }
        Ok(JointMoves::new(legal))
    }
}

/// Iterator over all joint moves: the Cartesian product of the roles' legal moves. The last role's
/// move changes fastest.
struct JointMoves {
    legal: Vec<Vec<MoveId>>,
    places: Vec<usize>,
    joint: Vec<MoveId>,
    started: bool,
}

impl JointMoves {
    fn none() -> Self {
        Self::new(vec![Vec::new()])
    }

    fn new(legal: Vec<Vec<MoveId>>) -> Self {
        Self {
            places: vec![0; legal.len()],
            joint: Vec::with_capacity(legal.len()),
            started: false,
            legal,
        }
    }

    fn count(&self) -> u128 {
        self.legal.iter().fold(1, |product: u128, moves| {
            product.saturating_mul(moves.len() as u128)
        })
    }

    fn next(&mut self) -> Option<&[MoveId]> {
        if !self.started {
            self.started = true;
            if self.legal.iter().any(Vec::is_empty) {
                return None;
            }
            self.joint.extend(self.legal.iter().map(|moves| moves[0]));
            return Some(&self.joint);
        }
        if self.joint.is_empty() {
            return None;
        }
        for role in (0..self.legal.len()).rev() {
            self.places[role] += 1;
            if let Some(id) = self.legal[role].get(self.places[role]) {
                self.joint[role] = *id;
                return Some(&self.joint);
            }
            self.places[role] = 0;
            self.joint[role] = self.legal[role][0];
        }
        self.joint.clear();
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joint_moves_are_all_combinations_in_order() {
        let ids = |numbers: &[u32]| numbers.iter().map(|n| MoveId(*n)).collect::<Vec<_>>();
        let mut moves = JointMoves::new(vec![ids(&[0, 1]), ids(&[5, 6, 7])]);
        assert_eq!(moves.count(), 6);
        let mut seen = Vec::new();
        while let Some(joint) = moves.next() {
            seen.push((joint[0].0, joint[1].0));
        }
        assert_eq!(seen, [(0, 5), (0, 6), (0, 7), (1, 5), (1, 6), (1, 7)]);
        assert!(moves.next().is_none());
        assert!(JointMoves::none().next().is_none());
        assert_eq!(JointMoves::none().count(), 0);
    }
}
