//! Flattening: an AND whose only use is another AND is merged into it, and likewise for ORs.

use super::super::network::Network;
use super::and_inverter_graph::{AndInverterGraph, Edge, mapped_edge};
use super::write_network;

pub(super) fn run(network: &Network) -> Network {
    write_network::write(&flatten(&AndInverterGraph::new(network)))
}

pub(super) fn flatten(gates: &AndInverterGraph) -> AndInverterGraph {
    let uses = gates.uses();
    let mut flat: Vec<Edge> = Vec::new();
    let mut todo: Vec<Edge> = Vec::new();
    // Inputs are read from the old graph: a gate of the new one may have got a second use by
    // sharing.
    gates.map(|new, edges, signal| {
        flat.clear();
        todo.clear();
        todo.extend_from_slice(gates.inputs(signal));
        while let Some(edge) = todo.pop() {
            match gates.and_inputs(edge) {
                Some(inner) if uses[(edge >> 1) as usize] == 1 => todo.extend_from_slice(inner),
                _ => flat.push(mapped_edge(edges, edge)),
            }
        }
        new.and(&mut flat)
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{expression_of, network};
    use super::*;

    #[test]
    fn a_nested_gate_of_the_same_kind_is_merged() {
        let after = run(&network(
            "(<= x (true p) (true q)) (<= terminal x (true s))",
        ));
        assert_eq!(expression_of(&after, "terminal"), "&(p q s)");
        let after = run(&network(
            "(<= x (true p)) (<= x (true q)) (<= terminal x) (<= terminal (true s))",
        ));
        assert_eq!(expression_of(&after, "terminal"), "|(p q s)");
    }

    #[test]
    fn a_gate_with_another_use_is_kept() {
        let after = run(&network(
            "(<= x (true p) (true q)) (<= terminal x (true s)) (<= (next u) x)",
        ));
        assert_eq!(expression_of(&after, "terminal"), "&(&(p q) s)");
    }
}
