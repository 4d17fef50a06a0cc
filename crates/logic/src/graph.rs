//! The dependency graph of relations: strongly connected components, strata and classes.
//!
//! Stratification is that of Apt et al. 1988, as required by Love et al. 2008.

use ludorum_gdl::Diagnostic;
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::EdgeRef as _;

use crate::rule::{Literal, RelationId};
use crate::rules::{RelationClass, Rules};

/// The dependency graph. An edge leads from the head relation of a rule to a relation of its body;
/// its weight is true for a negative literal.
pub(crate) struct DependencyGraph {
    graph: DiGraph<RelationId, bool>,
}

impl DependencyGraph {
    pub(crate) fn new(rules: &Rules) -> Self {
        let mut graph = DiGraph::with_capacity(rules.relations.len(), rules.rules.len());
        for (id, _) in rules.relations() {
            graph.add_node(id);
        }
        for rule in &rules.rules {
            for literal in &rule.body {
                if let Some(atom) = literal.atom() {
                    graph.add_edge(
                        NodeIndex::new(rule.head.relation.index()),
                        NodeIndex::new(atom.relation.index()),
                        matches!(literal, Literal::Negative(_)),
                    );
                }
            }
        }
        Self { graph }
    }

    /// A strongly connected component with a negative edge, if there is one: the rules are not
    /// stratified then.
    pub(crate) fn negative_cycle(&self) -> Option<NegativeCycle> {
        let components = kosaraju_scc(&self.graph);
        let mut number = vec![0; self.graph.node_count()];
        for (i, members) in components.iter().enumerate() {
            for node in members {
                number[node.index()] = i;
            }
        }
        let edge = self.graph.edge_references().find(|edge| {
            *edge.weight() && number[edge.source().index()] == number[edge.target().index()]
        })?;
        let members = &components[number[edge.source().index()]];
        Some(NegativeCycle {
            component: members.iter().map(|node| self.graph[*node]).collect(),
            head: self.graph[edge.source()],
            negated: self.graph[edge.target()],
        })
    }

    /// Sets component, stratum, class and recursion of every relation. The rules must be
    /// stratified.
    pub(crate) fn classify(&self, rules: &mut Rules) {
        // Kosaraju's algorithm yields components in dependency order. Petgraph's version of
        // Tarjan's algorithm (Tarjan 1972) is recursive and could overflow the stack.
        let components = kosaraju_scc(&self.graph);
        rules.components = components.len();
        for (number, members) in components.iter().enumerate() {
            for node in members {
                rules.relations[node.index()].component = number as u32;
            }
        }
        for (number, members) in components.iter().enumerate() {
            let mut stratum = 0;
            let mut class = RelationClass::Rigid;
            let mut recursive = false;
            for node in members {
                let id = self.graph[*node];
                if id == rules.keywords.true_ {
                    class = class.max(RelationClass::State);
                } else if id == rules.keywords.does {
                    class = class.max(RelationClass::Action);
                }
                for edge in self.graph.edges(*node) {
                    let target = &rules.relations[edge.target().index()];
                    if target.component == number as u32 {
                        recursive = true;
                    } else {
                        stratum = stratum.max(target.stratum + u32::from(*edge.weight()));
                        class = class.max(target.class);
                    }
                }
            }
            for node in members {
                let relation = &mut rules.relations[node.index()];
                relation.stratum = stratum;
                relation.class = class;
                relation.recursive = recursive;
            }
        }
    }
}

/// A cycle of dependencies with a negative edge.
pub(crate) struct NegativeCycle {
    pub(crate) component: Vec<RelationId>,
    head: RelationId,
    negated: RelationId,
}

impl NegativeCycle {
    /// The error E306.
    pub(crate) fn diagnostic(&self, rules: &Rules) -> Diagnostic {
        let head = rules.relation_name(self.head);
        let negated = rules.relation_name(self.negated);
        Diagnostic::error(
            "E306",
            format!("`{head}` depends on the negation of `{negated}`, which depends on `{head}`"),
        )
        .help("break the cycle: no relation may depend on its own negation")
    }
}
