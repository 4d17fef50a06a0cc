//! Structural hashing: equal gates become one.
//!
//! Inputs are put in order, repeated and neutral ones go; a gate over an input and its negation is
//! a constant, one over a single input is that input, two NOTs in a row are nothing, and an OR is
//! recognised as the AND it is by De Morgan. Gates of cycles are merged too when kind and inputs
//! are the same.

use super::super::network::Network;
use super::and_inverter_graph::{AndInverterGraph, moved};
use super::write_network;

pub(super) fn run(network: &Network) -> Network {
    write_network::write(&hash(&AndInverterGraph::new(network)))
}

pub(super) fn hash(gates: &AndInverterGraph) -> AndInverterGraph {
    let mut inputs = Vec::new();
    gates.map(|new, edges, signal| {
        inputs.clear();
        inputs.extend(gates.inputs(signal).iter().map(|edge| moved(edges, *edge)));
        new.and(&mut inputs)
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{gates, network, written};
    use super::*;

    #[test]
    fn equal_gates_become_one() {
        let before = network(
            "(<= terminal (true p) (true q)) (<= terminal (true s)) (<= (next u) (true q) (true p)) (<= (next u) (true u))",
        );
        let after = run(&before);
        assert_eq!(gates(&before), 4);
        assert_eq!(gates(&after), 3);
    }

    #[test]
    fn de_morgan_is_seen_through() {
        let after = run(&network(
            "(<= x (true p)) (<= x (true q)) (<= y (not (true p)) (not (true q))) (<= terminal (not x)) (<= (next u) y)",
        ));
        assert_eq!(gates(&after), 1);
    }

    #[test]
    fn an_input_and_its_negation_make_a_constant() {
        let after = run(&network(
            "(<= x (true p) (not (true p))) (<= terminal x) (<= terminal (true q))",
        ));
        assert_eq!(written(&after, "terminal"), "q");
        let after = run(&network(
            "(<= terminal (true p)) (<= terminal (not (true p)))",
        ));
        assert_eq!(written(&after, "terminal"), "true");
    }

    #[test]
    fn equal_gates_of_a_cycle_become_one() {
        let before = network(
            "(<= x z) (<= x (true p)) (<= y z) (<= y (true p)) (<= z x (true q)) (<= z y (true s)) (<= terminal z)",
        );
        assert_eq!(gates(&before), 5);
        assert_eq!(gates(&run(&before)), 4);
    }
}
