//! The tree, which threads share.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};

use ludorum_reasoner::MoveId;

use super::amaf::Extent;
use super::arena::{Arena, Slot};
use super::node::{Body, NONE, Node, NodeId};
use super::settings::Sharing;
use super::table::Table;

/// A tree of nodes, and how it is growing.
#[derive(Debug)]
pub(super) struct Tree<S> {
    pub(super) arena: Arena<S>,
    pub(super) table: Table,
    pub(super) extent: Extent,
    root: AtomicU32,
    /// Subtrees that nothing leads to any more; they are taken apart bit by bit.
    garbage: Mutex<Vec<NodeId>>,
    /// Held for reading by whoever is among the nodes, for writing by whoever takes some of them
    /// away.
    gate: RwLock<()>,
    /// Whether there was no room for a node.
    pub(super) is_full: AtomicBool,
    /// The longest path from the root since it is the root.
    pub(super) depth: AtomicU32,
    /// Playouts since thinking began, those that would have told nothing new included.
    pub(super) simulations: AtomicU64,
    /// Playouts that were really made.
    pub(super) playouts: AtomicU64,
}

impl<S: Clone + Eq> Tree<S> {
    pub(super) fn new(bytes: usize, sharing: Sharing) -> Self {
        Self {
            arena: Arena::new(bytes),
            table: Table::new(sharing),
            extent: Extent::new(),
            root: AtomicU32::new(NONE),
            garbage: Mutex::default(),
            gate: RwLock::default(),
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

    /// To be held while among the nodes.
    pub(super) fn enter(&self) -> RwLockReadGuard<'_, ()> {
        self.gate.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes note that there was no room for a node.
    pub(super) fn set_full(&self) {
        self.is_full.store(true, Ordering::Release);
    }

    fn garbage(&self) -> MutexGuard<'_, Vec<NodeId>> {
        self.garbage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a state the root, keeping what is known if it is the root already.
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
            self.forget();
            let node = node();
            // The first slot is always there, and a root is needed whatever the bound.
            let Some(id) = self.arena.allocate().or_else(|| {
                self.collect(usize::MAX);
                self.arena.allocate()
            }) else {
                return;
            };
            self.arena.take(node.bytes);
            self.arena.put(id, node);
            self.root.store(id, Ordering::Release);
        }
        let mut slot = self.arena.lock(self.root());
        if let Some(node) = slot.node_mut()
            && node.body.is_none()
        {
            let body = Body::new(legal, order);
            node.bytes += body.bytes();
            self.arena.take(body.bytes());
            node.body = Some(Box::new(body));
        }
    }

    /// A joint move was played in the root: what it led to is the new root, the rest is garbage.
    pub(super) fn advance(&mut self, joint_move: &[MoveId], state: &S) {
        let root = self.root();
        if root == NONE {
            return;
        }
        let mut child = NONE;
        if let Some(node) = self.arena.lock(root).node_mut()
            && let Some(body) = &mut node.body
            && let Some(picks) = body.picks(joint_move)
        {
            child = body.child(&picks);
            if child != NONE {
                body.set_child(&picks, NONE);
            }
        }
        self.leave(root);
        *self.depth.get_mut() = self.depth.get_mut().saturating_sub(1);
        *self.is_full.get_mut() = false;
        let is_right = child != NONE
            && self
                .arena
                .lock(child)
                .node()
                .is_some_and(|node| node.state == *state);
        if child != NONE && !is_right {
            self.leave(child);
            child = NONE;
        }
        self.root.store(child, Ordering::Release);
    }

    /// Throws everything away.
    pub(super) fn forget(&mut self) {
        let root = std::mem::replace(self.root.get_mut(), NONE);
        if root != NONE {
            self.leave(root);
        }
        *self.depth.get_mut() = 0;
        *self.is_full.get_mut() = false;
    }

    /// Takes up to so many nodes of garbage apart; gives whether some is left.
    pub(super) fn collect(&self, most: usize) -> bool {
        let mut garbage = self.garbage();
        for _ in 0..most {
            let Some(id) = garbage.pop() else {
                return false;
            };
            if let Some(node) = self.take_apart(id) {
                self.leave_all(&node, &mut garbage);
            }
        }
        !garbage.is_empty()
    }

    /// One way less leads to a node.
    fn leave(&self, id: NodeId) {
        if leave(&self.arena, id) {
            self.garbage().push(id);
        }
    }

    /// No way leads on from a node that is gone.
    fn leave_all(&self, node: &Node<S>, garbage: &mut Vec<NodeId>) {
        let children = node.body.iter().flat_map(|body| body.children());
        garbage.extend(children.filter(|child| leave(&self.arena, *child)));
    }

    /// Takes a node away, unless a way leads to it again.
    fn take_apart(&self, id: NodeId) -> Option<Node<S>> {
        let is_garbage = |node: &Node<S>| node.ways == 0;
        let Slot::Node(node) = self.arena.remove_if(id, is_garbage)? else {
            return None;
        };
        if let Some(key) = node.key {
            self.table.remove(key, id);
        }
        Some(node)
    }

    /// The node of a state that is in the tree already; one more way leads to it from now on.
    pub(super) fn share(&self, key: u64, state: &S) -> Option<NodeId> {
        let id = self.table.get(key)?;
        let mut slot = self.arena.lock(id);
        let node = slot.node_mut().filter(|node| node.state == *state)?;
        node.ways = node.ways.checked_add(1)?;
        Some(id)
    }

    /// Waits until nobody is among the nodes, and makes room: garbage first, then what was visited
    /// least.
    pub(super) fn make_room(&self) {
        let _alone = self.gate.write().unwrap_or_else(PoisonError::into_inner);
        if !self.is_full.swap(false, Ordering::AcqRel) {
            return;
        }
        let before = self.arena.bytes();
        self.collect(usize::MAX);
        let enough = self.arena.most_bytes() / 8;
        if before - self.arena.bytes() < enough {
            let closed = super::recycle::recycle(&self.arena, self.root());
            for child in closed {
                self.leave(child);
            }
            self.collect(usize::MAX);
        }
        // Nodes that lead to each other in a circle are not found by counting the ways to them.
        if before - self.arena.bytes() < enough && self.table.has_shared() {
            self.sweep();
        }
    }

    /// Takes away whatever the root does not lead to. Nobody may be among the nodes.
    fn sweep(&self) {
        let reached = super::recycle::reached(&self.arena, self.root());
        for id in self.arena.ids() {
            let mut slot = self.arena.lock(id);
            if let Some(node) = slot.node_mut()
                && !reached.contains(&id)
            {
                // All that leads here goes as well, and what this leads to and stays is counted
                // below.
                node.ways = 0;
                drop(slot);
                self.take_apart(id);
            }
        }
        super::recycle::count_ways(&self.arena, self.root(), &reached);
    }
}

/// One way less leads to a node; gives whether it was the last.
fn leave<S>(arena: &Arena<S>, id: NodeId) -> bool {
    let mut slot = arena.lock(id);
    let Some(node) = slot.node_mut() else {
        return false;
    };
    node.ways = node.ways.saturating_sub(1);
    node.ways == 0
}
