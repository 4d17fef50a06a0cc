//! Common factors: `(a & x) | (a & y)` becomes `a & (x | y)`.
//!
//! In an OR of ANDs that nothing else looks at, the ANDs that share an input are taken together,
//! those that share the most frequent one first, and what is left of them is treated the same way.
//! A signal that changes then meets one gate instead of many.

use rustc_hash::FxHashMap;

use super::super::network::Network;
use super::and_inverter_graph::{ALWAYS, AndInverterGraph, Edge, moved};
use super::write_network;

/// How deep factors are looked for within factors.
const DEPTH: usize = 8;

pub(super) fn run(network: &Network) -> Network {
    write_network::write(&factor(&AndInverterGraph::new(network)))
}

pub(super) fn factor(gates: &AndInverterGraph) -> AndInverterGraph {
    let uses = gates.uses();
    let mut other: Vec<Edge> = Vec::new();
    gates.map(|new, edges, signal| {
        // As an OR, the gate is true where the AND is not: its terms are what the negated inputs
        // negate.
        let mut terms: Vec<Vec<Edge>> = Vec::new();
        other.clear();
        for edge in gates.inputs(signal) {
            match gates.and_inputs(edge ^ 1) {
                Some(inner) if uses[(edge >> 1) as usize] == 1 => {
                    terms.push(inner.iter().map(|e| moved(edges, *e)).collect());
                }
                _ => other.push(moved(edges, *edge)),
            }
        }
        if terms.len() > 1 {
            sum(new, terms, &mut other, DEPTH);
        } else {
            other.extend(terms.into_iter().map(|mut term| new.and(&mut term) ^ 1));
        }
        new.and(&mut other)
    })
}

/// Adds the negations of terms to `negated`, terms with a common input taken together.
fn sum(new: &mut AndInverterGraph, terms: Vec<Vec<Edge>>, negated: &mut Vec<Edge>, depth: usize) {
    let mut counts: FxHashMap<Edge, u32> = FxHashMap::default();
    for edge in terms.iter().flatten() {
        *counts.entry(*edge).or_default() += 1;
    }
    // Each term goes to its most frequent input, the smallest of equals.
    let mut groups: FxHashMap<Edge, Vec<Vec<Edge>>> = FxHashMap::default();
    let mut order: Vec<Edge> = Vec::new();
    for mut term in terms {
        let best = term
            .iter()
            .copied()
            .max_by_key(|edge| (counts[edge], std::cmp::Reverse(*edge)));
        match best {
            Some(best) if depth > 0 && counts[&best] > 1 => {
                let group = groups.entry(best).or_default();
                if group.is_empty() {
                    order.push(best);
                }
                group.push(term);
            }
            _ => negated.push(new.and(&mut term) ^ 1),
        }
    }
    for shared in order {
        let Some(mut group) = groups.remove(&shared) else {
            continue;
        };
        if !pays(&group) {
            negated.extend(group.iter_mut().map(|term| new.and(term) ^ 1));
            continue;
        }
        for term in &mut group {
            term.retain(|edge| *edge != shared);
        }
        let rest = if group.iter().any(Vec::is_empty) {
            ALWAYS
        } else {
            // More than one input may be common to all of them.
            let mut inner = Vec::new();
            sum(new, group, &mut inner, depth - 1);
            new.and(&mut inner) ^ 1
        };
        let mut whole = vec![shared, rest];
        // A factor of a factor is an AND within an AND.
        if let Some(inner) = new.and_inputs(rest) {
            whole = inner.to_vec();
            whole.push(shared);
        }
        negated.push(new.and(&mut whole) ^ 1);
    }
}

/// Whether taking a factor out of these terms saves more than it costs, in gates and wires
/// together. The factor goes from all terms, those of two inputs stop being gates; a sum of what is
/// left, its product with the factor and three wires are new.
fn pays(group: &[Vec<Edge>]) -> bool {
    let short = group.iter().filter(|term| term.len() <= 2).count();
    let whole = group.iter().any(|term| term.len() < 2);
    whole || short * 3 + (group.len() - short) > 5
}

#[cfg(test)]
mod tests {
    use super::super::testing::{network, written};
    use super::*;

    #[test]
    fn a_common_factor_is_taken_out() {
        let after = run(&network(
            "(<= terminal (true p) (true q)) (<= terminal (true p) (true s))",
        ));
        assert_eq!(written(&after, "terminal"), "&(p |(q s))");
    }

    #[test]
    fn terms_without_a_common_factor_stay() {
        let after = run(&network(
            "(init t) (<= (next t) (does r a)) (<= terminal (true p) (true q)) (<= terminal (true s) (true t))",
        ));
        assert_eq!(written(&after, "terminal"), "|(&(p q) &(s t))");
    }

    #[test]
    fn a_term_that_is_the_factor_takes_in_the_others() {
        let mut terms = vec![vec![2, 4], vec![2], vec![6, 8]];
        let mut gates = AndInverterGraph::new(&network(""));
        let mut negated = Vec::new();
        sum(&mut gates, std::mem::take(&mut terms), &mut negated, DEPTH);
        assert!(negated.contains(&3), "{negated:?}");
    }
}
