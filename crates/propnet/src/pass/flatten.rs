//! Flattening: an AND that feeds nothing but one other AND becomes part of it, and so for ORs.

use super::super::network::Network;
use super::and_inverter_graph::{AndInverterGraph, Edge, moved};
use super::write_network;

pub(super) fn run(network: &Network) -> Network {
    write_network::write(&flatten(&AndInverterGraph::new(network)))
}

pub(super) fn flatten(gates: &AndInverterGraph) -> AndInverterGraph {
    let uses = gates.uses();
    let mut flat: Vec<Edge> = Vec::new();
    let mut todo: Vec<Edge> = Vec::new();
    // Inputs are taken from the old gates, for a gate of the new ones may have found a second use
    // by becoming equal to another.
    gates.map(|new, edges, signal| {
        flat.clear();
        todo.clear();
        todo.extend_from_slice(gates.inputs(signal));
        while let Some(edge) = todo.pop() {
            match gates.and_inputs(edge) {
                Some(inner) if uses[(edge >> 1) as usize] == 1 => todo.extend_from_slice(inner),
                _ => flat.push(moved(edges, edge)),
            }
        }
        new.and(&mut flat)
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{network, written};
    use super::*;

    #[test]
    fn a_gate_within_one_of_its_kind_becomes_part_of_it() {
        let after = run(&network(
            "(<= x (true p) (true q)) (<= terminal x (true s))",
        ));
        assert_eq!(written(&after, "terminal"), "&(p q s)");
        let after = run(&network(
            "(<= x (true p)) (<= x (true q)) (<= terminal x) (<= terminal (true s))",
        ));
        assert_eq!(written(&after, "terminal"), "|(p q s)");
    }

    #[test]
    fn a_gate_that_others_look_at_stays() {
        let after = run(&network(
            "(<= x (true p) (true q)) (<= terminal x (true s)) (<= (next u) x)",
        ));
        assert_eq!(written(&after, "terminal"), "&(&(p q) s)");
    }
}
