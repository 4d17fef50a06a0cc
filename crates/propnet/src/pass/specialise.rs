//! Compiles known values of fluents into a network: what it computes is right in states where they
//! have these values.

use super::super::network::Network;
use super::and_inverter_graph::AndInverterGraph;
use super::{context, exclude, flatten, hash, write_network};

/// The network for states in which the given fluents have the given values. Their next values are
/// still computed.
pub fn specialise(network: &Network, values: &[(u32, bool)]) -> Network {
    let mut gates = AndInverterGraph::new(network);
    for (fluent, value) in values {
        gates.assumed[*fluent as usize] = Some(*value);
    }
    // Moves that are illegal now leave some roles a single one, which is then known to be played.
    let gates = hash::hash(&gates);
    let gates = context::context(&exclude::exclude(&gates));
    write_network::write(&flatten::flatten(&gates))
}
