//! Node recycling in a full tree (Powley et al. 2017): the least visited subtrees are freed.
//!
//! A node that is collapsed loses its edges and all nodes below; its own statistics stay. Visits
//! hardly grow on the way down, so collapsing all nodes below a visit count frees whole subtrees.

use rustc_hash::FxHashSet;

use super::arena::Arena;
use super::node::{NONE, NodeId};

/// The fraction of the memory limit to free, as one in this many. The cost of recycling is spread
/// over as many new nodes.
const FREED: usize = 3;

/// Collapses the least visited nodes until a third of the memory limit is free, or all nodes but
/// the root are collapsed. Gives their former children, one for each removed edge.
pub(super) fn recycle<S>(arena: &Arena<S>, root: NodeId) -> Vec<NodeId> {
    if root == NONE {
        return Vec::new();
    }
    let least = threshold(arena, root);
    let mut stack = vec![root];
    let mut seen = FxHashSet::default();
    let mut below: Vec<NodeId> = Vec::new();
    while let Some(id) = stack.pop() {
        if !seen.insert(id) {
            continue;
        }
        let mut slot = arena.lock(id);
        let Some(node) = slot.node_mut() else {
            continue;
        };
        let goes = id != root && (node.visits < least || node.is_solved());
        if !goes {
            stack.extend(
                node.expansion
                    .iter()
                    .flat_map(|expansion| expansion.children()),
            );
        } else if let Some(expansion) = node.expansion.take() {
            let bytes = expansion.bytes() + expansion.joint.len() * expansion.joint_bytes();
            node.bytes = node.bytes.saturating_sub(bytes);
            arena.release(bytes);
            below.extend(expansion.children());
        }
    }
    below
}

/// All nodes that are reachable from the root.
pub(super) fn reached<S>(arena: &Arena<S>, root: NodeId) -> FxHashSet<NodeId> {
    let mut reached = FxHashSet::default();
    let mut stack = vec![root];
    while let Some(id) = stack.pop() {
        if id == NONE || !reached.insert(id) {
            continue;
        }
        if let Some(node) = arena.lock(id).node() {
            stack.extend(
                node.expansion
                    .iter()
                    .flat_map(|expansion| expansion.children()),
            );
        }
    }
    reached
}

/// Recomputes the reference counts of the reachable nodes.
pub(super) fn count_parents<S>(arena: &Arena<S>, root: NodeId, reached: &FxHashSet<NodeId>) {
    for id in reached {
        if let Some(node) = arena.lock(*id).node_mut() {
            node.parents = u32::from(*id == root);
        }
    }
    for id in reached {
        let children: Vec<NodeId> = match arena.lock(*id).node() {
            Some(node) => node
                .expansion
                .iter()
                .flat_map(|expansion| expansion.children())
                .collect(),
            None => continue,
        };
        for child in children {
            if let Some(node) = arena.lock(child).node_mut() {
                node.parents += 1;
            }
        }
    }
}

/// The visit count below which nodes are collapsed.
fn threshold<S>(arena: &Arena<S>, root: NodeId) -> u64 {
    // The bytes freed by collapsing the nodes with 2^i to 2^(i+1) visits: their own edges, and the
    // nodes of their children.
    let mut bytes = [0usize; 65];
    let mut seen = FxHashSet::default();
    let mut stack: Vec<(NodeId, usize)> = vec![(root, 64)];
    while let Some((id, parent)) = stack.pop() {
        if !seen.insert(id) {
            continue;
        }
        let slot = arena.lock(id);
        let Some(node) = slot.node() else {
            continue;
        };
        let bucket = match node.visits.checked_ilog2() {
            Some(log) if id != root => log as usize,
            _ if id == root => 64,
            _ => 0,
        };
        let own_bytes = node.expansion.as_ref().map_or(0, |expansion| {
            expansion.bytes() + expansion.joint.len() * expansion.joint_bytes()
        });
        bytes[bucket] += own_bytes;
        bytes[parent] += node.bytes - own_bytes.min(node.bytes) + Arena::<S>::SLOT;
        let children = node
            .expansion
            .iter()
            .flat_map(|expansion| expansion.children());
        stack.extend(children.map(|child| (child, bucket)));
    }
    let mut freed = 0;
    for (log, bytes) in bytes[..64].iter().enumerate() {
        freed += bytes;
        if freed >= arena.max_bytes() / FREED {
            return 2u64.saturating_pow(log as u32 + 1);
        }
    }
    u64::MAX
}

#[cfg(test)]
mod tests {
    use ludorum_reasoner::MoveId;

    use super::*;
    use crate::mcts::node::{Expansion, Node};

    /// A chain of nodes with these visits, each the only child of the one before.
    fn chain(arena: &Arena<u8>, visits: &[u64]) -> Vec<NodeId> {
        let ids: Vec<NodeId> = visits.iter().map(|_| arena.allocate().unwrap()).collect();
        for (i, visits) in visits.iter().enumerate() {
            let mut node = Node::new(0, 1);
            node.visits = *visits;
            let mut expansion = Expansion::new(&[vec![MoveId(0), MoveId(1)]], |_, _| {});
            if let Some(child) = ids.get(i + 1) {
                expansion.set_child(&[0], *child);
            }
            node.bytes = 1000 + expansion.bytes();
            arena.add_bytes(node.bytes);
            node.expansion = Some(Box::new(expansion));
            arena.insert(ids[i], node);
        }
        ids
    }

    #[test]
    fn the_least_visited_subtree_is_freed_and_the_root_stays() {
        let arena: Arena<u8> = Arena::new(200_000);
        let ids = chain(&arena, &[1000, 900, 3, 2, 1]);
        let before = arena.bytes();
        let closed = recycle(&arena, ids[0]);
        assert!(arena.bytes() < before);
        assert!(!closed.is_empty() && !closed.contains(&ids[1]));
        let slot = arena.lock(ids[0]);
        assert!(slot.node().unwrap().expansion.is_some());
    }
}
