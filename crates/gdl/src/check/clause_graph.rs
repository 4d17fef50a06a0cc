//! The dependency graph of clauses, to decide local stratification (Przymusinski 1988).
//!
//! With the rule `(<= (goal ?r 0) (role ?r) (not (goal ?r 100)))`, the relation `goal` depends on
//! its own negation, but no clause for the value 100 depends on one for 0. The nodes of this graph
//! are clauses, and an edge leads from a condition only to heads that unify with it. Every
//! dependency cycle of ground atoms is a cycle of this graph. If no cycle has a negative edge, the
//! sheet is locally stratified and has a unique meaning.

use std::collections::VecDeque;

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::EdgeRef;
use rustc_hash::FxHashMap;

use super::relations::{RelationId, Use};
use super::sheet::Sheet;
use crate::ast::{Description, SyntaxAtom, SyntaxTerm, SyntaxTermId};

/// Maximum number of term comparisons for one sheet.
pub(super) const COMPARISONS: usize = 2_000_000;

/// The result of the search for a negative cycle.
pub(super) enum NegationCheck {
    /// The edges of a shortest negative cycle, starting with the first negative one, and the number
    /// of negative edges on cycles.
    Cycle(Vec<Use>, usize),
    /// No negative edge is on a cycle.
    Acyclic,
    /// The limit of comparisons was exceeded.
    Unknown,
}

/// Searches for a negative edge on a cycle among the clauses of some relations.
pub(super) fn negation_on_cycle(
    sheet: &Sheet<'_>,
    component: &[RelationId],
    budget: &mut usize,
) -> NegationCheck {
    let Some(graph) = graph(sheet, component, budget) else {
        return NegationCheck::Unknown;
    };
    let mut group = vec![0; graph.node_count()];
    for (index, nodes) in kosaraju_scc(&graph).into_iter().enumerate() {
        for node in nodes {
            group[node.index()] = index;
        }
    }
    let on_cycle = |a: NodeIndex, b: NodeIndex| group[a.index()] == group[b.index()];
    let mut negations: Vec<(u32, NodeIndex, NodeIndex)> = graph
        .edge_references()
        .filter(|edge| sheet.relations.usage(*edge.weight()).negated)
        .filter(|edge| on_cycle(edge.source(), edge.target()))
        .map(|edge| (*edge.weight(), edge.source(), edge.target()))
        .collect();
    negations.sort_unstable();
    let Some((first, from, to)) = negations.first().copied() else {
        return NegationCheck::Acyclic;
    };
    negations.dedup_by_key(|(usage, ..)| *usage);
    let mut path = vec![*sheet.relations.usage(first)];
    path.extend(shortest(sheet, &graph, to, from));
    NegationCheck::Cycle(path, negations.len())
}

/// Builds the graph of clauses, with conditions as edges; `None` if the limit of comparisons is
/// exceeded.
fn graph(
    sheet: &Sheet<'_>,
    component: &[RelationId],
    budget: &mut usize,
) -> Option<DiGraph<u32, u32>> {
    let mut graph = DiGraph::new();
    let mut nodes: FxHashMap<u32, NodeIndex> = FxHashMap::default();
    for relation in component {
        for clause in &sheet.relations.get(*relation).heads {
            nodes.insert(*clause, graph.add_node(*clause));
        }
    }
    for relation in component {
        let relation = sheet.relations.get(*relation);
        for index in &relation.uses {
            let usage = sheet.relations.usage(*index);
            // Edges from clauses outside the component cannot be part of a cycle.
            let (Some(from), Some(atom)) = (nodes.get(&usage.clause), sheet.atom(usage.formula))
            else {
                continue;
            };
            for clause in &relation.heads {
                let head = &sheet.clause(*clause).head;
                if can_be_equal(sheet.description, atom, head, budget)? {
                    graph.add_edge(*from, nodes[clause], *index);
                }
            }
        }
    }
    Some(graph)
}

/// Whether two atoms of one relation may have a common instance; `None` if the limit of comparisons
/// is exceeded. Repeated variables are not taken into account, so the answer may be true too often
/// but is never falsely false.
fn can_be_equal(
    description: &Description,
    a: &SyntaxAtom,
    b: &SyntaxAtom,
    budget: &mut usize,
) -> Option<bool> {
    *budget = budget.checked_sub(1)?;
    let mut pairs: Vec<(SyntaxTermId, SyntaxTermId)> =
        a.args.iter().copied().zip(b.args.iter().copied()).collect();
    while let Some((a, b)) = pairs.pop() {
        *budget = budget.checked_sub(1)?;
        match (description.term(a), description.term(b)) {
            (SyntaxTerm::Variable(_), _) | (_, SyntaxTerm::Variable(_)) => {}
            (SyntaxTerm::Constant(x), SyntaxTerm::Constant(y)) if x == y => {}
            (
                SyntaxTerm::Compound { functor: f, args },
                SyntaxTerm::Compound {
                    functor: g,
                    args: others,
                },
            ) if f == g && args.len() == others.len() => {
                pairs.extend(args.iter().copied().zip(others.iter().copied()));
            }
            _ => return Some(false),
        }
    }
    Some(true)
}

/// The edges of a shortest path between two clauses, by breadth-first search.
fn shortest(
    sheet: &Sheet<'_>,
    graph: &DiGraph<u32, u32>,
    from: NodeIndex,
    to: NodeIndex,
) -> Vec<Use> {
    let mut reached_by: FxHashMap<NodeIndex, (NodeIndex, u32)> = FxHashMap::default();
    let mut queue = VecDeque::from([from]);
    while let Some(node) = queue.pop_front() {
        if node == to {
            break;
        }
        for edge in graph.edges(node) {
            let target = edge.target();
            if target != from && !reached_by.contains_key(&target) {
                reached_by.insert(target, (node, *edge.weight()));
                queue.push_back(target);
            }
        }
    }
    let mut path = Vec::new();
    let mut at = to;
    while at != from
        && let Some((before, usage)) = reached_by.get(&at)
    {
        path.push(*sheet.relations.usage(*usage));
        at = *before;
    }
    path.reverse();
    path
}
