//! A node of the search tree.
//!
//! A node begins unexpanded: a state and the statistics of its playouts. It is *expanded* when the
//! search reaches it for the second time: it gets its legal moves, with statistics for each. Most
//! nodes of a tree are never expanded.
//!
//! Statistics of simultaneous moves are decoupled (decoupled UCT, Tak et al. 2014): each role with
//! a choice has statistics of its own moves and its own goals, averaged over what the other roles
//! play. Roles with one legal move have none, so in a turn-taking game a node holds the moves of
//! one role.

use std::sync::Arc;

use ludorum_reasoner::MoveId;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::amaf::Amaf;

/// Statistics of each role, stored inline for two roles.
pub(super) type RoleStatsList = SmallVec<[RoleStats; 2]>;
/// A move for each role, stored inline for up to four roles.
pub(super) type JointMove = SmallVec<[MoveId; 4]>;
/// The roles with a choice, stored inline where roles take turns.
pub(super) type Movers = SmallVec<[Mover; 1]>;

/// The index of a node's slot in the arena.
pub(super) type NodeId = u32;
/// No node.
pub(super) const NONE: NodeId = NodeId::MAX;

/// The highest goal value of GDL (Love et al. 2008).
pub(super) const MAX_GOAL: u8 = 100;

/// The statistics of a role in a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct RoleStats {
    /// The sum of the role's goals over all playouts.
    pub(super) points: u64,
    /// Proven lower bound of the role's goal.
    pub(super) low: u8,
    /// Proven upper bound of the role's goal.
    pub(super) high: u8,
}

impl RoleStats {
    pub(super) const OPEN: Self = Self {
        points: 0,
        low: 0,
        high: MAX_GOAL,
    };
}

/// A node.
#[derive(Debug)]
pub(super) struct Node<S> {
    pub(super) state: S,
    /// Visits, pending ones included.
    pub(super) visits: u64,
    /// The statistics of each role.
    pub(super) stats: RoleStatsList,
    /// Whether the state is terminal.
    pub(super) is_end: bool,
    /// The reference count: edges that lead here, and the tree's root.
    pub(super) parents: u32,
    /// The node's key in the transposition table, if it is there.
    pub(super) key: Option<u64>,
    /// The bytes that the arena counts for the node.
    pub(super) bytes: usize,
    /// The moves, once the node is expanded.
    pub(super) expansion: Option<Box<Expansion>>,
}

impl<S> Node<S> {
    pub(super) fn new(state: S, roles: usize) -> Self {
        Self {
            state,
            visits: 0,
            stats: SmallVec::from_elem(RoleStats::OPEN, roles),
            is_end: false,
            parents: 1,
            key: None,
            bytes: 0,
            expansion: None,
        }
    }

    /// Whether the goals of all roles are proven.
    pub(super) fn is_solved(&self) -> bool {
        self.stats.iter().all(|stat| stat.low == stat.high)
    }

    /// The mean goal of a role within its proven bounds, 0 to 100.
    #[allow(clippy::cast_precision_loss)] // far below 2^52
    pub(super) fn mean(&self, role: usize) -> f64 {
        let stat = self.stats[role];
        let mean = if self.visits == 0 {
            f64::from(MAX_GOAL) / 2.0
        } else {
            stat.points as f64 / self.visits as f64
        };
        mean.clamp(f64::from(stat.low), f64::from(stat.high))
    }
}

/// The moves of an expanded node.
#[derive(Debug)]
pub(super) struct Expansion {
    /// The move of each role that has but one; unused for a role with a choice.
    pub(super) fixed: JointMove,
    /// The roles with a choice.
    pub(super) movers: Movers,
    /// The edges of the first mover, then those of the second, and so on.
    pub(super) edges: Box<[ChildEdge]>,
    /// The children by the edge indices of a joint move, if several roles or none have a choice.
    pub(super) joint: FxHashMap<Box<[u32]>, NodeId>,
    /// The AMAF statistics of the subtree, for a node with enough visits.
    pub(super) amaf: Option<Arc<Amaf>>,
    /// The bytes that the arena counts for them.
    pub(super) amaf_bytes: usize,
}

/// The heap bytes of a list that is too long to be stored inline.
pub(super) fn spilled<A: smallvec::Array>(list: &SmallVec<A>) -> usize {
    if list.spilled() {
        list.capacity() * size_of::<A::Item>() + 16
    } else {
        0
    }
}

/// A role with a choice of moves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mover {
    pub(super) role: u32,
    /// The index of its first edge.
    pub(super) first: u32,
    pub(super) count: u32,
}

impl Mover {
    pub(super) fn edges(self) -> std::ops::Range<usize> {
        self.first as usize..(self.first + self.count) as usize
    }
}

/// A move of a role, and its statistics for that role.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChildEdge {
    pub(super) points: u64,
    pub(super) id: MoveId,
    /// Visits, pending ones included.
    pub(super) visits: u32,
    /// Pending visits: playouts that are not backpropagated yet.
    pub(super) pending: u32,
    /// The child, if one role alone has a choice.
    pub(super) child: NodeId,
    /// Proven bounds of the role's goal, if one role alone has a choice.
    pub(super) low: u8,
    pub(super) high: u8,
}

impl ChildEdge {
    /// Whether either bound is proven.
    pub(super) fn is_bounded(&self) -> bool {
        self.low > 0 || self.high < MAX_GOAL
    }

    /// Adopts the mean of the child, 0 to 100, if the child has more visits than the edge. With
    /// transpositions the child is visited through other edges as well (UCT2, Childs et al. 2008).
    #[allow(clippy::cast_sign_loss)] // means are positive
    pub(super) fn adopt_mean(&mut self, visits: u64, mean: f64) {
        if visits > u64::from(self.visits) {
            self.points = (mean * f64::from(self.completed())).round() as u64;
        }
    }

    /// Visits whose playouts are backpropagated.
    fn completed(&self) -> u32 {
        self.visits.saturating_sub(self.pending)
    }

    /// The visits that the points are divided by. A fraction `loss` of the pending visits counts as
    /// lost (virtual loss, Chaslot et al. 2008); if all visits are pending, all of them do.
    pub(super) fn effective_visits(&self, loss: f64) -> f64 {
        match self.completed() {
            0 => f64::from(self.visits),
            back => f64::from(back) + loss * f64::from(self.pending),
        }
    }

    /// Adds pending visits.
    pub(super) fn add_pending(&mut self, times: u32) {
        self.visits = self.visits.saturating_add(times);
        self.pending = self.pending.saturating_add(times);
    }

    /// Turns pending visits into completed ones.
    pub(super) fn complete_pending(&mut self, times: u32) {
        self.pending = self.pending.saturating_sub(times);
    }

    /// Removes pending visits that are not played.
    pub(super) fn cancel_pending(&mut self, times: u32) {
        self.visits = self.visits.saturating_sub(times);
        self.pending = self.pending.saturating_sub(times);
    }
}

impl Expansion {
    /// Expands a node by the legal moves of each role, none of which is empty. `order` sorts the
    /// moves of a role in the order in which they are to be tried.
    pub(super) fn new(legal: &[Vec<MoveId>], mut order: impl FnMut(usize, &mut [MoveId])) -> Self {
        let mut movers = Movers::new();
        let mut edges: Vec<ChildEdge> = Vec::new();
        let mut fixed = JointMove::with_capacity(legal.len());
        for (role, moves) in legal.iter().enumerate() {
            fixed.push(moves.first().copied().unwrap_or(MoveId(0)));
            if moves.len() < 2 {
                continue;
            }
            movers.push(Mover {
                role: role as u32,
                first: edges.len() as u32,
                count: moves.len() as u32,
            });
            let mut moves = moves.clone();
            order(role, &mut moves);
            edges.extend(moves.into_iter().map(|id| ChildEdge {
                points: 0,
                id,
                visits: 0,
                pending: 0,
                child: NONE,
                low: 0,
                high: MAX_GOAL,
            }));
        }
        Self {
            fixed,
            movers,
            edges: edges.into(),
            joint: FxHashMap::default(),
            amaf: None,
            amaf_bytes: 0,
        }
    }

    /// The bytes it takes, without the map of joint moves.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>()
            + self.amaf_bytes
            + size_of_val(&*self.edges)
            + spilled(&self.movers)
            + spilled(&self.fixed)
            // The allocator's overhead of two blocks.
            + 2 * 16
    }

    /// The bytes that a joint move takes in the map.
    pub(super) fn joint_bytes(&self) -> usize {
        // Hash tables are half empty after they have grown; the key is a heap block of its own.
        2 * (size_of::<(Box<[u32]>, NodeId)>() + 1) + 16 + 4 * self.movers.len()
    }

    /// The child for a choice of edges.
    pub(super) fn child(&self, picks: &[u32]) -> NodeId {
        match picks {
            [pick] => self.edges[*pick as usize].child,
            _ => self.joint.get(picks).copied().unwrap_or(NONE),
        }
    }

    /// Sets the child for a choice of edges; [`NONE`] removes it.
    pub(super) fn set_child(&mut self, picks: &[u32], child: NodeId) {
        match picks {
            [pick] => self.edges[*pick as usize].child = child,
            _ if child == NONE => {
                self.joint.remove(picks);
            }
            _ => {
                self.joint.insert(picks.into(), child);
            }
        }
    }

    /// The joint move of a choice of edges.
    pub(super) fn joint_move(&self, picks: &[u32]) -> JointMove {
        let mut joint_move = self.fixed.clone();
        for (mover, pick) in self.movers.iter().zip(picks) {
            joint_move[mover.role as usize] = self.edges[*pick as usize].id;
        }
        joint_move
    }

    /// The choice of edges for a joint move, if all of its moves are known here.
    pub(super) fn picks(&self, joint_move: &[MoveId]) -> Option<Vec<u32>> {
        let pick = |mover: &Mover| {
            let id = joint_move.get(mover.role as usize)?;
            let edges = mover.edges();
            let place = self.edges[edges.clone()]
                .iter()
                .position(|edge| edge.id == *id)?;
            Some((edges.start + place) as u32)
        };
        self.movers.iter().map(pick).collect()
    }

    /// All children.
    pub(super) fn children(&self) -> impl Iterator<Item = NodeId> + '_ {
        let edges = self.edges.iter().map(|edge| edge.child);
        edges
            .filter(|child| *child != NONE)
            .chain(self.joint.values().copied())
    }

    /// The mover of a role, if it has a choice.
    pub(super) fn mover(&self, role: usize) -> Option<Mover> {
        let mut movers = self.movers.iter();
        movers.find(|mover| mover.role as usize == role).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pending_visits_count_as_visits_and_partly_as_losses() {
        let expansion = Expansion::new(&[vec![MoveId(0), MoveId(1)]], |_, _| {});
        let mut edge = expansion.edges[0];
        edge.add_pending(10);
        // All visits are pending: all of them count as lost.
        assert_eq!((edge.visits, edge.effective_visits(0.2)), (10, 10.0));
        edge.complete_pending(10);
        edge.add_pending(5);
        assert_eq!((edge.visits, edge.effective_visits(0.2)), (15, 11.0));
        assert_eq!(
            (edge.effective_visits(0.0), edge.effective_visits(1.0)),
            (10.0, 15.0)
        );
        edge.cancel_pending(5);
        assert_eq!((edge.visits, edge.pending), (10, 0));
    }
}
