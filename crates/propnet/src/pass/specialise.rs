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

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::sync::Arc;

    use ludorum_logic::Rules;
    use ludorum_reasoner::Rng;

    use super::specialise;
    use crate::circuit::Circuit;
    use crate::{CompileLimits, CompiledGame};

    /// A game in which doors open and close. In the first stage the legal moves need some paths through
    /// open doors, in the second others.
    fn doors(seed: u64) -> String {
        let mut rng = Rng::new(seed);
        let mut text = "(role r) (init (stage a)) (init (stage b)) (init (open c0 c1))
            (<= (path ?x ?y) (true (open ?x ?y)))
            (<= (path ?x ?z) (true (open ?x ?y)) (path ?y ?z) (not (true (blocked ?y))))
            (<= (next (open ?x ?y)) (true (open ?x ?y)) (not (does r (flip ?x ?y))))
            (<= (next (open ?x ?y)) (door ?x ?y) (does r (flip ?x ?y)) (not (true (open ?x ?y))))
            (<= (next (blocked ?x)) (does r (flip ?x ?y)))
            (<= (legal r (flip ?x ?y)) (door ?x ?y) (true (stage a)) (path c0 ?x))
            (<= (legal r (flip ?x ?y)) (door ?x ?y) (true (stage b)) (path ?y c2))
            (legal r wait)
            (<= (next (stage a)) (does r wait)) (<= (next (stage b)) (true (stage a)))
            (<= terminal (true (stage a)) (path c1 c3))
            (<= (goal r 100) (path c1 c3)) (<= (goal r 0) (not (path c1 c3)))\n"
            .to_owned();
        for x in 0..5 {
            for y in 0..5 {
                if x != y && rng.below(2) == 0 {
                    let _ = writeln!(text, "(door c{x} c{y})");
                }
            }
        }
        text
    }

    #[test]
    fn gates_of_cycles_that_are_dead_in_a_stage_go() {
        for seed in 0..40 {
            let text = doors(seed);
            let rules = Arc::new(Rules::from_text(&text).unwrap_or_else(|e| panic!("{e:?}")));
            let network = CompiledGame::new(rules)
                .network(&CompileLimits::default())
                .expect("a network");
            let fluent = |text: &str| {
                let mut fluents = network.game.fluents.iter();
                fluents.position(|fluent| **fluent == *text)
            };
            let (Some(a), Some(b)) = (fluent("(stage a)"), fluent("(stage b)")) else {
                continue;
            };
            for (first, second) in [(true, true), (true, false), (false, true), (false, false)] {
                let values = [(a as u32, first), (b as u32, second)];
                let special = specialise(&network, &values);
                let gates = |network| Circuit::new(network).signal_count();
                assert!(gates(&special) <= gates(&network), "seed {seed}");
            }
        }
    }
}
