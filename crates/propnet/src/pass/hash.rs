//! Structural hashing (common subexpression elimination): equal gates become one.
//!
//! Inputs are sorted; repeated and neutral ones are dropped. A gate over an input and its negation
//! is a constant, a gate over one input is that input, double negation is dropped, and ORs are
//! compared as ANDs by De Morgan's laws. Gates of cycles are merged if operation and inputs are the
//! same.

use super::super::network::Network;
use super::and_inverter_graph::{AndInverterGraph, mapped_edge};
use super::write_network;

pub(super) fn run(network: &Network) -> Network {
    write_network::write(&hash(&AndInverterGraph::new(network)))
}

pub(super) fn hash(gates: &AndInverterGraph) -> AndInverterGraph {
    let mut inputs = Vec::new();
    gates.map(|new, edges, signal| {
        inputs.clear();
        inputs.extend(
            gates
                .inputs(signal)
                .iter()
                .map(|edge| mapped_edge(edges, *edge)),
        );
        new.and(&mut inputs)
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{expression_of, gates, network};
    use super::*;

    #[test]
    fn equal_gates_become_one() {
        let before = network(
            "(<= terminal (true p) (true q)) (<= terminal (true s))
             (<= (next u) (true q) (true p)) (<= (next u) (true u))",
        );
        let after = run(&before);
        assert_eq!(gates(&before), 4);
        assert_eq!(gates(&after), 3);
    }

    #[test]
    fn gates_equal_by_de_morgan_become_one() {
        let after = run(&network(
            "(<= x (true p)) (<= x (true q)) (<= y (not (true p)) (not (true q)))
             (<= terminal (not x)) (<= (next u) y)",
        ));
        assert_eq!(gates(&after), 1);
    }

    #[test]
    fn an_input_and_its_negation_make_a_constant() {
        let after = run(&network(
            "(<= x (true p) (not (true p))) (<= terminal x) (<= terminal (true q))",
        ));
        assert_eq!(expression_of(&after, "terminal"), "q");
        let after = run(&network(
            "(<= terminal (true p)) (<= terminal (not (true p)))",
        ));
        assert_eq!(expression_of(&after, "terminal"), "true");
    }

    #[test]
    fn equal_gates_of_a_cycle_become_one() {
        let before = network(
            "(<= x z) (<= x (true p)) (<= y z) (<= y (true p)) (<= z x (true q))
             (<= z y (true s)) (<= terminal z)",
        );
        assert_eq!(gates(&before), 5);
        assert_eq!(gates(&run(&before)), 4);
    }
}
