//! Latches: fluents that never change back.
//!
//! A fluent that holds forever once it holds, or never again once it does not, lets a search
//! predict part of the future. The proof is local: with the fluent fixed and all else unknown,
//! three-valued evaluation of the gates below its next value already decides it.

use super::super::network::Network;
use super::and_inverter_graph::{ABSENT, AndInverterGraph};
use super::case_analysis::CaseProver;
use super::exclude::ExclusiveGroups;

/// The effort of all proofs together, in gate evaluations.
const MAX_EFFORT: u64 = 20_000_000;

/// The ways in which a fluent stops changing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Latch {
    /// Once it holds, it holds in all later states.
    Up,
    /// Once it does not hold, it holds in no later state.
    Down,
    /// Both: it never changes.
    Fixed(bool),
}

/// The latch that each fluent is proven to be, if any.
pub fn latches(network: &Network) -> Vec<Option<Latch>> {
    let gates = AndInverterGraph::new(network);
    let groups = ExclusiveGroups::new(&gates);
    let mut prover = CaseProver::new(&gates, &groups, MAX_EFFORT);
    (0..gates.next.len())
        .map(|fluent| {
            if let Some(value) = gates.fixed[fluent] {
                return Some(Latch::Fixed(value));
            }
            let (base, next) = (AndInverterGraph::base(fluent), gates.next[fluent]);
            if next == ABSENT || !gates.has_base[fluent] {
                return None;
            }
            let up = prover.implies(base, next);
            let down = prover.implies(base ^ 1, next ^ 1);
            match (up, down) {
                (true, true) => Some(Latch::Fixed(gates.game.initial.get(fluent))),
                (true, false) => Some(Latch::Up),
                (false, true) => Some(Latch::Down),
                (false, false) => None,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::testing::network_of;
    use super::*;

    #[test]
    fn fluents_that_stay_true_or_stay_false_are_latches() {
        let network = network_of(
            "(role r) (legal r a) (legal r b) (goal r 0) (init free) (init turn)
             (<= terminal (true mark))
             (<= (next mark) (true mark)) (<= (next mark) (does r a))
             (<= (next free) (true free) (does r b))
             (<= (next turn) (not (true turn)))",
        );
        let latch = |name: &str| {
            let fluents = &network.game.fluents;
            let at = fluents.iter().position(|fluent| **fluent == *name);
            latches(&network)[at.expect("a fluent")]
        };
        assert_eq!(latch("mark"), Some(Latch::Up));
        assert_eq!(latch("free"), Some(Latch::Down));
        assert_eq!(latch("turn"), None);
    }
}
