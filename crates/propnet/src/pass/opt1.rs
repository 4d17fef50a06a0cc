//! Opt1: removes anonymous propositions (Sironi and Winands 2016, section 4.2, algorithm 3).

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
