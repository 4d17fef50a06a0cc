//! Opt1: removes propositions without a meaning of their own (Algorithm 3 of 'Optimizing
//! Propositional Networks').

use super::super::network::{Kind, Network, Rewrite};

pub(super) fn run(network: &Network) -> Network {
    let mut rewrite = Rewrite::new(network);
    for node in network.nodes() {
        if network.kind(node) == Kind::Other {
            rewrite.replace(node, network.inputs(node)[0]);
        }
    }
    network.rewrite(&rewrite)
}
