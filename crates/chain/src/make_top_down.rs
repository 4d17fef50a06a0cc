//! Moves predicates from forward chaining to top-down evaluation where forward chaining would
//! enumerate a relation that is too large to materialise.
//!
//! A relation such as "a step towards another piece", over any two cells of a board, is derived for
//! all pairs of cells in every state, while its users know both cells. The clauses of such a
//! relation are removed from the compiled rules. It becomes a relation without rows that keeps its
//! rules ([`top_down`](super::top_down)), whose conditions may depend on the state.

use ludorum_logic::Rules;
use ludorum_logic::rule::RelationId;

use super::clause::{Clause, Condition, PredicateId};
use super::rigid::RigidRelations;
use super::schema::Schema;
use super::sparse_instances::CAPACITY;
use super::top_down::{TopDownRelation, TopDownRule};

/// Moves clauses to top-down relations.
pub(super) fn make_top_down(
    rules: &Rules,
    schema: &Schema,
    rigid: &mut RigidRelations,
    clauses: &mut Vec<Clause>,
) {
    // Such relations may use each other in any order. None is recursive, so evaluation terminates.
    while let Some(number) = candidate(rules, schema, rigid, clauses) {
        let relation = schema.predicate(number).relation;
        let (own, rest) = std::mem::take(clauses)
            .into_iter()
            .partition::<Vec<_>, _>(|clause| clause.predicate == number);
        *clauses = rest;
        let own = own.into_iter().map(|clause| TopDownRule {
            head: clause.head,
            body: clause.body,
            variables: clause.variables,
        });
        let component = rules.relation(relation).component;
        let top_down = TopDownRelation::new(own.collect(), component, false);
        rigid.add_top_down(relation, rules.relation(relation).arity, top_down);
        let redirect_condition = |condition: &mut Condition| redirect(condition, number, relation);
        clauses
            .iter_mut()
            .flat_map(|clause| &mut clause.body)
            .for_each(redirect_condition);
        // Conditions of relations that were moved earlier refer to this one as well.
        rigid.top_down_conditions().for_each(redirect_condition);
    }
}

/// Redirects conditions on a predicate to the top-down relation that replaces it.
fn redirect(condition: &mut Condition, number: PredicateId, relation: RelationId) {
    match condition {
        Condition::Dynamic {
            positive,
            predicate,
            args,
        } if *predicate == number => {
            *condition = Condition::Rigid {
                positive: *positive,
                relation,
                args: std::mem::take(args),
            };
        }
        Condition::Any(tests) => {
            for test in tests {
                redirect(test, number, relation);
            }
        }
        _ => {}
    }
}

/// A predicate to be moved: it has too many possible instances for an array, its rules use a
/// top-down relation, it is no keyword and it is not recursive.
fn candidate(
    rules: &Rules,
    schema: &Schema,
    rigid: &RigidRelations,
    clauses: &[Clause],
) -> Option<PredicateId> {
    let query_relations = rules.keywords.per_state();
    let uses_top_down = |clause: &Clause| {
        let relations = clause.body.iter().filter_map(Condition::rigid_relation);
        relations.into_iter().any(|r| rigid.top_down(r).is_some())
    };
    let is_alone_in_component = |number: PredicateId| {
        let predicate = schema.predicate(number);
        let component = rules.relation(predicate.relation).component;
        let same = |other: &Clause| {
            let relation = schema.predicate(other.predicate).relation;
            rules.relation(relation).component == component
        };
        let uses_itself = |clause: &Clause| {
            let mut lookups = clause.lookups();
            lookups.any(|(other, _)| other == number)
        };
        clauses
            .iter()
            .filter(|clause| same(clause))
            .all(|clause| clause.predicate == number && !uses_itself(clause))
    };
    let mut heads = clauses.iter().filter(|clause| {
        let predicate = schema.predicate(clause.predicate);
        predicate.size > u64::from(CAPACITY)
            && !query_relations.contains(&predicate.relation)
            // Its arguments are its columns.
            && predicate.shape.iter().all(Option::is_none)
            && uses_top_down(clause)
    });
    heads
        .find(|clause| is_alone_in_component(clause.predicate))
        .map(|clause| clause.predicate)
}
