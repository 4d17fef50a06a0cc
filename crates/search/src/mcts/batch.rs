//! The ways from the root to the leaves that are played from together.

use std::sync::Arc;

use ludorum_reasoner::{MoveId, Role};

use super::amaf::Amaf;
use super::arena::Slot;
use super::node::{JointMove, NONE, Node, NodeId};
use super::select;
use super::settings::Settings;
use super::tree::Tree;

/// A node on a way, and what was chosen there: a range of [`Batch::picks`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) node: NodeId,
    first: u32,
    last: u32,
}

/// A way through the tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct Path {
    /// Its steps: a range of [`Batch::steps`].
    first: u32,
    last: u32,
    pub(super) end: End,
}

/// Where a way ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// At a leaf that is played from.
    Leaf(u32),
    /// At a node about which everything is known.
    Solved(NodeId),
    /// At a node that is to be opened first.
    Closed(NodeId),
    /// At a node that another thread is working on: nothing to do here.
    Taken,
}

/// Where playouts begin.
#[derive(Debug)]
pub(super) struct Leaf<S> {
    /// Its node, if there is or will be one.
    pub(super) id: NodeId,
    /// The state it is to be worked out from; the state itself, if the node is there. None when it
    /// is among the starts of playouts.
    pub(super) state: Option<S>,
    /// The joint move that leads to it; none if the node is there.
    pub(super) joint_move: Option<JointMove>,
    /// The path that came there first.
    pub(super) path: usize,
}

/// Ways through the tree that are worked on together.
#[derive(Debug)]
pub(super) struct Batch<S> {
    pub(super) paths: Vec<Path>,
    pub(super) steps: Vec<Step>,
    pub(super) picks: Vec<u32>,
    pub(super) leaves: Vec<Leaf<S>>,
    /// Who works on it.
    worker: u32,
    /// How many playouts each way is counted for.
    pub(super) times: u32,
}

impl<S: Clone + Eq> Batch<S> {
    pub(super) fn new(worker: u32) -> Self {
        Self {
            paths: Vec::new(),
            steps: Vec::new(),
            picks: Vec::new(),
            leaves: Vec::new(),
            worker,
            times: 1,
        }
    }

    pub(super) fn clear(&mut self, times: u32) {
        self.paths.clear();
        self.steps.clear();
        self.picks.clear();
        self.leaves.clear();
        self.times = times;
    }

    /// The steps of a path.
    pub(super) fn steps_of(&self, path: Path) -> &[Step] {
        &self.steps[path.first as usize..path.last as usize]
    }

    /// What was chosen in a step.
    pub(super) fn picks_of(&self, step: Step) -> &[u32] {
        &self.picks[step.first as usize..step.last as usize]
    }

    /// Finds a way from the root. `only` is a move that its role has already made there.
    pub(super) fn descend(
        &mut self,
        tree: &Tree<S>,
        settings: &Settings,
        only: Option<(Role, MoveId)>,
    ) -> End {
        let first = self.steps.len() as u32;
        let root = tree.root();
        let end = self.walk(tree, settings, first as usize, root, only);
        self.paths.push(Path {
            first,
            last: self.steps.len() as u32,
            end,
        });
        end
    }

    /// Goes on with a way whose last node has been opened.
    pub(super) fn go_on(&mut self, tree: &Tree<S>, settings: &Settings, path: usize, from: NodeId) {
        // Its steps move to the end, so that they stay together.
        let Path { first, last, .. } = self.paths[path];
        let start = self.steps.len() as u32;
        self.steps.extend_from_within(first as usize..last as usize);
        self.paths[path].first = start;
        // Leaves are told which path found them.
        let leaves = self.leaves.len();
        let end = self.walk(tree, settings, start as usize, from, None);
        for leaf in &mut self.leaves[leaves..] {
            leaf.path = path;
        }
        self.paths[path].last = self.steps.len() as u32;
        self.paths[path].end = end;
    }

    /// Goes on from a node with the way that began with step number `begin`.
    fn walk(
        &mut self,
        tree: &Tree<S>,
        settings: &Settings,
        begin: usize,
        mut id: NodeId,
        mut only: Option<(Role, MoveId)>,
    ) -> End {
        let mut reference = match settings.grave {
            Some(_) => self.references(tree, begin..self.steps.len()).pop(),
            None => None,
        };
        loop {
            let mut slot = tree.arena.lock(id);
            let node = match &mut *slot {
                Slot::Coming { worker, leaf } if *worker == self.worker => return End::Leaf(*leaf),
                Slot::Free | Slot::Coming { .. } => return End::Taken,
                Slot::Node(node) => node,
            };
            if node.is_solved() {
                return End::Solved(id);
            }
            if node.body.is_none() {
                return End::Closed(id);
            }
            // Ways may lead back to where they were: from there it is played out as from a leaf.
            if tree.table.has_shared() && self.steps[begin..].iter().any(|step| step.node == id) {
                self.leaves.push(Leaf {
                    id,
                    state: Some(node.state.clone()),
                    joint_move: None,
                    path: self.paths.len(),
                });
                return End::Leaf(self.leaves.len() as u32 - 1);
            }
            if settings.grave.is_some() {
                refer(tree, node, settings, &mut reference);
            }
            let first = self.picks.len();
            {
                let records = reference.as_ref().map(|amaf| amaf.read());
                let records = records.as_deref();
                let only = only.take();
                select::select(node, settings, self.times, only, records, &mut self.picks);
            }
            self.steps.push(Step {
                node: id,
                first: first as u32,
                last: self.picks.len() as u32,
            });
            let picks = &self.picks[first..];
            let Some(body) = &mut node.body else {
                return End::Closed(id);
            };
            let child = body.child(picks);
            if child != NONE {
                id = child;
                continue;
            }
            let joint_bytes = if picks.len() == 1 {
                0
            } else {
                body.joint_bytes()
            };
            let mut child = NONE;
            if tree.arena.reserve(joint_bytes) {
                if let Some(slot) = tree.arena.allocate() {
                    child = slot;
                    *tree.arena.lock(slot) = Slot::Coming {
                        worker: self.worker,
                        leaf: self.leaves.len() as u32,
                    };
                    body.set_child(picks, slot);
                    node.bytes += joint_bytes;
                } else {
                    tree.arena.release(joint_bytes);
                }
            }
            if child == NONE {
                tree.set_full();
            }
            self.leaves.push(Leaf {
                id: child,
                state: Some(node.state.clone()),
                joint_move: Some(body.joint_move(picks)),
                path: self.paths.len(),
            });
            return End::Leaf(self.leaves.len() as u32 - 1);
        }
    }

    /// The records of nodes in some steps, from the root down.
    fn references(&self, tree: &Tree<S>, steps: std::ops::Range<usize>) -> Vec<Arc<Amaf>> {
        let steps = self.steps[steps].iter();
        steps.filter_map(|step| amaf(tree, step.node)).collect()
    }

    /// The records of nodes on a path, from the root down.
    pub(super) fn references_of(&self, tree: &Tree<S>, path: Path) -> Vec<Arc<Amaf>> {
        self.references(tree, path.first as usize..path.last as usize)
    }

    /// Makes an existing node the leaf of a path.
    pub(super) fn play_from(&mut self, tree: &Tree<S>, path: usize, id: NodeId) {
        let slot = tree.arena.lock(id);
        self.paths[path].end = match slot.node() {
            Some(node) => {
                self.leaves.push(Leaf {
                    id,
                    state: Some(node.state.clone()),
                    joint_move: None,
                    path,
                });
                End::Leaf(self.leaves.len() as u32 - 1)
            }
            None => End::Taken,
        };
    }

    /// Takes back what was counted on a path.
    pub(super) fn undo(&self, tree: &Tree<S>, path: Path) {
        for step in self.steps_of(path) {
            if let Some(node) = tree.arena.lock(step.node).node_mut() {
                select::undo(node, self.times, self.picks_of(*step));
            }
        }
    }

    /// Takes back what was counted on paths that end where another thread works.
    pub(super) fn undo_taken(&self, tree: &Tree<S>) {
        for path in self.paths.iter().filter(|path| path.end == End::Taken) {
            self.undo(tree, *path);
        }
    }

    /// Takes back a leaf whose node is not to come.
    pub(super) fn abandon(&self, tree: &Tree<S>, leaf: &Leaf<S>) {
        if leaf.id == NONE || leaf.joint_move.is_none() {
            return;
        }
        if let Some(step) = self.steps_of(self.paths[leaf.path]).last()
            && let Some(node) = tree.arena.lock(step.node).node_mut()
            && let Some(body) = &mut node.body
        {
            let picks = self.picks_of(*step);
            if picks.len() != 1 {
                let bytes = body.joint_bytes();
                node.bytes = node.bytes.saturating_sub(bytes);
                tree.arena.release(bytes);
            }
            body.set_child(picks, NONE);
        }
        tree.arena.remove(leaf.id);
    }

    /// Makes the way to a leaf lead to a node that is there already.
    pub(super) fn redirect(&self, tree: &Tree<S>, leaf: &Leaf<S>, to: NodeId) {
        if let Some(step) = self.steps_of(self.paths[leaf.path]).last()
            && let Some(node) = tree.arena.lock(step.node).node_mut()
            && let Some(body) = &mut node.body
        {
            body.set_child(self.picks_of(*step), to);
        }
        tree.arena.remove(leaf.id);
    }

    /// Takes everything back.
    pub(super) fn undo_all(&self, tree: &Tree<S>) {
        for path in &self.paths {
            self.undo(tree, *path);
        }
        for leaf in &self.leaves {
            self.abandon(tree, leaf);
        }
    }
}

/// The record of a node, if it has one.
fn amaf<S: Clone + Eq>(tree: &Tree<S>, id: NodeId) -> Option<Arc<Amaf>> {
    let slot = tree.arena.lock(id);
    slot.node()?.body.as_ref()?.amaf.clone()
}

/// Makes a node with enough visits the reference of those below it.
fn refer<S: Clone + Eq>(
    tree: &Tree<S>,
    node: &mut Node<S>,
    settings: &Settings,
    reference: &mut Option<Arc<Amaf>>,
) {
    let is_frequent = settings
        .grave
        .is_some_and(|grave| node.visits >= grave.visits);
    let roles = node.shares.len();
    let Some(body) = &mut node.body else {
        return;
    };
    if is_frequent && body.amaf.is_none() {
        let bytes = tree.extent.bytes();
        if tree.arena.reserve(bytes) {
            body.amaf = Some(Arc::new(Amaf::new(roles)));
            body.amaf_bytes = bytes;
            node.bytes += bytes;
        }
    }
    if let Some(amaf) = &body.amaf {
        *reference = Some(Arc::clone(amaf));
    }
}
