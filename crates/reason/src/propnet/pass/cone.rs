//! Unused cones: removes whatever no legal move, next fluent, goal or end depends on.
//!
//! Unlike Opt3 this also finds cycles that keep each other alive. Fluents are part of the state whether or not anything reads them, so their
//! transitions count as looked at.

use super::super::network::{Kind, Network, NodeId, Rewrite};

pub(super) fn run(network: &Network) -> Network {
    let mut used = vec![false; network.len()];
    let mut todo: Vec<NodeId> = network
        .nodes()
        .filter(|node| {
            let kind = network.kind(*node);
            !kind.is_gate() && !matches!(kind, Kind::Other | Kind::Init)
        })
        .collect();
    while let Some(node) = todo.pop() {
        if !std::mem::replace(&mut used[node as usize], true) {
            todo.extend_from_slice(network.inputs(node));
        }
    }
    let mut rewrite = Rewrite::new(network);
    for node in network.nodes() {
        rewrite.removed[node as usize] = !used[node as usize];
    }
    network.rewrite(&rewrite)
}
