//! Rigid relations: their rows, and the rules of those that are not materialised.

use ludorum_logic::rule::RelationId;

use super::clause::{Condition, PredicateId};
use super::extension::Extension;
use super::top_down::TopDownRelation;

/// The rigid relations of a game.
#[derive(Debug)]
pub(super) struct RigidRelations {
    /// By relation; `None` for dynamic relations. Of top-down relations only the facts.
    pub(super) extensions: Vec<Option<Extension>>,
    /// By relation, the rules of top-down relations.
    pub(super) top_down: Vec<Option<TopDownRelation>>,
}

impl RigidRelations {
    /// Adds a relation that has no rows, only rules.
    pub(super) fn add_top_down(
        &mut self,
        relation: RelationId,
        arity: usize,
        top_down: TopDownRelation,
    ) {
        self.extensions[relation.index()] = Some(Extension::new(arity));
        self.top_down[relation.index()] = Some(top_down);
    }

    /// The rows of a rigid relation. Of a top-down relation only the facts.
    pub(super) fn get(&self, relation: RelationId) -> Option<&Extension> {
        self.extensions[relation.index()].as_ref()
    }

    pub(super) fn get_mut(&mut self, relation: RelationId) -> Option<&mut Extension> {
        self.extensions[relation.index()].as_mut()
    }

    /// The rules of a relation that is evaluated top-down.
    pub(super) fn top_down(&self, relation: RelationId) -> Option<&TopDownRelation> {
        self.top_down[relation.index()].as_ref()
    }

    pub(super) fn top_down_mut(&mut self, relation: RelationId) -> Option<&mut TopDownRelation> {
        self.top_down[relation.index()].as_mut()
    }

    /// The dynamic predicates that rules of top-down relations use.
    pub(super) fn used_predicates(&self) -> impl Iterator<Item = PredicateId> {
        let top_down = self.top_down.iter().flatten();
        let conditions = top_down.flat_map(|d| &d.rules).flat_map(|rule| &rule.body);
        conditions.filter_map(|condition| match condition {
            Condition::Dynamic { predicate, .. } => Some(*predicate),
            _ => None,
        })
    }

    /// The conditions of the rules of top-down relations.
    pub(super) fn top_down_conditions(&mut self) -> impl Iterator<Item = &mut Condition> {
        let top_down = self.top_down.iter_mut().flatten();
        let rules = top_down.flat_map(|top_down| &mut top_down.rules);
        rules.flat_map(|rule| &mut rule.body)
    }

    /// Number of top-down relations.
    pub(super) fn top_down_count(&self) -> usize {
        self.top_down.iter().flatten().count()
    }

    /// Approximate bytes of rows and indexes.
    pub(super) fn bytes(&self) -> usize {
        self.extensions.iter().flatten().map(Extension::bytes).sum()
    }

    pub(super) fn sizes(&self) -> Vec<usize> {
        let size = |extension: &Option<Extension>| extension.as_ref().map_or(0, Extension::len);
        self.extensions.iter().map(size).collect()
    }
}
