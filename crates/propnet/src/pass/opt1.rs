//! Opt1: removes propositions without a meaning of their own (Algorithm 3 of 'Optimizing
//! Propositional Networks').

use super::super::network::{ComponentKind, Network, Rewrite};

pub(super) fn run(network: &Network) -> Network {
    let mut rewrite = Rewrite::new(network);
    for node in network.components() {
        if network.kind(node) == ComponentKind::Other {
            rewrite.replace(node, network.inputs(node)[0]);
        }
    }
    network.rewrite(&rewrite)
}
