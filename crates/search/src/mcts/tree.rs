//! The search tree, shared by the threads of tree parallelisation.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};

use ludorum_reasoner::MoveId;

use super::amaf::AmafSizeEstimate;
use super::arena::{Arena, Slot};
use super::node::{Expansion, NONE, Node, NodeId};
use super::settings::TranspositionMode;
use super::transpositions::TranspositionTable;

/// A search tree and its counters.
#[derive(Debug)]
pub(super) struct Tree<S> {
    pub(super) arena: Arena<S>,
    pub(super) transpositions: TranspositionTable,
    pub(super) amaf_size: AmafSizeEstimate,
    root: AtomicU32,
    /// Roots of subtrees that are no longer reachable; they are freed incrementally.
    garbage: Mutex<Vec<NodeId>>,
    /// Held for reading while a thread uses nodes, for writing while nodes are removed.
    access: RwLock<()>,
    /// Whether the arena refused a node.
    pub(super) is_full: AtomicBool,
    /// The longest path from the current root.
    pub(super) depth: AtomicU32,
    /// Simulations since the search began, visits of solved nodes included.
    pub(super) simulations: AtomicU64,
    /// Playouts since the search began.
    pub(super) playouts: AtomicU64,
}

impl<S: Clone + Eq> Tree<S> {
    pub(super) fn new(bytes: usize, sharing: TranspositionMode) -> Self {
        Self {
            arena: Arena::new(bytes),
            transpositions: TranspositionTable::new(sharing),
            amaf_size: AmafSizeEstimate::new(),
            root: AtomicU32::new(NONE),
            garbage: Mutex::default(),
            access: RwLock::default(),
            is_full: AtomicBool::new(false),
            depth: AtomicU32::new(0),
            simulations: AtomicU64::new(0),
            playouts: AtomicU64::new(0),
        }
    }

    /// The root; [`NONE`] before there is one.
    pub(super) fn root(&self) -> NodeId {
        self.root.load(Ordering::Acquire)
    }

    /// The lock to hold while using nodes.
    pub(super) fn read_access(&self) -> RwLockReadGuard<'_, ()> {
        self.access.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records that the arena refused a node.
    pub(super) fn set_full(&self) {
        self.is_full.store(true, Ordering::Release);
    }

    fn garbage(&self) -> MutexGuard<'_, Vec<NodeId>> {
        self.garbage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a state the root. If it is the root already, its statistics are kept.
    pub(super) fn set_root(
        &mut self,
        state: &S,
        legal: &[Vec<MoveId>],
        order: impl FnMut(usize, &mut [MoveId]),
        node: impl FnOnce() -> Node<S>,
    ) {
        let root = self.root();
        let is_known = root != NONE
            && self
                .arena
                .lock(root)
                .node()
                .is_some_and(|node| node.state == *state);
        if !is_known {
            self.clear();
            let node = node();
            // The first slot always exists, and a root is needed whatever the memory limit.
            let Some(id) = self.arena.allocate().or_else(|| {
                self.collect(usize::MAX);
                self.arena.allocate()
            }) else {
                return;
            };
            self.arena.add_bytes(node.bytes);
            self.arena.insert(id, node);
            self.root.store(id, Ordering::Release);
        }
        let mut slot = self.arena.lock(self.root());
        if let Some(node) = slot.node_mut()
            && node.expansion.is_none()
        {
            let expansion = Expansion::new(legal, order);
            node.bytes += expansion.bytes();
            self.arena.add_bytes(expansion.bytes());
            node.expansion = Some(Box::new(expansion));
        }
    }

    /// Re-roots the tree after a joint move: the child becomes the root, the rest becomes garbage.
    pub(super) fn advance(&mut self, joint_move: &[MoveId], state: &S) {
        let root = self.root();
        if root == NONE {
            return;
        }
        let mut child = NONE;
        if let Some(node) = self.arena.lock(root).node_mut()
            && let Some(expansion) = &mut node.expansion
            && let Some(picks) = expansion.picks(joint_move)
        {
            child = expansion.child(&picks);
            if child != NONE {
                expansion.set_child(&picks, NONE);
            }
        }
        self.detach(root);
        *self.depth.get_mut() = self.depth.get_mut().saturating_sub(1);
        *self.is_full.get_mut() = false;
        let is_right = child != NONE
            && self
                .arena
                .lock(child)
                .node()
                .is_some_and(|node| node.state == *state);
        if child != NONE && !is_right {
            self.detach(child);
            child = NONE;
        }
        self.root.store(child, Ordering::Release);
    }

    /// Removes all nodes.
    pub(super) fn clear(&mut self) {
        let root = std::mem::replace(self.root.get_mut(), NONE);
        if root != NONE {
            self.detach(root);
        }
        *self.depth.get_mut() = 0;
        *self.is_full.get_mut() = false;
    }

    /// Frees up to `most` nodes of garbage; gives whether some is left.
    pub(super) fn collect(&self, most: usize) -> bool {
        let mut garbage = self.garbage();
        for _ in 0..most {
            let Some(id) = garbage.pop() else {
                return false;
            };
            if let Some(node) = self.free_node(id) {
                self.detach_children(&node, &mut garbage);
            }
        }
        !garbage.is_empty()
    }

    /// Removes a reference to a node, which becomes garbage with the last one.
    fn detach(&self, id: NodeId) {
        if detach(&self.arena, id) {
            self.garbage().push(id);
        }
    }

    /// Removes the references of a freed node to its children.
    fn detach_children(&self, node: &Node<S>, garbage: &mut Vec<NodeId>) {
        let children = node
            .expansion
            .iter()
            .flat_map(|expansion| expansion.children());
        garbage.extend(children.filter(|child| detach(&self.arena, *child)));
    }

    /// Frees a node, unless it was referenced again in the meantime.
    fn free_node(&self, id: NodeId) -> Option<Node<S>> {
        let is_garbage = |node: &Node<S>| node.parents == 0;
        let Slot::Node(node) = self.arena.remove_if(id, is_garbage)? else {
            return None;
        };
        if let Some(key) = node.key {
            self.transpositions.remove(key, id);
        }
        Some(node)
    }

    /// Looks a state up in the transposition table, and adds a reference to its node.
    pub(super) fn find_shared(&self, key: u64, state: &S) -> Option<NodeId> {
        let id = self.transpositions.get(key)?;
        let mut slot = self.arena.lock(id);
        let node = slot.node_mut().filter(|node| node.state == *state)?;
        node.parents = node.parents.checked_add(1)?;
        Some(id)
    }

    /// Waits until no thread uses nodes, and frees memory: garbage first, then the least visited
    /// subtrees.
    pub(super) fn make_room(&self) {
        let _alone = self.access.write().unwrap_or_else(PoisonError::into_inner);
        if !self.is_full.swap(false, Ordering::AcqRel) {
            return;
        }
        let before = self.arena.bytes();
        self.collect(usize::MAX);
        let enough = self.arena.max_bytes() / 8;
        if before - self.arena.bytes() < enough {
            let closed = super::recycle::recycle(&self.arena, self.root());
            for child in closed {
                self.detach(child);
            }
            self.collect(usize::MAX);
        }
        // Reference counts do not find cycles of nodes.
        if before - self.arena.bytes() < enough && self.transpositions.has_shared() {
            self.sweep();
        }
    }

    /// Frees all nodes that are not reachable from the root. No thread may use nodes.
    fn sweep(&self) {
        let reached = super::recycle::reached(&self.arena, self.root());
        for id in self.arena.ids() {
            let mut slot = self.arena.lock(id);
            if let Some(node) = slot.node_mut()
                && !reached.contains(&id)
            {
                // All nodes that refer to this one are freed as well; the counts of reachable ones
                // are recomputed below.
                node.parents = 0;
                drop(slot);
                self.free_node(id);
            }
        }
        super::recycle::count_parents(&self.arena, self.root(), &reached);
    }
}

/// Removes a reference to a node; gives whether it was the last.
fn detach<S>(arena: &Arena<S>, id: NodeId) -> bool {
    let mut slot = arena.lock(id);
    let Some(node) = slot.node_mut() else {
        return false;
    };
    node.parents = node.parents.saturating_sub(1);
    node.parents == 0
}
