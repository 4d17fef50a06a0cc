//! Making room in a full tree: the least visited subtrees go.
//!
//! An open node that is closed again loses its moves and all below them; what it knows about itself
//! stays. Visits hardly grow on the way down, so closing all nodes below a number of visits takes
//! whole subtrees.

use rustc_hash::FxHashSet;

use super::arena::Arena;
use super::node::{NONE, NodeId};

/// The share of the bound that is to be free afterwards: the work of recycling is spread over as
/// many new nodes.
const FREED: usize = 3;

/// Closes the least visited nodes until a good part of the bound is free, or all but the root are
/// closed. Gives the children they had, one for each way that is no more.
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
            stack.extend(node.body.iter().flat_map(|body| body.children()));
        } else if let Some(body) = node.body.take() {
            let bytes = body.bytes() + body.joint.len() * body.joint_bytes();
            node.bytes = node.bytes.saturating_sub(bytes);
            arena.release(bytes);
            below.extend(body.children());
        }
    }
    below
}

/// All nodes that the root leads to.
pub(super) fn reached<S>(arena: &Arena<S>, root: NodeId) -> FxHashSet<NodeId> {
    let mut reached = FxHashSet::default();
    let mut stack = vec![root];
    while let Some(id) = stack.pop() {
        if id == NONE || !reached.insert(id) {
            continue;
        }
        if let Some(node) = arena.lock(id).node() {
            stack.extend(node.body.iter().flat_map(|body| body.children()));
        }
    }
    reached
}

/// Counts anew how many ways lead to the nodes that the root leads to.
pub(super) fn count_ways<S>(arena: &Arena<S>, root: NodeId, reached: &FxHashSet<NodeId>) {
    for id in reached {
        if let Some(node) = arena.lock(*id).node_mut() {
            node.ways = u32::from(*id == root);
        }
    }
    for id in reached {
        let children: Vec<NodeId> = match arena.lock(*id).node() {
            Some(node) => node.body.iter().flat_map(|body| body.children()).collect(),
            None => continue,
        };
        for child in children {
            if let Some(node) = arena.lock(child).node_mut() {
                node.ways += 1;
            }
        }
    }
}

/// The visits below which nodes are closed.
fn threshold<S>(arena: &Arena<S>, root: NodeId) -> u64 {
    // The bytes that go with the nodes of 2^i to 2^(i+1) visits: their own moves, and their
    // children themselves.
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
        let own_bytes = node.body.as_ref().map_or(0, |body| {
            body.bytes() + body.joint.len() * body.joint_bytes()
        });
        bytes[bucket] += own_bytes;
        bytes[parent] += node.bytes - own_bytes.min(node.bytes) + Arena::<S>::SLOT;
        let children = node.body.iter().flat_map(|body| body.children());
        stack.extend(children.map(|child| (child, bucket)));
    }
    let mut freed = 0;
    for (log, bytes) in bytes[..64].iter().enumerate() {
        freed += bytes;
        if freed >= arena.most_bytes() / FREED {
            return 2u64.saturating_pow(log as u32 + 1);
        }
    }
    u64::MAX
}

#[cfg(test)]
mod tests {
    use ludorum_reasoner::MoveId;

    use super::*;
    use crate::mcts::node::{Body, Node};

    /// A chain of nodes with so many visits, each the only child of the one before.
    fn chain(arena: &Arena<u8>, visits: &[u64]) -> Vec<NodeId> {
        let ids: Vec<NodeId> = visits.iter().map(|_| arena.allocate().unwrap()).collect();
        for (i, visits) in visits.iter().enumerate() {
            let mut node = Node::new(0, 1);
            node.visits = *visits;
            let mut body = Body::new(&[vec![MoveId(0), MoveId(1)]], |_, _| {});
            if let Some(child) = ids.get(i + 1) {
                body.set_child(&[0], *child);
            }
            node.bytes = 1000 + body.bytes();
            arena.take(node.bytes);
            node.body = Some(Box::new(body));
            arena.put(ids[i], node);
        }
        ids
    }

    #[test]
    fn the_least_visited_subtree_goes_and_the_root_stays() {
        let arena: Arena<u8> = Arena::new(200_000);
        let ids = chain(&arena, &[1000, 900, 3, 2, 1]);
        let before = arena.bytes();
        let closed = recycle(&arena, ids[0]);
        assert!(arena.bytes() < before);
        assert!(!closed.is_empty() && !closed.contains(&ids[1]));
        let slot = arena.lock(ids[0]);
        assert!(slot.node().unwrap().body.is_some());
    }
}
