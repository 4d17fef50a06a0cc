//! Specialisation (partial evaluation): substitutes known values of fluents into a network, which
//! is then correct only in states where they have these values.

use super::super::network::Network;
use super::and_inverter_graph::AndInverterGraph;
use super::{context, exclude, flatten, hash, write_network};

/// The network for states in which the given fluents have the given values. It still computes their
/// next values.
pub fn specialise(network: &Network, values: &[(u32, bool)]) -> Network {
    let mut gates = AndInverterGraph::new(network);
    for (fluent, value) in values {
        gates.assumed[*fluent as usize] = Some(*value);
    }
    // Where all other moves of a role have become illegal, the one that is left is known to be
    // played.
    let gates = hash::hash(&gates);
    let gates = context::context(&exclude::exclude(&gates));
    write_network::write(&flatten::flatten(&gates))
}
