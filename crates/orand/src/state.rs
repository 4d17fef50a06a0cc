//! The state of the interpreter.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use ludorum_logic::TermId;

use ludorum_reasoner::{HeapSize, allocation};

/// A state: its fluents sorted by id, and its key.
#[derive(Clone)]
pub struct OrandState {
    pub(super) fluents: Arc<[TermId]>,
    pub(super) key: u128,
}

impl PartialEq for OrandState {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key && self.fluents == other.fluents
    }
}

impl Eq for OrandState {}

impl Hash for OrandState {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        hasher.write_u64(self.key as u64);
    }
}

impl HeapSize for OrandState {
    fn heap_bytes(&self) -> usize {
        // An `Arc` stores its reference counts before the contents.
        allocation(2 * size_of::<usize>() + size_of_val(&*self.fluents))
    }
}

impl fmt::Debug for OrandState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x} ({} fluents)", self.key, self.fluents.len())
    }
}
