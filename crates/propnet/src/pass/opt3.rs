//! Opt3: removes gates and meaningless propositions that nothing looks at (Algorithm 5 of
//! 'Optimizing Propositional Networks').

use super::super::network::{Kind, Network, NodeId, Rewrite};

pub(super) fn run(network: &Network) -> Network {
    let mut rewrite = Rewrite::new(network);
    let mut uses = vec![0u32; network.len()];
    for node in network.nodes() {
        for input in network.inputs(node) {
            uses[*input as usize] += 1;
        }
    }
    let idle = |node: NodeId, uses: &[u32]| {
        let kind = network.kind(node);
        (kind.is_gate() || kind == Kind::Other) && uses[node as usize] == 0
    };
    let mut todo: Vec<NodeId> = network.nodes().filter(|node| idle(*node, &uses)).collect();
    while let Some(node) = todo.pop() {
        rewrite.removed[node as usize] = true;
        for input in network.inputs(node) {
            uses[*input as usize] -= 1;
            if idle(*input, &uses) {
                todo.push(*input);
            }
        }
    }
    network.rewrite(&rewrite)
}
