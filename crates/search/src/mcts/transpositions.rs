//! The transposition table: positions that several paths lead to are stored once.
//!
//! Nodes are found by a hash key, and their states are compared before they count as the same.
//! After some thousand nodes the table is given up in games that have next to no transpositions.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

use super::node::NodeId;
use super::settings::TranspositionMode;

/// The table is split into shards with a lock each, so that threads rarely wait for each other.
const SHARDS: usize = 64;
/// The bytes of an entry, with the unused shard of the hash table.
pub(super) const ENTRY_BYTES: usize = 32;
/// After this many new nodes it is decided whether the table is kept.
const DECIDED_AFTER: u64 = 4096;
/// The table is kept if at least one in this many new nodes was a transposition.
const MIN_SHARE: u64 = 50;

/// A transposition table: nodes by hash key.
#[derive(Debug)]
pub(super) struct TranspositionTable {
    shards: Box<[Mutex<FxHashMap<u64, NodeId>>]>,
    sharing: TranspositionMode,
    is_used: AtomicBool,
    seen: AtomicU64,
    found: AtomicU64,
}

impl TranspositionTable {
    pub(super) fn new(sharing: TranspositionMode) -> Self {
        Self {
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            sharing,
            is_used: AtomicBool::new(sharing != TranspositionMode::Off),
            seen: AtomicU64::new(0),
            found: AtomicU64::new(0),
        }
    }

    /// Whether transpositions are merged. Once switched off, this stays so.
    pub(super) fn is_used(&self) -> bool {
        self.is_used.load(Ordering::Acquire)
    }

    /// Whether any node has or had several parents.
    pub(super) fn has_shared(&self) -> bool {
        self.found.load(Ordering::Acquire) > 0
    }

    fn shard(&self, key: u64) -> MutexGuard<'_, FxHashMap<u64, NodeId>> {
        let shard = &self.shards[(key >> 32) as usize % SHARDS];
        shard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The node that has, or had, a key.
    pub(super) fn get(&self, key: u64) -> Option<NodeId> {
        self.shard(key).get(&key).copied()
    }

    pub(super) fn put(&self, key: u64, id: NodeId) {
        self.shard(key).insert(key, id);
    }

    /// Removes a node, if the key is still its own.
    pub(super) fn remove(&self, key: u64, id: NodeId) {
        let mut shard = self.shard(key);
        if shard.get(&key) == Some(&id) {
            shard.remove(&key);
        }
    }

    /// Records whether a new node was a transposition.
    pub(super) fn learn(&self, was_there: bool) {
        let found = self.found.fetch_add(u64::from(was_there), Ordering::AcqRel);
        if self.sharing != TranspositionMode::Auto {
            return;
        }
        let seen = self.seen.fetch_add(1, Ordering::AcqRel) + 1;
        if seen == DECIDED_AFTER && found * MIN_SHARE < seen {
            self.is_used.store(false, Ordering::Release);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_given_up_in_a_game_without_transpositions() {
        let table = TranspositionTable::new(TranspositionMode::Auto);
        (0..DECIDED_AFTER).for_each(|_| table.learn(false));
        assert!(!table.is_used());
        let table = TranspositionTable::new(TranspositionMode::Auto);
        (0..DECIDED_AFTER).for_each(|i| table.learn(i % 10 == 0));
        assert!(table.is_used());
        assert!(!TranspositionTable::new(TranspositionMode::Off).is_used());
    }

    #[test]
    fn a_key_is_removed_only_for_the_node_that_holds_it() {
        let table = TranspositionTable::new(TranspositionMode::On);
        table.put(7, 1);
        table.put(7, 2);
        table.remove(7, 1);
        assert_eq!(table.get(7), Some(2));
        table.remove(7, 2);
        assert_eq!(table.get(7), None);
    }
}
