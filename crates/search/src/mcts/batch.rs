//! The selection phase: the paths from the root to a batch of leaves.

use std::sync::Arc;

use ludorum_reasoner::{MoveId, Role};

use super::amaf::Amaf;
use super::arena::Slot;
use super::node::{JointMove, NONE, Node, NodeId};
use super::select;
use super::settings::Settings;
use super::tree::Tree;

/// A node on a path and the edges selected there, a range of [`Batch::picks`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) node: NodeId,
    first: u32,
    last: u32,
}

/// A path through the tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct Path {
    /// Its steps: a range of [`Batch::steps`].
    first: u32,
    last: u32,
    pub(super) end: PathEnd,
}

/// The end of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PathEnd {
    /// A leaf to play from, by its index in the batch.
    Leaf(u32),
    /// A node whose goals are proven.
    Solved(NodeId),
    /// A node that is to be expanded first.
    Unexpanded(NodeId),
    /// A leaf that another thread is adding.
    Busy,
}

/// The start of playouts.
#[derive(Debug)]
pub(super) struct Leaf<S> {
    /// Its node, if it exists or will be added.
    pub(super) id: NodeId,
    /// The parent's state, or its own if the node exists. None after the state was moved to the
    /// starts of the playouts.
    pub(super) state: Option<S>,
    /// The joint move from the parent; none if the node exists.
    pub(super) joint_move: Option<JointMove>,
    /// The first path that reached it.
    pub(super) path: usize,
}

/// The paths and leaves that are worked on together.
#[derive(Debug)]
pub(super) struct Batch<S> {
    pub(super) paths: Vec<Path>,
    pub(super) steps: Vec<Step>,
    pub(super) picks: Vec<u32>,
    pub(super) leaves: Vec<Leaf<S>>,
    /// The worker that the batch belongs to.
    worker: u32,
    /// The number of playouts that a visit of a path stands for.
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

    /// The edges selected in a step.
    pub(super) fn picks_of(&self, step: Step) -> &[u32] {
        &self.picks[step.first as usize..step.last as usize]
    }

    /// Selects a path from the root, and adds pending visits along it. `only` is a move that its
    /// role has already made at the root.
    pub(super) fn select_path(
        &mut self,
        tree: &Tree<S>,
        settings: &Settings,
        only: Option<(Role, MoveId)>,
    ) -> PathEnd {
        let first = self.steps.len() as u32;
        let root = tree.root();
        let end = self.descend(tree, settings, first as usize, root, only);
        self.paths.push(Path {
            first,
            last: self.steps.len() as u32,
            end,
        });
        end
    }

    /// Continues a path from its last node, which was expanded in the meantime.
    pub(super) fn continue_path(
        &mut self,
        tree: &Tree<S>,
        settings: &Settings,
        path: usize,
        from: NodeId,
    ) {
        // The steps of a path are contiguous, so they move to the end.
        let Path { first, last, .. } = self.paths[path];
        let start = self.steps.len() as u32;
        self.steps.extend_from_within(first as usize..last as usize);
        self.paths[path].first = start;
        // New leaves belong to this path.
        let leaves = self.leaves.len();
        let end = self.descend(tree, settings, start as usize, from, None);
        for leaf in &mut self.leaves[leaves..] {
            leaf.path = path;
        }
        self.paths[path].last = self.steps.len() as u32;
        self.paths[path].end = end;
    }

    /// Descends from a node, for the path that began with step number `begin`.
    fn descend(
        &mut self,
        tree: &Tree<S>,
        settings: &Settings,
        begin: usize,
        mut id: NodeId,
        mut only: Option<(Role, MoveId)>,
    ) -> PathEnd {
        let mut reference = match settings.grave {
            Some(_) => self.references(tree, begin..self.steps.len()).pop(),
            None => None,
        };
        loop {
            let mut slot = tree.arena.lock(id);
            let node = match &mut *slot {
                Slot::Reserved { worker, leaf } if *worker == self.worker => {
                    return PathEnd::Leaf(*leaf);
                }
                Slot::Free | Slot::Reserved { .. } => return PathEnd::Busy,
                Slot::Node(node) => node,
            };
            if node.is_solved() {
                return PathEnd::Solved(id);
            }
            if node.expansion.is_none() {
                return PathEnd::Unexpanded(id);
            }
            // With transpositions a path may form a cycle. The repeated node is then played from
            // like a leaf.
            if tree.transpositions.has_shared()
                && self.steps[begin..].iter().any(|step| step.node == id)
            {
                self.leaves.push(Leaf {
                    id,
                    state: Some(node.state.clone()),
                    joint_move: None,
                    path: self.paths.len(),
                });
                return PathEnd::Leaf(self.leaves.len() as u32 - 1);
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
            let Some(expansion) = &mut node.expansion else {
                return PathEnd::Unexpanded(id);
            };
            let child = expansion.child(picks);
            if child != NONE {
                id = child;
                continue;
            }
            let joint_bytes = if picks.len() == 1 {
                0
            } else {
                expansion.joint_bytes()
            };
            let mut child = NONE;
            if tree.arena.reserve(joint_bytes) {
                if let Some(slot) = tree.arena.allocate() {
                    child = slot;
                    *tree.arena.lock(slot) = Slot::Reserved {
                        worker: self.worker,
                        leaf: self.leaves.len() as u32,
                    };
                    expansion.set_child(picks, slot);
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
                joint_move: Some(expansion.joint_move(picks)),
                path: self.paths.len(),
            });
            return PathEnd::Leaf(self.leaves.len() as u32 - 1);
        }
    }

    /// The AMAF statistics of the nodes in some steps, from the root down.
    fn references(&self, tree: &Tree<S>, steps: std::ops::Range<usize>) -> Vec<Arc<Amaf>> {
        let steps = self.steps[steps].iter();
        steps.filter_map(|step| amaf(tree, step.node)).collect()
    }

    /// The AMAF statistics of the nodes on a path, from the root down.
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
                PathEnd::Leaf(self.leaves.len() as u32 - 1)
            }
            None => PathEnd::Busy,
        };
    }

    /// Removes the pending visits of a path.
    pub(super) fn undo(&self, tree: &Tree<S>, path: Path) {
        for step in self.steps_of(path) {
            if let Some(node) = tree.arena.lock(step.node).node_mut() {
                select::undo(node, self.times, self.picks_of(*step));
            }
        }
    }

    /// Removes the pending visits of paths that end at a leaf of another thread.
    pub(super) fn undo_busy(&self, tree: &Tree<S>) {
        for path in self.paths.iter().filter(|path| path.end == PathEnd::Busy) {
            self.undo(tree, *path);
        }
    }

    /// Removes a leaf whose node will not be added.
    pub(super) fn abandon(&self, tree: &Tree<S>, leaf: &Leaf<S>) {
        if leaf.id == NONE || leaf.joint_move.is_none() {
            return;
        }
        if let Some(step) = self.steps_of(self.paths[leaf.path]).last()
            && let Some(node) = tree.arena.lock(step.node).node_mut()
            && let Some(expansion) = &mut node.expansion
        {
            let picks = self.picks_of(*step);
            if picks.len() != 1 {
                let bytes = expansion.joint_bytes();
                node.bytes = node.bytes.saturating_sub(bytes);
                tree.arena.release(bytes);
            }
            expansion.set_child(picks, NONE);
        }
        tree.arena.remove(leaf.id);
    }

    /// Lets the edge to a leaf lead to an existing node of the same state.
    pub(super) fn redirect(&self, tree: &Tree<S>, leaf: &Leaf<S>, to: NodeId) {
        if let Some(step) = self.steps_of(self.paths[leaf.path]).last()
            && let Some(node) = tree.arena.lock(step.node).node_mut()
            && let Some(expansion) = &mut node.expansion
        {
            expansion.set_child(self.picks_of(*step), to);
        }
        tree.arena.remove(leaf.id);
    }

    /// Removes all pending visits and new leaves.
    pub(super) fn undo_all(&self, tree: &Tree<S>) {
        for path in &self.paths {
            self.undo(tree, *path);
        }
        for leaf in &self.leaves {
            self.abandon(tree, leaf);
        }
    }
}

/// The AMAF statistics of a node, if it has any.
fn amaf<S: Clone + Eq>(tree: &Tree<S>, id: NodeId) -> Option<Arc<Amaf>> {
    let slot = tree.arena.lock(id);
    slot.node()?.expansion.as_ref()?.amaf.clone()
}

/// Makes a node with enough visits the AMAF reference of the nodes below it.
fn refer<S: Clone + Eq>(
    tree: &Tree<S>,
    node: &mut Node<S>,
    settings: &Settings,
    reference: &mut Option<Arc<Amaf>>,
) {
    let is_frequent = settings
        .grave
        .is_some_and(|grave| node.visits >= grave.visits);
    let roles = node.stats.len();
    let Some(expansion) = &mut node.expansion else {
        return;
    };
    if is_frequent && expansion.amaf.is_none() {
        let bytes = tree.amaf_size.bytes();
        if tree.arena.reserve(bytes) {
            expansion.amaf = Some(Arc::new(Amaf::new(roles)));
            expansion.amaf_bytes = bytes;
            node.bytes += bytes;
        }
    }
    if let Some(amaf) = &expansion.amaf {
        *reference = Some(Arc::clone(amaf));
    }
}
