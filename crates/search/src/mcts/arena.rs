//! The memory of a tree: numbered slots, each behind a lock of its own, within a memory limit.
//!
//! Slots come in chunks that are never moved or freed, so threads can read nodes while others add
//! new ones. A lock is held only for a few steps on one node, and no thread that holds a node's
//! lock waits for another node's lock.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use super::node::{Node, NodeId};

/// Slots of a chunk.
const CHUNK: usize = 1024;

/// The content of a slot.
#[derive(Debug)]
pub(super) enum Slot<S> {
    Free,
    /// Reserved for a new leaf: by which worker, and the leaf's index in that worker's batch.
    Reserved {
        worker: u32,
        leaf: u32,
    },
    Node(Node<S>),
}

impl<S> Slot<S> {
    pub(super) fn node(&self) -> Option<&Node<S>> {
        match self {
            Self::Node(node) => Some(node),
            _ => None,
        }
    }

    pub(super) fn node_mut(&mut self) -> Option<&mut Node<S>> {
        match self {
            Self::Node(node) => Some(node),
            _ => None,
        }
    }
}

type Chunk<S> = Box<[Mutex<Slot<S>>]>;

/// All nodes of a tree.
#[derive(Debug)]
pub(super) struct Arena<S> {
    chunks: Box<[OnceLock<Chunk<S>>]>,
    free: Mutex<Free>,
    bytes: AtomicUsize,
    max_bytes: usize,
    nodes: AtomicUsize,
}

#[derive(Debug, Default)]
struct Free {
    slots: Vec<NodeId>,
    /// The first slot that was never used.
    fresh: usize,
}

impl<S> Arena<S> {
    /// The bytes of a slot.
    pub(super) const SLOT: usize = size_of::<Mutex<Slot<S>>>();

    /// An arena with a memory limit.
    pub(super) fn new(max_bytes: usize) -> Self {
        let slots = max_bytes / Self::SLOT;
        // Indices have 32 bits, and the last one means no node.
        let chunks = (slots / CHUNK + 1).min(u32::MAX as usize / CHUNK);
        Self {
            chunks: (0..chunks).map(|_| OnceLock::new()).collect(),
            free: Mutex::default(),
            bytes: AtomicUsize::new(0),
            max_bytes,
            nodes: AtomicUsize::new(0),
        }
    }

    /// Locks a slot.
    pub(super) fn lock(&self, id: NodeId) -> MutexGuard<'_, Slot<S>> {
        let chunk = &self.chunks[id as usize / CHUNK];
        let chunk = chunk.get_or_init(|| (0..CHUNK).map(|_| Mutex::new(Slot::Free)).collect());
        chunk[id as usize % CHUNK]
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Reserves a free slot, if the memory limit allows one more.
    pub(super) fn allocate(&self) -> Option<NodeId> {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(id) = free.slots.pop() {
            return Some(id);
        }
        if free.fresh >= self.chunks.len() * CHUNK {
            return None;
        }
        if free.fresh == 0 {
            // A root is needed whatever the limit.
            self.add_bytes(CHUNK * Self::SLOT);
        } else if free.fresh.is_multiple_of(CHUNK) && !self.reserve(CHUNK * Self::SLOT) {
            return None;
        }
        free.fresh += 1;
        Some((free.fresh - 1) as NodeId)
    }

    /// Counts bytes as used, if the limit allows it.
    pub(super) fn reserve(&self, bytes: usize) -> bool {
        let more = |now: usize| now.checked_add(bytes).filter(|sum| *sum <= self.max_bytes);
        self.bytes
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, more)
            .is_ok()
    }

    /// Counts bytes as used, whatever the limit.
    pub(super) fn add_bytes(&self, bytes: usize) {
        self.bytes.fetch_add(bytes, Ordering::AcqRel);
    }

    /// Counts bytes as free.
    pub(super) fn release(&self, bytes: usize) {
        self.bytes.fetch_sub(bytes, Ordering::AcqRel);
    }

    /// Puts a node, whose bytes are counted already, into a slot.
    pub(super) fn insert(&self, id: NodeId, node: Node<S>) {
        *self.lock(id) = Slot::Node(node);
        self.nodes.fetch_add(1, Ordering::AcqRel);
    }

    /// Empties a slot and gives its content.
    pub(super) fn remove(&self, id: NodeId) -> Slot<S> {
        let slot = std::mem::replace(&mut *self.lock(id), Slot::Free);
        self.freed(id, &slot);
        slot
    }

    fn freed(&self, id: NodeId, slot: &Slot<S>) {
        if let Slot::Node(node) = slot {
            self.release(node.bytes);
            self.nodes.fetch_sub(1, Ordering::AcqRel);
        }
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        free.slots.push(id);
    }

    /// Empties a slot whose node fits, and gives its content.
    pub(super) fn remove_if(
        &self,
        id: NodeId,
        fits: impl FnOnce(&Node<S>) -> bool,
    ) -> Option<Slot<S>> {
        let mut guard = self.lock(id);
        guard.node().filter(|node| fits(node))?;
        let slot = std::mem::replace(&mut *guard, Slot::Free);
        drop(guard);
        self.freed(id, &slot);
        Some(slot)
    }

    /// All slots that were ever used.
    pub(super) fn ids(&self) -> std::ops::Range<NodeId> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        0..free.fresh as NodeId
    }

    /// The used bytes, empty slots included.
    pub(super) fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Acquire)
    }

    /// The memory limit.
    pub(super) fn max_bytes(&self) -> usize {
        self.max_bytes
    }

    /// The number of nodes.
    pub(super) fn nodes(&self) -> usize {
        self.nodes.load(Ordering::Acquire)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_used_again_and_the_bound_is_kept() {
        let arena: Arena<u64> = Arena::new(CHUNK * Arena::<u64>::SLOT + 100);
        let first = arena.allocate().unwrap();
        assert!(arena.reserve(100));
        assert!(!arena.reserve(1));
        let mut node = Node::new(7, 2);
        node.bytes = 100;
        arena.insert(first, node);
        assert_eq!(arena.lock(first).node().unwrap().state, 7);
        assert_eq!(arena.nodes(), 1);
        arena.remove(first);
        assert_eq!((arena.nodes(), arena.reserve(100)), (0, true));
        assert_eq!(arena.allocate(), Some(first));
        let more = std::iter::from_fn(|| arena.allocate()).count();
        assert_eq!(more, CHUNK - 1);
    }
}
