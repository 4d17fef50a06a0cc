//! The types of playouts under a policy, and of the move statistics that they give.

use rustc_hash::FxHashMap;

use super::PlayoutTotals;
use crate::ids::{MoveId, Role};

/// An epsilon-greedy playout policy: which moves a guided playout prefers.
#[derive(Clone, Debug, Default)]
pub struct PlayoutPolicy {
    /// The probability of a uniformly random move, 0 to 1.
    pub epsilon: f64,
    /// The same probability for each role. Empty if all roles use [`epsilon`](Self::epsilon).
    pub epsilons: Vec<f64>,
    /// For each role the score of each of its moves, by move number. A move without an entry has
    /// the score 0. The greedy choice is the legal move with the highest score. Ties are broken at
    /// random.
    pub scores: Vec<Vec<f32>>,
    /// The scores of pairs of successive moves (N-grams of length 2, see Tak et al. 2012). `None`
    /// turns pairs off. With a pair score, the score of a move is the mean of both. Playouts with
    /// pair scores are played one at a time.
    pub pairs: Option<FxHashMap<MovePair, f32>>,
}

/// A move and the move before it, an N-gram of length 2 (Tak et al. 2012).
///
/// The move before is that of the first role that had more than one legal move in the last step in
/// which any role had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MovePair {
    /// The move before, with its role.
    pub before: (Role, MoveId),
    /// The role of the move.
    pub role: Role,
    /// The move.
    pub id: MoveId,
}

impl PlayoutPolicy {
    /// The probability of a uniformly random move of a role.
    pub fn epsilon_of(&self, role: Role) -> f64 {
        self.epsilons.get(role).copied().unwrap_or(self.epsilon)
    }

    /// The score of a move.
    pub fn score(&self, role: Role, id: MoveId) -> f32 {
        let scores = self.scores.get(role);
        scores
            .and_then(|scores| scores.get(id.index()))
            .copied()
            .unwrap_or(0.0)
    }

    /// The score of a move after another.
    pub(crate) fn score_after(
        &self,
        before: Option<(Role, MoveId)>,
        role: Role,
        id: MoveId,
    ) -> f32 {
        let alone = self.score(role, id);
        let pair = before.map(|before| MovePair { before, role, id });
        let pair = pair.and_then(|pair| self.pairs.as_ref()?.get(&pair));
        pair.map_or(alone, |pair| f32::midpoint(*pair, alone))
    }
}

/// A request for guided playouts.
#[derive(Debug)]
pub struct GuidedRequest<'a, S> {
    /// The states from which they are played.
    pub starts: &'a [S],
    /// For each start the group whose history its playouts are added to. Empty for a single group.
    pub groups: &'a [u32],
    /// The number of playouts from each start.
    pub each: u32,
    /// The moves that they prefer.
    pub policy: &'a PlayoutPolicy,
    /// The step limit of a playout.
    pub limit: u32,
    /// Whether to wait until the engine is
    /// [ready for guided playouts](crate::Reasoner::is_ready_for_guided_playouts). The moment of
    /// readiness depends on the clock.
    ///
    /// Callers with a budget of playouts wait, so that the clock makes no difference. Callers with
    /// a deadline do not wait. Until the engine is ready they get uniformly random playouts and
    /// empty histories.
    pub wait_until_ready: bool,
}

impl<S> GuidedRequest<'_, S> {
    /// The same request with the starts and the policy in the representation of another engine.
    pub fn with<'b, T>(
        &'b self,
        starts: &'b [T],
        policy: &'b PlayoutPolicy,
    ) -> GuidedRequest<'b, T> {
        GuidedRequest {
            starts,
            groups: self.groups,
            each: self.each,
            policy,
            limit: self.limit,
            wait_until_ready: self.wait_until_ready,
        }
    }

    /// The group of a start.
    pub fn group(&self, start: usize) -> usize {
        self.groups.get(start).map_or(0, |group| *group as usize)
    }

    /// The number of groups, at least 1.
    pub fn group_count(&self) -> usize {
        let last = self.groups.iter().max();
        last.map_or(1, |last| *last as usize + 1)
    }

    /// An empty history for each group, for a game with so many roles.
    pub fn histories(&self, roles: usize) -> Vec<MoveHistory> {
        vec![MoveHistory::new(roles); self.group_count()]
    }
}

/// The results of guided playouts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GuidedResult {
    /// The summed results for each start.
    pub totals: Vec<PlayoutTotals>,
    /// The moves played, for each group.
    pub histories: Vec<MoveHistory>,
}

/// The results of the playouts in which a move was played at least once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MoveTotals {
    /// The number of such playouts that gave the role of the move a goal value.
    pub playouts: u64,
    /// The sum of these goal values.
    pub points: u64,
}

/// The results of guided playouts by the moves played in them: the statistics that MAST (Finnsson
/// and Björnsson 2008) and similar policies learn from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MoveHistory {
    /// For each role its moves, by move number, up to the last one played.
    pub moves: Vec<Vec<MoveTotals>>,
    /// The same for pairs of moves, if the policy has pair scores.
    pub pairs: FxHashMap<MovePair, MoveTotals>,
}

impl MoveHistory {
    /// An empty history for a game with so many roles.
    pub fn new(roles: usize) -> Self {
        Self {
            moves: vec![Vec::new(); roles],
            pairs: FxHashMap::default(),
        }
    }

    /// The totals of a move.
    pub fn of(&self, role: Role, id: MoveId) -> MoveTotals {
        let totals = self.moves.get(role);
        totals
            .and_then(|totals| totals.get(id.index()))
            .copied()
            .unwrap_or_default()
    }

    /// Adds playouts in which a move was played.
    pub fn add(&mut self, role: Role, id: MoveId, playouts: u64, points: u64) {
        let totals = &mut self.moves[role];
        if totals.len() <= id.index() {
            totals.resize(id.index() + 1, MoveTotals::default());
        }
        totals[id.index()].playouts += playouts;
        totals[id.index()].points += points;
    }
}
