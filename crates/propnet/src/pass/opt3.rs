//! Opt3: dead gate elimination. Removes gates and anonymous propositions without outputs (Sironi
//! and Winands 2016, section 4.4, algorithm 5).

use super::super::network::{ComponentId, ComponentKind, Network, Rewrite};

pub(super) fn run(network: &Network) -> Network {
    let mut rewrite = Rewrite::new(network);
    let mut uses = vec![0u32; network.len()];
    for node in network.components() {
        for input in network.inputs(node) {
            uses[*input as usize] += 1;
        }
    }
    let idle = |node: ComponentId, uses: &[u32]| {
        let kind = network.kind(node);
        (kind.is_gate() || kind == ComponentKind::Other) && uses[node as usize] == 0
    };
    let mut todo: Vec<ComponentId> = network
        .components()
        .filter(|node| idle(*node, &uses))
        .collect();
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
