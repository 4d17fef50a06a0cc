//! Rigid relations: their rows, and the rules of those that are not materialised.

use ludorum_logic::rule::RelationId;

use super::clause::{Condition, PredicateId};
use super::extension::Extension;
use super::top_down::Deferred;

/// The rigid relations of a game.
#[derive(Debug)]
pub(super) struct Rigid {
    /// By relation; `None` for those that change. Of what is not written out, the facts.
    pub(super) extensions: Vec<Option<Extension>>,
    /// By relation, the rules of those that are not written out.
    pub(super) deferred: Vec<Option<Deferred>>,
}

impl Rigid {
    /// Takes a relation in that has no rows, only rules.
    pub(super) fn postpone(&mut self, relation: RelationId, arity: usize, deferred: Deferred) {
        self.extensions[relation.index()] = Some(Extension::new(arity));
        self.deferred[relation.index()] = Some(deferred);
    }

    /// The rows of a relation that never changes: of one that is not written out, the facts.
    pub(super) fn get(&self, relation: RelationId) -> Option<&Extension> {
        self.extensions[relation.index()].as_ref()
    }

    pub(super) fn get_mut(&mut self, relation: RelationId) -> Option<&mut Extension> {
        self.extensions[relation.index()].as_mut()
    }

    /// A relation that is not written out.
    pub(super) fn deferred(&self, relation: RelationId) -> Option<&Deferred> {
        self.deferred[relation.index()].as_ref()
    }

    pub(super) fn deferred_mut(&mut self, relation: RelationId) -> Option<&mut Deferred> {
        self.deferred[relation.index()].as_mut()
    }

    /// The predicates that rules of what is not written out look at.
    pub(super) fn looked_at(&self) -> impl Iterator<Item = PredicateId> {
        let deferred = self.deferred.iter().flatten();
        let conditions = deferred.flat_map(|d| &d.rules).flat_map(|rule| &rule.body);
        conditions.filter_map(|condition| match condition {
            Condition::Dynamic { predicate, .. } => Some(*predicate),
            _ => None,
        })
    }

    /// The conditions of the rules of what is not written out.
    pub(super) fn deferred_conditions(&mut self) -> impl Iterator<Item = &mut Condition> {
        let deferred = self.deferred.iter_mut().flatten();
        let rules = deferred.flat_map(|deferred| &mut deferred.rules);
        rules.flat_map(|rule| &mut rule.body)
    }

    /// How many relations are not written out.
    pub(super) fn deferred_count(&self) -> usize {
        self.deferred.iter().flatten().count()
    }

    /// About how many bytes the rows and their indexes take.
    pub(super) fn bytes(&self) -> usize {
        self.extensions.iter().flatten().map(Extension::bytes).sum()
    }

    pub(super) fn sizes(&self) -> Vec<usize> {
        let size = |extension: &Option<Extension>| extension.as_ref().map_or(0, Extension::len);
        self.extensions.iter().map(size).collect()
    }
}
