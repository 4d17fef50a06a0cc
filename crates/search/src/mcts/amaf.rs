//! All moves as first: what came of a move when it was played anywhere below a node, by whoever had
//! it (GRAVE).
//!
//! Nodes that were visited often enough have a record of all moves made below them. A node with few
//! visits of its own looks its moves up in the record of the nearest node above it, its
//! *reference*, and believes it less the more it knows itself.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use ludorum_reasoner::{MoveHistory, MoveId, Role};

use super::node::{Arm, MOST};
use super::settings::Grave;

/// What came of a move.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Record {
    playouts: f64,
    /// 0 to 1 for each playout.
    points: f64,
}

/// For each role its moves, by number.
pub(super) type Records = Vec<Vec<Record>>;

/// All that was played below a node.
#[derive(Debug)]
pub(super) struct Amaf(RwLock<Records>);

impl Amaf {
    pub(super) fn new(roles: usize) -> Self {
        Self(RwLock::new(vec![Vec::new(); roles]))
    }

    pub(super) fn read(&self) -> RwLockReadGuard<'_, Records> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Records> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in what playouts played.
    #[allow(clippy::cast_precision_loss)] // sums far below 2^52
    pub(super) fn learn(&self, history: &MoveHistory) {
        let mut records = self.write();
        for (records, moves) in records.iter_mut().zip(&history.moves) {
            if records.len() < moves.len() {
                records.resize(moves.len(), Record::default());
            }
            for (record, new) in records.iter_mut().zip(moves) {
                record.playouts += new.playouts as f64;
                record.points += new.points as f64 / f64::from(MOST);
            }
        }
    }

    /// Takes in moves made in the tree on the way to playouts: for each its role, and what the role
    /// got, so many times together.
    #[allow(clippy::cast_precision_loss)] // as above
    pub(super) fn learn_moves(&self, moves: &[(Role, MoveId, u64)], times: u32) {
        let mut records = self.write();
        for (role, id, points) in moves {
            let Some(records) = records.get_mut(*role) else {
                continue;
            };
            if records.len() <= id.index() {
                records.resize(id.index() + 1, Record::default());
            }
            let record = &mut records[id.index()];
            record.playouts += f64::from(times);
            record.points += *points as f64 / f64::from(MOST);
        }
    }
}

/// The bytes that the next record is believed to take: as many as the largest there is.
#[derive(Debug)]
pub(super) struct Extent(AtomicUsize);

impl Extent {
    pub(super) fn new() -> Self {
        Self(AtomicUsize::new(1024))
    }

    pub(super) fn bytes(&self) -> usize {
        self.0.load(Ordering::Acquire)
    }

    pub(super) fn learn(&self, history: &MoveHistory) {
        let moves: usize = history.moves.iter().map(Vec::len).sum();
        let bytes = 64 + history.moves.len() * size_of::<Vec<Record>>();
        // Lists are up to half empty.
        self.0
            .fetch_max(bytes + 2 * moves * size_of::<Record>(), Ordering::AcqRel);
    }
}

/// The value of an arm with what the reference says about its move, both 0 to 1; none if neither
/// knows anything.
pub(super) fn value(arm: &Arm, own: f64, records: &[Record], grave: Grave) -> Option<f64> {
    let record = records.get(arm.id.index()).copied().unwrap_or_default();
    let own = (arm.visits > 0).then_some(own);
    if record.playouts < 1.0 {
        return own;
    }
    let general = record.points / record.playouts;
    let Some(own) = own else {
        return Some(general);
    };
    let (n, m) = (f64::from(arm.visits), record.playouts);
    let weight = m / (n + m + grave.bias * n * m);
    Some((1.0 - weight) * own + weight * general)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcts::node::NONE;

    fn arm(visits: u32) -> Arm {
        Arm {
            points: 0,
            id: MoveId(1),
            visits,
            pending: 0,
            child: NONE,
            low: 0,
            high: MOST,
        }
    }

    #[test]
    fn the_reference_is_believed_less_the_more_a_move_was_tried() {
        let amaf = Amaf::new(2);
        amaf.learn_moves(&[(0, MoveId(1), 900)], 10);
        let records = amaf.read();
        let grave = Grave {
            visits: 1,
            bias: 0.001,
        };
        let at = |visits| value(&arm(visits), 0.2, &records[0], grave).unwrap();
        assert!((at(0) - 0.9).abs() < 1e-6);
        assert!(at(1) > at(10) && at(10) > at(1000) && at(100_000) > 0.2);
        assert!(at(100_000) < 0.21);
        assert!(value(&arm(0), 0.0, &records[1], grave).is_none());
    }
}
