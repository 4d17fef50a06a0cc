//! One-hot groups: fluents of which exactly one holds in every reachable state, such as whose turn it is or what is on a square.
//!
//! Candidates are fluents that differ in some of their arguments only, and of which exactly one held in all states of random play.
//! The proof is by induction over all candidates together: if exactly one of each group holds now, exactly one of the group holds next,
//! whatever legal moves are played. It goes through cases ([`super::cases`]); candidates that fail are dropped and the rest is
//! tried again.

use rustc_hash::FxHashMap;

use super::super::network::Network;
use super::cases::Prover;
use super::exclude::Groups;
use super::gates::{ABSENT, Edge, Gates};
use super::simulate::{self, Samples};

/// How often the proof is tried with fewer candidates.
const ROUNDS: usize = 8;
/// The most steps of all proofs together, so that the pass takes a fraction of a second.
const EFFORT: u64 = 2_000_000;
/// The most arguments of a fluent that is looked at.
const ARGUMENTS: usize = 6;

/// Notes the groups; gates are as before.
pub(super) fn run(network: &Network) -> Network {
    let mut result = network.clone();
    result.exclusive = groups(&Gates::new(network)).into();
    result
}

pub(super) fn note(gates: &Gates) -> Gates {
    let mut noted = gates.clone();
    noted.exclusive = groups(gates).into();
    noted
}

/// The groups of fluents that are proven to be one-hot.
fn groups(gates: &Gates) -> Vec<Box<[u32]>> {
    let samples = simulate::play(gates);
    let mut candidates = candidates(gates, &samples);
    let mut effort = EFFORT;
    for _ in 0..ROUNDS {
        // With fewer candidates the proofs of the others have to be made again, so half of them are worth nothing.
        if candidates.is_empty() || gates.clock.is_over() {
            break;
        }
        let mut groups = Groups::of_moves(gates);
        for candidate in &candidates {
            groups.add(candidate.iter().map(|f| Gates::base(*f as usize)).collect());
        }
        let mut prover = Prover::new(gates, &groups, effort);
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
            return candidates;
        }
    }
    Vec::new()
}

/// Disjoint sets of fluents that may be one-hot, those with fewer differing arguments first.
fn candidates(gates: &Gates, samples: &Samples) -> Vec<Box<[u32]>> {
    let terms: Vec<Vec<&str>> = gates.game.fluents.iter().map(|text| parts(text)).collect();
    let most = terms.iter().map(Vec::len).max().unwrap_or(0);
    let mut masks: Vec<u32> = (1..1u32 << most.saturating_sub(1).min(ARGUMENTS)).collect();
    masks.sort_by_key(|mask| mask.count_ones());
    let mut taken = vec![false; terms.len()];
    let mut found = Vec::new();
    for mask in masks {
        let mut by_rest: FxHashMap<Vec<&str>, Vec<u32>> = FxHashMap::default();
        let mut order: Vec<Vec<&str>> = Vec::new();
        for (fluent, term) in terms.iter().enumerate() {
            let free = !taken[fluent] && gates.next[fluent] != ABSENT && gates.has_base[fluent];
            if !free || 32 - mask.leading_zeros() >= term.len() as u32 {
                continue;
            }
            let mut rest = term.clone();
            for (i, part) in rest.iter_mut().enumerate().skip(1) {
                if i <= ARGUMENTS && mask >> (i - 1) & 1 == 1 {
                    *part = "";
                }
            }
            let group = by_rest.entry(rest.clone()).or_default();
            if group.is_empty() {
                order.push(rest);
            }
            group.push(fluent as u32);
        }
        for rest in order {
            let group = &by_rest[&rest];
            if group.len() > 1 && one_hot(group, samples) {
                for fluent in group {
                    taken[*fluent as usize] = true;
                }
                found.push(group.clone().into_boxed_slice());
            }
        }
    }
    found
}

/// The name and arguments of a fluent, nested ones in one piece.
fn parts(text: &str) -> Vec<&str> {
    let Some(inner) = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')) else {
        return vec![text];
    };
    let mut parts = Vec::new();
    let mut depth = 0i32;
    let mut start = 0;
    for (i, c) in inner.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ' ' if depth == 0 => {
                parts.push(&inner[start..i]);
                start = i + 1;
            }
            _ => {}
        }
    }
    parts.push(&inner[start..]);
    parts
}

/// Whether exactly one of the fluents held in each state.
fn one_hot(group: &[u32], samples: &Samples) -> bool {
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
    use super::super::testing::{counter, of};
    use super::*;

    #[test]
    fn turns_and_squares_are_one_hot() {
        let after = run(&of(
            "(role r) (role t) (init (control r)) (<= (next (control t)) (true (control r))) (<= (next (control r)) (true (control t)))
             (init (cell 1 b)) (init (cell 2 b)) (<= (legal ?r (mark ?x)) (true (control ?r)) (true (cell ?x b)))
             (<= (legal r noop) (true (control t))) (<= (legal t noop) (true (control r)))
             (<= (next (cell ?x ?r)) (does ?r (mark ?x))) (<= (next (cell ?x ?w)) (true (cell ?x ?w)) (distinct ?w b))
             (<= (next (cell ?x b)) (true (cell ?x b)) (not (does r (mark ?x))) (not (does t (mark ?x))))
             (<= terminal (not (true (cell 1 b))) (not (true (cell 2 b)))) (<= (goal ?r 0) (role ?r))",
        ));
        let sizes: Vec<usize> = after.exclusive.iter().map(|group| group.len()).collect();
        assert_eq!(sizes, [2, 3, 3]);
    }

    #[test]
    fn a_group_that_can_become_empty_is_not_one_hot() {
        let steps = counter(200);
        // All the numbers of random play are among the first; after the last one there is none.
        let after = run(&of(&format!(
            "(role r) (legal r a) (goal r 0) (init (n 0)) {steps} (<= terminal (true (n 200)))"
        )));
        assert!(after.exclusive.is_empty());
    }

    #[test]
    fn nested_arguments_are_one_piece() {
        assert_eq!(parts("(cell (at 1 2) x)"), ["cell", "(at 1 2)", "x"]);
        assert_eq!(parts("end"), ["end"]);
    }
}
