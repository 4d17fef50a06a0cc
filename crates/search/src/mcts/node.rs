//! A position in the tree.
//!
//! A node begins small: a state and what its playouts gave. Only when the search comes by a second
//! time is it *opened*, that is, given its legal moves with a record for each. Most nodes of a tree
//! are never opened.
//!
//! Records are decoupled: each role that has a choice has its own moves with its own goals, and
//! what the others did in the meantime is averaged out. Roles with one legal move have no records,
//! so turn-taking games have one role's moves in each node and nothing else.

use std::sync::Arc;

use ludorum_reasoner::MoveId;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::amaf::Amaf;

/// What each role gets, next to the node in games for two.
pub(super) type Shares = SmallVec<[Share; 2]>;
/// A move for each role; up to four take no block of their own.
pub(super) type JointMove = SmallVec<[MoveId; 4]>;
/// The roles with a choice, next to the moves where they take turns.
pub(super) type Movers = SmallVec<[Mover; 1]>;

/// The place of a node in the arena.
pub(super) type NodeId = u32;
/// No node.
pub(super) const NONE: NodeId = NodeId::MAX;

/// The most that a role can get, as the language has it.
pub(super) const MOST: u8 = 100;

/// What a role gets in a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Share {
    /// The sum of its goals over all playouts.
    pub(super) points: u64,
    /// It is proven to get at least this,
    pub(super) low: u8,
    /// and at most this.
    pub(super) high: u8,
}

impl Share {
    pub(super) const OPEN: Self = Self {
        points: 0,
        low: 0,
        high: MOST,
    };
}

/// A position.
#[derive(Debug)]
pub(super) struct Node<S> {
    pub(super) state: S,
    /// How many playouts went through it, those under way included.
    pub(super) visits: u64,
    /// For each role.
    pub(super) shares: Shares,
    /// Whether the game ends here.
    pub(super) is_end: bool,
    /// How many ways lead here: arms of other nodes, and the tree's root.
    pub(super) ways: u32,
    /// Its key in the table, if it is there.
    pub(super) key: Option<u64>,
    /// The bytes it was counted with.
    pub(super) bytes: usize,
    /// What can be done here, once it is opened.
    pub(super) body: Option<Box<Body>>,
}

impl<S> Node<S> {
    pub(super) fn new(state: S, roles: usize) -> Self {
        Self {
            state,
            visits: 0,
            shares: SmallVec::from_elem(Share::OPEN, roles),
            is_end: false,
            ways: 1,
            key: None,
            bytes: 0,
            body: None,
        }
    }

    /// Whether it is proven what every role gets.
    pub(super) fn is_solved(&self) -> bool {
        self.shares.iter().all(|share| share.low == share.high)
    }

    /// What a role got on average, 0 to 100.
    #[allow(clippy::cast_precision_loss)] // far below 2^52
    pub(super) fn mean(&self, role: usize) -> f64 {
        let share = self.shares[role];
        let mean = if self.visits == 0 {
            f64::from(MOST) / 2.0
        } else {
            share.points as f64 / self.visits as f64
        };
        mean.clamp(f64::from(share.low), f64::from(share.high))
    }
}

/// What can be done in a node.
#[derive(Debug)]
pub(super) struct Body {
    /// For each role its move, if it has but one; that of a role with a choice means nothing.
    pub(super) fixed: JointMove,
    /// The roles that have a choice.
    pub(super) movers: Movers,
    /// The moves of the first mover, then those of the second, and so on.
    pub(super) arms: Box<[Arm]>,
    /// Where joint moves lead, by the places of the arms, if not one role alone has a choice.
    pub(super) joint: FxHashMap<Box<[u32]>, NodeId>,
    /// What was played below, in a node that is visited often.
    pub(super) amaf: Option<Arc<Amaf>>,
    /// The bytes it was counted with.
    pub(super) amaf_bytes: usize,
}

/// The bytes of a list that did not fit where it belongs.
pub(super) fn spilled<A: smallvec::Array>(list: &SmallVec<A>) -> usize {
    if list.spilled() {
        list.capacity() * size_of::<A::Item>() + 16
    } else {
        0
    }
}

/// A role with a choice.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mover {
    pub(super) role: u32,
    /// The place of its first arm.
    pub(super) first: u32,
    pub(super) count: u32,
}

impl Mover {
    pub(super) fn arms(self) -> std::ops::Range<usize> {
        self.first as usize..(self.first + self.count) as usize
    }
}

/// A move of a role, and what came of it for that role.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arm {
    pub(super) points: u64,
    pub(super) id: MoveId,
    /// How many playouts went this way, those under way included.
    pub(super) visits: u32,
    /// How many of them are under way.
    pub(super) pending: u32,
    /// Where it leads, if one role alone has a choice.
    pub(super) child: NodeId,
    /// The bounds of the role's goal, if one role alone has a choice.
    pub(super) low: u8,
    pub(super) high: u8,
}

impl Arm {
    /// Whether anything is proven about it.
    pub(super) fn is_bounded(&self) -> bool {
        self.low > 0 || self.high < MOST
    }

    /// Takes over what is known of where it leads, if more is known there: a mean of so many
    /// visits, 0 to 100.
    #[allow(clippy::cast_sign_loss)] // means are positive
    pub(super) fn believe(&mut self, visits: u64, mean: f64) {
        if visits > u64::from(self.visits) {
            self.points = (mean * f64::from(self.back())).round() as u64;
        }
    }

    /// How many playouts are back.
    fn back(&self) -> u32 {
        self.visits.saturating_sub(self.pending)
    }

    /// The playouts that its points are shared by: those that are back, and a part of those under
    /// way, which count as lost until then (virtual loss). All of them where none is back.
    pub(super) fn shared_by(&self, loss: f64) -> f64 {
        match self.back() {
            0 => f64::from(self.visits),
            back => f64::from(back) + loss * f64::from(self.pending),
        }
    }

    /// So many playouts set out this way.
    pub(super) fn set_out(&mut self, times: u32) {
        self.visits = self.visits.saturating_add(times);
        self.pending = self.pending.saturating_add(times);
    }

    /// So many of them are back.
    pub(super) fn come_back(&mut self, times: u32) {
        self.pending = self.pending.saturating_sub(times);
    }

    /// So many of them never set out.
    pub(super) fn take_back(&mut self, times: u32) {
        self.visits = self.visits.saturating_sub(times);
        self.pending = self.pending.saturating_sub(times);
    }
}

impl Body {
    /// The moves of a node from the legal moves of each role, none of which is empty. `order` puts
    /// the moves of a role in the order in which they are to be tried.
    pub(super) fn new(legal: &[Vec<MoveId>], mut order: impl FnMut(usize, &mut [MoveId])) -> Self {
        let mut movers = Movers::new();
        let mut arms: Vec<Arm> = Vec::new();
        let mut fixed = JointMove::with_capacity(legal.len());
        for (role, moves) in legal.iter().enumerate() {
            fixed.push(moves.first().copied().unwrap_or(MoveId(0)));
            if moves.len() < 2 {
                continue;
            }
            movers.push(Mover {
                role: role as u32,
                first: arms.len() as u32,
                count: moves.len() as u32,
            });
            let mut moves = moves.clone();
            order(role, &mut moves);
            arms.extend(moves.into_iter().map(|id| Arm {
                points: 0,
                id,
                visits: 0,
                pending: 0,
                child: NONE,
                low: 0,
                high: MOST,
            }));
        }
        Self {
            fixed,
            movers,
            arms: arms.into(),
            joint: FxHashMap::default(),
            amaf: None,
            amaf_bytes: 0,
        }
    }

    /// The bytes it takes, without joint moves.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>()
            + self.amaf_bytes
            + size_of_val(&*self.arms)
            + spilled(&self.movers)
            + spilled(&self.fixed)
            // The allocator's part of two blocks.
            + 2 * 16
    }

    /// The bytes that a joint move takes in the table.
    pub(super) fn joint_bytes(&self) -> usize {
        // Tables are half empty after they have grown; the key is a block of its own.
        2 * (size_of::<(Box<[u32]>, NodeId)>() + 1) + 16 + 4 * self.movers.len()
    }

    /// Where a choice of arms leads.
    pub(super) fn child(&self, picks: &[u32]) -> NodeId {
        match picks {
            [pick] => self.arms[*pick as usize].child,
            _ => self.joint.get(picks).copied().unwrap_or(NONE),
        }
    }

    /// Says where a choice of arms leads; [`NONE`] takes it back.
    pub(super) fn set_child(&mut self, picks: &[u32], child: NodeId) {
        match picks {
            [pick] => self.arms[*pick as usize].child = child,
            _ if child == NONE => {
                self.joint.remove(picks);
            }
            _ => {
                self.joint.insert(picks.into(), child);
            }
        }
    }

    /// The joint move of a choice of arms.
    pub(super) fn joint_move(&self, picks: &[u32]) -> JointMove {
        let mut joint_move = self.fixed.clone();
        for (mover, pick) in self.movers.iter().zip(picks) {
            joint_move[mover.role as usize] = self.arms[*pick as usize].id;
        }
        joint_move
    }

    /// The choice of arms that is a joint move, if all of its moves are known here.
    pub(super) fn picks(&self, joint_move: &[MoveId]) -> Option<Vec<u32>> {
        let pick = |mover: &Mover| {
            let id = joint_move.get(mover.role as usize)?;
            let arms = mover.arms();
            let place = self.arms[arms.clone()]
                .iter()
                .position(|arm| arm.id == *id)?;
            Some((arms.start + place) as u32)
        };
        self.movers.iter().map(pick).collect()
    }

    /// All children there are.
    pub(super) fn children(&self) -> impl Iterator<Item = NodeId> + '_ {
        let arms = self.arms.iter().map(|arm| arm.child);
        arms.filter(|child| *child != NONE)
            .chain(self.joint.values().copied())
    }

    /// The moves of a role, if it has a choice.
    pub(super) fn mover(&self, role: usize) -> Option<Mover> {
        let mut movers = self.movers.iter();
        movers.find(|mover| mover.role as usize == role).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_under_way_counts_as_visited_and_partly_as_lost() {
        let body = Body::new(&[vec![MoveId(0), MoveId(1)]], |_, _| {});
        let mut arm = body.arms[0];
        arm.set_out(10);
        // Nothing is back: all of it is lost for now.
        assert_eq!((arm.visits, arm.shared_by(0.2)), (10, 10.0));
        arm.come_back(10);
        arm.set_out(5);
        assert_eq!((arm.visits, arm.shared_by(0.2)), (15, 11.0));
        assert_eq!((arm.shared_by(0.0), arm.shared_by(1.0)), (10.0, 15.0));
        arm.take_back(5);
        assert_eq!((arm.visits, arm.pending), (10, 0));
    }
}
