//! Equal, complementary and constant fluents, by induction over simulated equivalence classes (van
//! Eijk 2000, the method for sequential circuits, with structural hashing in place of a SAT
//! solver).
//!
//! Random simulation groups fluents that had equal or complementary values. They are assumed to be
//! equal in the current state. If their next values then are the same gate, they are equal in all
//! reachable states, by induction. Classes that fail are split, until nothing changes.

use rustc_hash::FxHashMap;

use super::super::network::{EqualFluents, Network};
use super::and_inverter_graph::{ALWAYS, AndInverterGraph, Edge, NEVER, mapped_edge};
use super::random_simulation;
use super::write_network;

/// How many times classes are refined before the pass gives up.
const MAX_ROUNDS: usize = 24;
/// How many times before all assumptions about constant fluents are dropped.
const CONSTANT_ROUNDS: usize = 12;

pub(super) fn run(network: &Network) -> Network {
    let gates = AndInverterGraph::new(network);
    write_network::write(&merge(&gates))
}

pub(super) fn merge(gates: &AndInverterGraph) -> AndInverterGraph {
    let mut classes = EquivalenceClasses::guess(gates);
    for round in 0..MAX_ROUNDS {
        if round == CONSTANT_ROUNDS {
            // A counter that simulation did not exhaust loses only one fluent of its class in each
            // round.
            classes.forget_constants();
        }
        if classes.is_trivial() || gates.budget.is_spent() {
            break;
        }
        let assumed = substitute(gates, &classes);
        // Gates copied after the end of the time budget may remain distinct, which is sound.
        if !classes.split(gates, &assumed) {
            // Proven. A constant fluent loses its base. A fluent that equals another remains part
            // of the state.
            let mut proven = gates.clone();
            let mut equal = gates.equal.to_vec();
            for (fluent, leader) in classes.leader.iter().enumerate() {
                if !gates.has_base[fluent] || *leader == AndInverterGraph::base(fluent) {
                    continue;
                }
                match gates.fluent_of(leader >> 1) {
                    None => proven.fixed[fluent] = Some(*leader == ALWAYS),
                    Some(other) => equal.push(EqualFluents {
                        fluent: fluent as u32,
                        other: other as u32,
                        opposite: leader & 1 == 1,
                    }),
                }
            }
            equal.sort_unstable_by_key(|equal| (equal.fluent, equal.other));
            equal.dedup();
            proven.equal = equal.into();
            return substitute(&proven, &classes);
        }
    }
    gates.clone()
}

/// For every fluent the edge that it is assumed to equal: a constant, the leader of its class, or
/// itself.
struct EquivalenceClasses {
    leader: Vec<Edge>,
}

impl EquivalenceClasses {
    /// Classes of fluents that were equal up to sign in simulation, the initial state included.
    fn guess(gates: &AndInverterGraph) -> Self {
        let samples = random_simulation::play(gates);
        let mut leaders: FxHashMap<Vec<u64>, Edge> = FxHashMap::default();
        let mut leader = Vec::with_capacity(gates.next.len());
        for (fluent, words) in samples.words.into_iter().enumerate() {
            let own = AndInverterGraph::base(fluent);
            if !gates.has_base[fluent] {
                leader.push(own);
                continue;
            }
            // The first bit decides the sign, so that a fluent and its complement get the same key.
            let sign = words.first().map_or(0, |word| word & 1);
            let turned: Vec<u64> = words
                .iter()
                .map(|word| if sign == 1 { !word } else { *word })
                .collect();
            let sign = sign as Edge;
            if turned.iter().all(|word| *word == 0) {
                leader.push(NEVER ^ sign);
            } else {
                leader.push(*leaders.entry(turned).or_insert(own ^ sign) ^ sign);
            }
        }
        Self { leader }
    }

    /// Drops the assumption that fluents are constant.
    fn forget_constants(&mut self) {
        for (fluent, leader) in self.leader.iter_mut().enumerate() {
            if *leader >> 1 == 0 {
                *leader = AndInverterGraph::base(fluent);
            }
        }
    }

    fn is_trivial(&self) -> bool {
        let itself = |(fluent, leader): (usize, &Edge)| *leader == AndInverterGraph::base(fluent);
        self.leader.iter().enumerate().all(itself)
    }

    /// Splits classes whose members have different next values; returns whether any was split.
    fn split(&mut self, gates: &AndInverterGraph, assumed: &AndInverterGraph) -> bool {
        let mut changed = false;
        let mut leaders: FxHashMap<(u32, Edge), Edge> = FxHashMap::default();
        let old = self.leader.clone();
        for (fluent, class) in old.iter().enumerate() {
            if !gates.has_base[fluent] {
                continue;
            }
            let own = AndInverterGraph::base(fluent);
            let sign = class & 1;
            let next = assumed.next[fluent];
            if class >> 1 == 0 {
                if next != *class {
                    self.leader[fluent] = own;
                    changed = true;
                }
                continue;
            }
            // Members stay in a class if their next values are equal up to sign.
            let leader = *leaders
                .entry((class >> 1, next ^ sign))
                .or_insert(own ^ sign);
            let mine = leader ^ sign;
            changed |= mine != *class;
            self.leader[fluent] = mine;
        }
        changed
    }
}

/// The graph with every fluent replaced by the edge it is assumed to equal.
fn substitute(gates: &AndInverterGraph, classes: &EquivalenceClasses) -> AndInverterGraph {
    let mut inputs = Vec::new();
    gates.map_from(
        |fluent| classes.leader[fluent],
        |new, edges, signal| {
            inputs.clear();
            inputs.extend(
                gates
                    .inputs(signal)
                    .iter()
                    .map(|edge| mapped_edge(edges, *edge)),
            );
            new.and(&mut inputs)
        },
    )
}

#[cfg(test)]
mod tests {
    use super::super::testing::{counter, expression_of, network_of};
    use super::*;

    const TURNS: &str = "(role r) (role t) (init x) (<= (next x) (true o))
    (<= (next o) (true x)) (legal r a) (legal t a)
        (<= (goal ?r 0) (role ?r)) (init k) (<= (next k) (true k))
        (<= terminal (true o) (not (true x)) (true k))";

    #[test]
    fn complementary_fluents_are_read_from_one() {
        let after = run(&network_of(TURNS));
        assert_eq!(after.equal.len(), 1);
        assert!(after.equal[0].opposite);
        // Both are still part of the state.
        for name in ["(next x)", "(next o)"] {
            assert!(after.find(name).is_some(), "{name}");
        }
    }

    #[test]
    fn a_fluent_that_never_changes_becomes_a_constant() {
        let after = run(&network_of(TURNS));
        assert_eq!(after.fixed.iter().flatten().count(), 1);
        assert!(after.find("(true k)").is_none());
        assert!(["o", "~x"].contains(&expression_of(&after, "terminal").as_str()));
    }

    #[test]
    fn fluents_that_differ_only_late_are_not_merged() {
        let steps = counter(54);
        let after = run(&network_of(&format!(
            "(role r) (legal r a) (goal r 0) (init (n 0)) {steps} (init u) (init v)
             (<= (next u) (true u))
             (<= (next v) (true v) (not (true (n 53)))) (<= terminal (true u) (not (true v)))"
        )));
        assert_eq!(expression_of(&after, "terminal"), "~v");
    }
    #[test]
    fn a_long_counter_does_not_prevent_finding_equal_fluents() {
        let steps = counter(200);
        let after = run(&network_of(&format!("{TURNS} (init (n 0)) {steps}")));
        assert_eq!(after.equal.len(), 1);
    }
}
