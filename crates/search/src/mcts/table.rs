//! Positions that several ways lead to, each kept once.
//!
//! Nodes are found by their keys, and always compared before they are believed to be the same.
//! Whether a game has such positions at all is seen after some thousand nodes; where it has next to
//! none the table is given up, and the tree is a tree.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

use super::node::NodeId;
use super::settings::Sharing;

/// The table is in so many parts, so that threads seldom meet.
const PARTS: usize = 64;
/// The bytes of an entry, with the part of the table that is empty.
pub(super) const ENTRY: usize = 32;
/// After so many new nodes it is decided whether the table stays.
const TRIAL: u64 = 4096;
/// It stays if one in so many of them was there already.
const ONE_IN: u64 = 50;

/// Nodes by key.
#[derive(Debug)]
pub(super) struct Table {
    parts: Box<[Mutex<FxHashMap<u64, NodeId>>]>,
    sharing: Sharing,
    is_used: AtomicBool,
    seen: AtomicU64,
    found: AtomicU64,
}

impl Table {
    pub(super) fn new(sharing: Sharing) -> Self {
        Self {
            parts: (0..PARTS).map(|_| Mutex::default()).collect(),
            sharing,
            is_used: AtomicBool::new(sharing != Sharing::Off),
            seen: AtomicU64::new(0),
            found: AtomicU64::new(0),
        }
    }

    /// Whether nodes may be shared. Once they may not, that stays so.
    pub(super) fn is_used(&self) -> bool {
        self.is_used.load(Ordering::Acquire)
    }

    /// Whether several ways lead to some node, or have.
    pub(super) fn has_shared(&self) -> bool {
        self.found.load(Ordering::Acquire) > 0
    }

    fn part(&self, key: u64) -> MutexGuard<'_, FxHashMap<u64, NodeId>> {
        let part = &self.parts[(key >> 32) as usize % PARTS];
        part.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The node that has, or had, a key.
    pub(super) fn get(&self, key: u64) -> Option<NodeId> {
        self.part(key).get(&key).copied()
    }

    pub(super) fn put(&self, key: u64, id: NodeId) {
        self.part(key).insert(key, id);
    }

    /// Takes a node out.
    pub(super) fn remove(&self, key: u64, id: NodeId) {
        let mut part = self.part(key);
        if part.get(&key) == Some(&id) {
            part.remove(&key);
        }
    }

    /// Takes note that a new node was there already, or not.
    pub(super) fn learn(&self, was_there: bool) {
        let found = self.found.fetch_add(u64::from(was_there), Ordering::AcqRel);
        if self.sharing != Sharing::Auto {
            return;
        }
        let seen = self.seen.fetch_add(1, Ordering::AcqRel) + 1;
        if seen == TRIAL && found * ONE_IN < seen {
            self.is_used.store(false, Ordering::Release);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_without_transpositions_gives_the_table_up() {
        let table = Table::new(Sharing::Auto);
        (0..TRIAL).for_each(|_| table.learn(false));
        assert!(!table.is_used());
        let table = Table::new(Sharing::Auto);
        (0..TRIAL).for_each(|i| table.learn(i % 10 == 0));
        assert!(table.is_used());
        assert!(!Table::new(Sharing::Off).is_used());
    }

    #[test]
    fn only_the_node_that_is_there_is_taken_out() {
        let table = Table::new(Sharing::On);
        table.put(7, 1);
        table.put(7, 2);
        table.remove(7, 1);
        assert_eq!(table.get(7), Some(2));
        table.remove(7, 2);
        assert_eq!(table.get(7), None);
    }
}
