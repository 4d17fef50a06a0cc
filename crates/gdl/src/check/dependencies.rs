//! The dependency graph of relations: strongly connected components and shortest paths.

use std::collections::VecDeque;

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};

use super::relations::{RelationId, Relations, Use};

/// The strongly connected components of the dependency graph.
#[derive(Debug)]
pub(super) struct Dependencies {
    component: Vec<u32>,
    /// The relations of each component.
    members: Vec<Vec<RelationId>>,
}

impl Dependencies {
    pub(super) fn of(relations: &Relations) -> Self {
        let mut graph: DiGraph<(), ()> =
            DiGraph::with_capacity(relations.len(), relations.uses().len());
        for _ in 0..relations.len() {
            graph.add_node(());
        }
        for usage in relations.uses() {
            let head = relations.head(usage.clause);
            graph.add_edge(NodeIndex::from(head), NodeIndex::from(usage.relation), ());
        }
        // Kosaraju's algorithm: petgraph's version of Tarjan's algorithm recurses as deep as the
        // longest chain of relations.
        let mut component = vec![0; relations.len()];
        let mut members = Vec::new();
        for (index, nodes) in kosaraju_scc(&graph).into_iter().enumerate() {
            for node in &nodes {
                component[node.index()] = index as u32;
            }
            members.push(nodes.into_iter().map(|n| n.index() as RelationId).collect());
        }
        Self { component, members }
    }

    /// The strongly connected component of a relation.
    pub(super) fn component(&self, relation: RelationId) -> u32 {
        self.component[relation as usize]
    }

    /// The relations of every component.
    pub(super) fn components(&self) -> &[Vec<RelationId>] {
        &self.members
    }

    /// Whether a use is an edge of a cycle: the used relation depends on the head relation.
    pub(super) fn in_cycle(&self, relations: &Relations, usage: &Use) -> bool {
        self.component(relations.head(usage.clause)) == self.component(usage.relation)
    }
}

/// The shortest path from every relation to the nearest of some targets: the first edge of each
/// path, `None` if there is no path.
#[derive(Debug)]
pub(super) struct ShortestPaths {
    follow: Vec<Option<u32>>,
    target: Vec<bool>,
}

impl ShortestPaths {
    pub(super) fn to(relations: &Relations, targets: impl IntoIterator<Item = RelationId>) -> Self {
        let mut follow = vec![None; relations.len()];
        let mut target = vec![false; relations.len()];
        let mut queue = VecDeque::new();
        for relation in targets {
            target[relation as usize] = true;
            queue.push_back(relation);
        }
        while let Some(relation) = queue.pop_front() {
            for index in &relations.get(relation).uses {
                let head = relations.head(relations.usage(*index).clause);
                if follow[head as usize].is_none() && !target[head as usize] {
                    follow[head as usize] = Some(*index);
                    queue.push_back(head);
                }
            }
        }
        Self { follow, target }
    }

    pub(super) fn is_target(&self, relation: RelationId) -> bool {
        self.target[relation as usize]
    }

    /// Whether a relation is a target or depends on one.
    pub(super) fn reaches(&self, relation: RelationId) -> bool {
        self.is_target(relation) || self.follow[relation as usize].is_some()
    }

    /// The edges from `first` to a target, including both ends.
    pub(super) fn path(&self, relations: &Relations, first: Use) -> Vec<Use> {
        let mut path = vec![first];
        let mut at = first.relation;
        while !self.is_target(at)
            && let Some(index) = self.follow[at as usize]
        {
            let usage = *relations.usage(index);
            path.push(usage);
            at = usage.relation;
        }
        path
    }
}

/// A shortest cycle through an edge that is on one, starting with that edge.
pub(super) fn cycle(relations: &Relations, dependencies: &Dependencies, first: Use) -> Vec<Use> {
    let goal = relations.head(first.clause);
    let component = dependencies.component(goal);
    let mut reached_by: rustc_hash::FxHashMap<RelationId, Use> = rustc_hash::FxHashMap::default();
    let mut queue = VecDeque::from([first.relation]);
    while let Some(relation) = queue.pop_front() {
        if relation == goal {
            break;
        }
        for clause in &relations.get(relation).heads {
            for usage in relations.body(*clause) {
                if dependencies.component(usage.relation) == component
                    && usage.relation != first.relation
                    && !reached_by.contains_key(&usage.relation)
                {
                    reached_by.insert(usage.relation, *usage);
                    queue.push_back(usage.relation);
                }
            }
        }
    }
    let mut rest = Vec::new();
    let mut at = goal;
    while at != first.relation
        && let Some(usage) = reached_by.get(&at)
    {
        rest.push(*usage);
        at = relations.head(usage.clause);
    }
    rest.push(first);
    rest.reverse();
    rest
}
