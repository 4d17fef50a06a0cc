//! Factoring (strength reduction): `(a & x) | (a & y)` becomes `a & (x | y)`.
//!
//! In an OR of ANDs that have no other use, the ANDs that share an input are combined, those with
//! the most frequent input first, and the rest recursively. A change of a signal then affects one
//! gate instead of many.

use rustc_hash::FxHashMap;

use super::super::network::Network;
use super::and_inverter_graph::{ALWAYS, AndInverterGraph, Edge, mapped_edge};
use super::write_network;

/// How deep factors are nested.
const MAX_DEPTH: usize = 8;

pub(super) fn run(network: &Network) -> Network {
    write_network::write(&factor(&AndInverterGraph::new(network)))
}

pub(super) fn factor(gates: &AndInverterGraph) -> AndInverterGraph {
    let uses = gates.uses();
    let mut other: Vec<Edge> = Vec::new();
    gates.map(|new, edges, signal| {
        // Seen as an OR, the gate is the negation of the AND, and its terms are the ANDs behind
        // negated inputs.
        let mut terms: Vec<Vec<Edge>> = Vec::new();
        other.clear();
        for edge in gates.inputs(signal) {
            match gates.and_inputs(edge ^ 1) {
                Some(inner) if uses[(edge >> 1) as usize] == 1 => {
                    terms.push(inner.iter().map(|e| mapped_edge(edges, *e)).collect());
                }
                _ => other.push(mapped_edge(edges, *edge)),
            }
        }
        if terms.len() > 1 {
            sum(new, terms, &mut other, MAX_DEPTH);
        } else {
            other.extend(terms.into_iter().map(|mut term| new.and(&mut term) ^ 1));
        }
        new.and(&mut other)
    })
}

/// Adds the negations of terms to `negated`, with common inputs factored out.
fn sum(new: &mut AndInverterGraph, terms: Vec<Vec<Edge>>, negated: &mut Vec<Edge>, depth: usize) {
    let mut counts: FxHashMap<Edge, u32> = FxHashMap::default();
    for edge in terms.iter().flatten() {
        *counts.entry(*edge).or_default() += 1;
    }
    // Each term is grouped under its most frequent input; ties go to the smallest.
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
            // The terms may have further inputs in common.
            let mut inner = Vec::new();
            sum(new, group, &mut inner, depth - 1);
            new.and(&mut inner) ^ 1
        };
        let mut whole = vec![shared, rest];
        // The product of a factor and another product is one AND.
        if let Some(inner) = new.and_inputs(rest) {
            whole = inner.to_vec();
            whole.push(shared);
        }
        negated.push(new.and(&mut whole) ^ 1);
    }
}

/// Whether a factor saves more than it costs, counted in gates and wires. It is removed from all
/// terms, and terms of two inputs stop being gates; the sum of the remainders, its product with the
/// factor and three wires are new.
fn pays(group: &[Vec<Edge>]) -> bool {
    let short = group.iter().filter(|term| term.len() <= 2).count();
    let whole = group.iter().any(|term| term.len() < 2);
    whole || short * 3 + (group.len() - short) > 5
}

#[cfg(test)]
mod tests {
    use super::super::testing::{expression_of, network};
    use super::*;

    #[test]
    fn a_common_factor_is_taken_out() {
        let after = run(&network(
            "(<= terminal (true p) (true q)) (<= terminal (true p) (true s))",
        ));
        assert_eq!(expression_of(&after, "terminal"), "&(p |(q s))");
    }

    #[test]
    fn terms_without_a_common_factor_stay() {
        let after = run(&network(
            "(init t) (<= (next t) (does r a)) (<= terminal (true p) (true q))
             (<= terminal (true s) (true t))",
        ));
        assert_eq!(expression_of(&after, "terminal"), "|(&(p q) &(s t))");
    }

    #[test]
    fn a_term_that_is_the_factor_absorbs_the_others() {
        let mut terms = vec![vec![2, 4], vec![2], vec![6, 8]];
        let mut gates = AndInverterGraph::new(&network(""));
        let mut negated = Vec::new();
        sum(
            &mut gates,
            std::mem::take(&mut terms),
            &mut negated,
            MAX_DEPTH,
        );
        assert!(negated.contains(&3), "{negated:?}");
    }
}
