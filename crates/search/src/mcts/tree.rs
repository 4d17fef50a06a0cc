//! The tree, which threads share.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};

use ludorum_reason::MoveId;

use super::arena::{Arena, Slot};
use super::node::{Body, NONE, Node, NodeId};

/// A tree of nodes, and how it is growing.
#[derive(Debug)]
pub(super) struct Tree<S> {
    pub(super) arena: Arena<S>,
    root: AtomicU32,
    /// Subtrees that nothing leads to any more; they are taken apart bit by bit.
    garbage: Mutex<Vec<NodeId>>,
    /// Held for reading by whoever is among the nodes, for writing by whoever takes some of them away.
    gate: RwLock<()>,
    /// Whether there was no room for a node.
    pub(super) is_full: AtomicBool,
    /// The longest path from the root since it is the root.
    pub(super) depth: AtomicU32,
    /// Playouts since thinking began.
    pub(super) simulations: AtomicU64,
}

impl<S: Clone + Eq> Tree<S> {
    pub(super) fn new(bytes: usize) -> Self {
        Self {
            arena: Arena::new(bytes),
            root: AtomicU32::new(NONE),
            garbage: Mutex::default(),
            gate: RwLock::default(),
            is_full: AtomicBool::new(false),
            depth: AtomicU32::new(0),
            simulations: AtomicU64::new(0),
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
            let body = Body::new(legal, |_, _| {});
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
        self.garbage().push(root);
        *self.depth.get_mut() = self.depth.get_mut().saturating_sub(1);
        *self.is_full.get_mut() = false;
        let is_right = child != NONE
            && self
                .arena
                .lock(child)
                .node()
                .is_some_and(|node| node.state == *state);
        if child != NONE && !is_right {
            self.garbage().push(child);
            child = NONE;
        }
        self.root.store(child, Ordering::Release);
    }

    /// Throws everything away.
    pub(super) fn forget(&mut self) {
        let root = std::mem::replace(self.root.get_mut(), NONE);
        if root != NONE {
            self.garbage().push(root);
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
            if let Slot::Node(node) = self.arena.remove(id)
                && let Some(body) = node.body
            {
                garbage.extend(body.children());
            }
        }
        !garbage.is_empty()
    }

    /// Waits until nobody is among the nodes, and makes room: garbage first, then what was visited least.
    pub(super) fn make_room(&self) {
        let _alone = self.gate.write().unwrap_or_else(PoisonError::into_inner);
        if !self.is_full.swap(false, Ordering::AcqRel) {
            return;
        }
        let before = self.arena.bytes();
        self.collect(usize::MAX);
        if before - self.arena.bytes() < self.arena.most_bytes() / 8 {
            super::recycle::recycle(&self.arena, self.root());
        }
    }
}
