//! The state of the forward chaining engine.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use ludorum_reasoner::{HeapSize, allocation};

/// A state: the sorted ids of its fluents, and its key.
#[derive(Clone)]
pub struct ChainState {
    pub(super) fluents: Arc<[u32]>,
    pub(super) key: u128,
}

impl PartialEq for ChainState {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key && self.fluents == other.fluents
    }
}

impl Eq for ChainState {}

impl Hash for ChainState {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        hasher.write_u64(self.key as u64);
    }
}

impl fmt::Debug for ChainState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.fluents.iter()).finish()
    }
}

impl HeapSize for ChainState {
    fn heap_bytes(&self) -> usize {
        // An `Arc` stores two counters before its contents.
        allocation(size_of_val(&*self.fluents) + 16)
    }
}
