//! Dependencies by value: which clause can be asked for by which.
//!
//! `(<= (goal ?r 0) (role ?r) (not (goal ?r 100)))` depends on its own negation by name, yet no
//! clause for a result of 100 looks at one of 0. Here the nodes are clauses, and an edge leads from
//! a condition only to heads that can be equal to it. Every cycle among ground atoms is a cycle
//! here, so where no negation lies on one, the sheet has one meaning (it is locally stratified).

use std::collections::VecDeque;

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::EdgeRef;
use rustc_hash::FxHashMap;

use super::relations::{RelationId, Use};
use super::sheet::Sheet;
use crate::ast::{Description, SyntaxAtom, SyntaxTerm, SyntaxTermId};

/// How many pairs of terms are compared for one sheet before this is given up.
pub(super) const COMPARISONS: usize = 2_000_000;

/// What is known about negation among relations that depend on each other.
pub(super) enum Verdict {
    /// Negations lie on cycles: a shortest such cycle, starting with the first of them, and how
    /// many negations there are.
    Cycle(Vec<Use>, usize),
    /// No negation lies on a cycle.
    Fine,
    /// There was too much to compare.
    Unknown,
}

/// Looks for a negation on a cycle among the clauses of some relations.
pub(super) fn negation_on_cycle(
    sheet: &Sheet<'_>,
    component: &[RelationId],
    budget: &mut usize,
) -> Verdict {
    let Some(graph) = graph(sheet, component, budget) else {
        return Verdict::Unknown;
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
        .filter(|edge| sheet.relations.asked(*edge.weight()).negated)
        .filter(|edge| on_cycle(edge.source(), edge.target()))
        .map(|edge| (*edge.weight(), edge.source(), edge.target()))
        .collect();
    negations.sort_unstable();
    let Some((first, from, to)) = negations.first().copied() else {
        return Verdict::Fine;
    };
    negations.dedup_by_key(|(asked, ..)| *asked);
    let mut path = vec![*sheet.relations.asked(first)];
    path.extend(shortest(sheet, &graph, to, from));
    Verdict::Cycle(path, negations.len())
}

/// The clauses and which conditions lead from one to another, `None` when the budget is spent.
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
            let asked = sheet.relations.asked(*index);
            // Conditions of clauses outside lead in, never back out.
            let (Some(from), Some(atom)) = (nodes.get(&asked.clause), sheet.atom(asked.formula))
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

/// Whether two atoms of one relation, of two clauses, can have a common instance; `None` when the
/// budget is spent. Repeated variables do not count, so the answer may be yes too often but never
/// no.
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

/// The conditions on a shortest way between two clauses.
fn shortest(
    sheet: &Sheet<'_>,
    graph: &DiGraph<u32, u32>,
    from: NodeIndex,
    to: NodeIndex,
) -> Vec<Use> {
    let mut came_by: FxHashMap<NodeIndex, (NodeIndex, u32)> = FxHashMap::default();
    let mut queue = VecDeque::from([from]);
    while let Some(node) = queue.pop_front() {
        if node == to {
            break;
        }
        for edge in graph.edges(node) {
            let target = edge.target();
            if target != from && !came_by.contains_key(&target) {
                came_by.insert(target, (node, *edge.weight()));
                queue.push_back(target);
            }
        }
    }
    let mut path = Vec::new();
    let mut at = to;
    while at != from
        && let Some((before, asked)) = came_by.get(&at)
    {
        path.push(*sheet.relations.asked(*asked));
        at = *before;
    }
    path.reverse();
    path
}
