//! All-moves-as-first statistics: RAVE (Gelly and Silver 2007, 2011; in GGP: Finnsson and Björnsson
//! 2010), generalised as GRAVE (Cazenave 2015).
//!
//! Nodes with enough visits record the results of all moves played below them. A node with few
//! visits of its own mixes its values with those of the nearest ancestor that has such records, its
//! *reference*. The weight of the reference falls with the node's own visits.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use ludorum_reasoner::{MoveHistory, MoveId, Role};

use super::node::{ChildEdge, MAX_GOAL};
use super::settings::GraveSettings;

/// The statistics of a move.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Record {
    playouts: f64,
    /// The sum of goals, 0 to 1 each.
    points: f64,
}

/// The statistics of each role's moves, by move id.
pub(super) type Records = Vec<Vec<Record>>;

/// The AMAF statistics of a node.
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

    /// Adds the moves of playouts.
    #[allow(clippy::cast_precision_loss)] // sums far below 2^52
    pub(super) fn learn(&self, history: &MoveHistory) {
        let mut records = self.write();
        for (records, moves) in records.iter_mut().zip(&history.moves) {
            if records.len() < moves.len() {
                records.resize(moves.len(), Record::default());
            }
            for (record, new) in records.iter_mut().zip(moves) {
                record.playouts += new.playouts as f64;
                record.points += new.points as f64 / f64::from(MAX_GOAL);
            }
        }
    }

    /// Adds moves selected in the tree: the role, the move, and the role's points in `times`
    /// playouts.
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
            record.points += *points as f64 / f64::from(MAX_GOAL);
        }
    }
}

/// An estimate of the bytes of the next node's statistics: the largest so far.
#[derive(Debug)]
pub(super) struct AmafSizeEstimate(AtomicUsize);

impl AmafSizeEstimate {
    pub(super) fn new() -> Self {
        Self(AtomicUsize::new(1024))
    }

    pub(super) fn bytes(&self) -> usize {
        self.0.load(Ordering::Acquire)
    }

    pub(super) fn learn(&self, history: &MoveHistory) {
        let moves: usize = history.moves.iter().map(Vec::len).sum();
        let bytes = 64 + history.moves.len() * size_of::<Vec<Record>>();
        // Vectors are up to half empty.
        self.0
            .fetch_max(bytes + 2 * moves * size_of::<Record>(), Ordering::AcqRel);
    }
}

/// The value of an edge mixed with that of the reference, both 0 to 1 (GRAVE, Cazenave 2015); none
/// if neither is known.
pub(super) fn value(
    edge: &ChildEdge,
    own: f64,
    records: &[Record],
    grave: GraveSettings,
) -> Option<f64> {
    let record = records.get(edge.id.index()).copied().unwrap_or_default();
    let own = (edge.visits > 0).then_some(own);
    if record.playouts < 1.0 {
        return own;
    }
    let general = record.points / record.playouts;
    let Some(own) = own else {
        return Some(general);
    };
    let (n, m) = (f64::from(edge.visits), record.playouts);
    let weight = m / (n + m + grave.bias * n * m);
    Some((1.0 - weight) * own + weight * general)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcts::node::NONE;

    fn edge(visits: u32) -> ChildEdge {
        ChildEdge {
            points: 0,
            id: MoveId(1),
            visits,
            pending: 0,
            child: NONE,
            low: 0,
            high: MAX_GOAL,
        }
    }

    #[test]
    fn the_weight_of_the_reference_falls_with_the_visits_of_the_move() {
        let amaf = Amaf::new(2);
        amaf.learn_moves(&[(0, MoveId(1), 900)], 10);
        let records = amaf.read();
        let grave = GraveSettings {
            visits: 1,
            bias: 0.001,
        };
        let at = |visits| value(&edge(visits), 0.2, &records[0], grave).unwrap();
        assert!((at(0) - 0.9).abs() < 1e-6);
        assert!(at(1) > at(10) && at(10) > at(1000) && at(100_000) > 0.2);
        assert!(at(100_000) < 0.21);
        assert!(value(&edge(0), 0.0, &records[1], grave).is_none());
    }
}
