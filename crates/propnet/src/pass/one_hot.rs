//! One-hot groups: fluents of which exactly one holds in every reachable state, such as whose turn
//! it is or what is on a square (one-hot encoding of a finite domain).
//!
//! Candidates are fluents that differ in some of their arguments only, and of which exactly one
//! held in every state of a random simulation. The proof is by induction over all candidates
//! together: if exactly one fluent of each group holds now, exactly one of the group holds next,
//! whatever legal moves are played. It uses [`super::case_analysis`]. Candidates that fail are
//! dropped, and the proofs of the others are repeated without them.
//!
//! Fluents that pass their value on in a ring need no such proof: whatever their names and the
//! moves, exactly one holds if exactly one does initially. Most control fluents form such rings.

use ludorum_logic::ground_term::term_parts;
use rustc_hash::FxHashMap;

use super::super::network::Network;
use super::and_inverter_graph::{ABSENT, AndInverterGraph, Edge};
use super::case_analysis::CaseProver;
use super::exclude::ExclusiveGroups;
use super::random_simulation::{self, FluentSamples};

/// How many times the proofs are repeated with fewer candidates.
const MAX_ROUNDS: usize = 8;
/// The effort of all proofs together, in gate evaluations: a fraction of a second.
const MAX_EFFORT: u64 = 2_000_000;
/// The largest number of arguments that may differ within a group.
const MAX_ARGUMENTS: usize = 6;

/// Adds the groups to the network; its gates do not change.
pub(super) fn run(network: &Network) -> Network {
    let mut result = network.clone();
    result.exclusive = groups(&AndInverterGraph::new(network)).into();
    result
}

pub(super) fn add_groups(gates: &AndInverterGraph) -> AndInverterGraph {
    let mut noted = gates.clone();
    noted.exclusive = groups(gates).into();
    noted
}

/// The groups of fluents that are proven to be one-hot.
fn groups(gates: &AndInverterGraph) -> Vec<Box<[u32]>> {
    let rings = rings(gates);
    let samples = random_simulation::play(gates);
    let mut candidates = candidates(gates, &samples, &rings);
    let mut effort = MAX_EFFORT;
    for _ in 0..MAX_ROUNDS {
        // Proofs assume all candidates, so a partial result after dropping one is worthless.
        if candidates.is_empty() || gates.budget.is_spent() {
            break;
        }
        let mut groups = ExclusiveGroups::of_moves(gates);
        for candidate in rings.iter().chain(&candidates) {
            groups.add(
                candidate
                    .iter()
                    .map(|f| AndInverterGraph::base(*f as usize))
                    .collect(),
            );
        }
        let mut prover = CaseProver::new(gates, &groups, effort);
        let before = candidates.len();
        candidates.retain(|candidate| {
            let next: Vec<Edge> = candidate
                .iter()
                .map(|fluent| gates.next[*fluent as usize])
                .collect();
            prover.exactly_one(&next)
        });
        effort = prover.effort_left();
        if candidates.len() == before {
            return rings.into_iter().chain(candidates).collect();
        }
    }
    rings
}

/// Rings of fluents, each of which holds next exactly if the one before it holds now, and exactly
/// one of which holds initially.
fn rings(gates: &AndInverterGraph) -> Vec<Box<[u32]>> {
    let before = |fluent: u32| {
        let edge = gates.next[fluent as usize];
        if edge == ABSENT || edge & 1 == 1 || !gates.has_base[fluent as usize] {
            return None;
        }
        gates.fluent_of(edge >> 1).map(|before| before as u32)
    };
    let mut seen = vec![false; gates.next.len()];
    let mut rings = Vec::new();
    for first in 0..gates.next.len() as u32 {
        let mut ring = Vec::new();
        let mut at = Some(first);
        while let Some(fluent) = at.filter(|fluent| !seen[*fluent as usize]) {
            seen[fluent as usize] = true;
            ring.push(fluent);
            at = before(fluent);
        }
        let held = ring.iter().filter(|f| gates.game.initial.get(**f as usize));
        if ring.len() > 1 && at == Some(first) && held.count() == 1 {
            ring.sort_unstable();
            rings.push(ring.into_boxed_slice());
        }
    }
    rings
}

/// Disjoint sets of fluents that may be one-hot, those with fewer differing arguments first,
/// without fluents in known groups.
fn candidates(
    gates: &AndInverterGraph,
    samples: &FluentSamples,
    known: &[Box<[u32]>],
) -> Vec<Box<[u32]>> {
    // The functor and the arguments of each fluent, as numbers.
    let mut numbers: FxHashMap<&str, u32> = FxHashMap::default();
    let terms: Vec<Vec<u32>> = gates
        .game
        .fluents
        .iter()
        .map(|text| {
            let parts = term_parts(text).into_iter().map(|part| {
                let next = numbers.len() as u32;
                *numbers.entry(part).or_insert(next)
            });
            parts.collect()
        })
        .collect();
    let most = terms.iter().map(Vec::len).max().unwrap_or(0);
    let mut masks: Vec<u32> = (1..1u32 << most.saturating_sub(1).min(MAX_ARGUMENTS)).collect();
    masks.sort_by_key(|mask| mask.count_ones());
    let mut taken = vec![false; terms.len()];
    for fluent in known.iter().flatten() {
        taken[*fluent as usize] = true;
    }
    let mut found = Vec::new();
    let mut rest: Vec<u32> = Vec::new();
    for mask in masks {
        if gates.budget.is_spent() {
            break;
        }
        let mut by_rest: FxHashMap<Vec<u32>, usize> = FxHashMap::default();
        let mut sets: Vec<Vec<u32>> = Vec::new();
        for (fluent, term) in terms.iter().enumerate() {
            let free = !taken[fluent] && gates.next[fluent] != ABSENT && gates.has_base[fluent];
            if !free || 32 - mask.leading_zeros() >= term.len() as u32 {
                continue;
            }
            rest.clone_from(term);
            for (i, part) in rest.iter_mut().enumerate().skip(1) {
                if i <= MAX_ARGUMENTS && mask >> (i - 1) & 1 == 1 {
                    *part = u32::MAX;
                }
            }
            let set = by_rest.get(&rest).copied().unwrap_or_else(|| {
                by_rest.insert(rest.clone(), sets.len());
                sets.push(Vec::new());
                sets.len() - 1
            });
            sets[set].push(fluent as u32);
        }
        for set in sets {
            if set.len() > 1 && one_hot(&set, samples) {
                for fluent in &set {
                    taken[*fluent as usize] = true;
                }
                found.push(set.into_boxed_slice());
            }
        }
    }
    found
}

/// Whether exactly one of the fluents held in each sampled state.
fn one_hot(group: &[u32], samples: &FluentSamples) -> bool {
    let steps = samples.words[group[0] as usize].len();
    (0..steps).all(|step| {
        let mut one = 0u64;
        let mut two = 0u64;
        for fluent in group {
            let word = samples.words[*fluent as usize][step];
            two |= one & word;
            one |= word;
        }
        one == u64::MAX && two == 0
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{counter, network_of};
    use super::*;

    #[test]
    fn turns_and_squares_are_one_hot() {
        let after = run(&network_of(
            "(role r) (role t) (init (control r)) (<= (next (control t)) (true (control r)))
             (<= (next (control r)) (true (control t)))
             (init (cell 1 b)) (init (cell 2 b)) (<=
             (legal ?r (mark ?x)) (true (control ?r)) (true (cell ?x b)))
             (<= (legal r noop) (true (control t))) (<= (legal t noop) (true (control r)))
             (<= (next (cell ?x ?r)) (does ?r (mark ?x)))
             (<= (next (cell ?x ?w)) (true (cell ?x ?w)) (distinct ?w b))
             (<= (next (cell ?x b)) (true (cell ?x b)) (not (does r (mark ?x)))
               (not (does t (mark ?x))))
             (<= terminal (not (true (cell 1 b))) (not (true (cell 2 b)))) (<= (goal ?r 0)
             (role ?r))",
        ));
        let sizes: Vec<usize> = after.exclusive.iter().map(|group| group.len()).collect();
        assert_eq!(sizes, [2, 3, 3]);
    }

    #[test]
    fn a_ring_of_fluents_is_one_hot_whatever_the_names() {
        let after = run(&network_of(
            "(role r) (legal r a) (goal r 0) (init (choose r))
             (<= (next (place r)) (true (choose r))) (<= (next rest) (true (place r)))
             (<= (next (choose r)) (true rest)) (<= terminal (true rest) (true (place r)))",
        ));
        let sizes: Vec<usize> = after.exclusive.iter().map(|group| group.len()).collect();
        assert_eq!(sizes, [3]);
    }

    #[test]
    fn a_ring_in_which_two_hold_is_not_one_hot() {
        let after = run(&network_of(
            "(role r) (legal r a) (goal r 0) (init a) (init b) (<= (next a) (true c))
             (<= (next b) (true a)) (<= (next c) (true b))
             (<= terminal (true a) (true b) (true c))",
        ));
        assert!(after.exclusive.is_empty());
    }

    #[test]
    fn a_group_that_can_become_empty_is_not_one_hot() {
        let steps = counter(200);
        // Random play stays among the first numbers; after the last number the group is empty.
        let after = run(&network_of(&format!(
            "(role r) (legal r a) (goal r 0) (init (n 0)) {steps} (<= terminal (true (n 200)))"
        )));
        assert!(after.exclusive.is_empty());
    }
}
