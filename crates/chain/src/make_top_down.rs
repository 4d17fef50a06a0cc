//! Rules that would go through all of what is too large to be written out are followed when
//! somebody asks, too.
//!
//! A step towards another piece, for any two places of a board, looks at all pairs of places;
//! whoever asks has two places. Forward chaining would derive it for all of them in every state.
//! Such relations are taken out of the rules that run, and become relations without rows that keep
//! their rules (`deferred`), which here look at the state.

use ludorum_logic::Rules;
use ludorum_logic::rule::RelationId;

use super::clause::{Clause, Condition, PredicateId};
use super::rigid::RigidRelations;
use super::schema::Schema;
use super::sparse_instances::CAPACITY;
use super::top_down::{TopDownRelation, TopDownRule};

/// Takes clauses out that are better followed than run.
pub(super) fn postpone(
    rules: &Rules,
    schema: &Schema,
    rigid: &mut RigidRelations,
    clauses: &mut Vec<Clause>,
) {
    // Those may ask each other, whichever is taken out first; none is part of a loop, so asking
    // comes to an end.
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
        let deferred = TopDownRelation::new(own.collect(), component, false);
        rigid.postpone(relation, rules.relation(relation).arity, deferred);
        let asked_for = |condition: &mut Condition| ask_for(condition, number, relation);
        clauses
            .iter_mut()
            .flat_map(|clause| &mut clause.body)
            .for_each(asked_for);
        // Also those that were taken out before.
        rigid.top_down_conditions().for_each(asked_for);
    }
}

/// Lets a condition on a predicate ask for the relation that took its place.
fn ask_for(condition: &mut Condition, number: PredicateId, relation: RelationId) {
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
                ask_for(test, number, relation);
            }
        }
        _ => {}
    }
}

/// A predicate with too many possible instances for an array whose rules ask what is not written
/// out, and that nobody outside needs and does not depend on itself.
fn candidate(
    rules: &Rules,
    schema: &Schema,
    rigid: &RigidRelations,
    clauses: &[Clause],
) -> Option<PredicateId> {
    let asked = rules.keywords.per_state();
    let asks_deferred = |clause: &Clause| {
        let relations = clause.body.iter().filter_map(Condition::rigid_relation);
        relations.into_iter().any(|r| rigid.top_down(r).is_some())
    };
    let is_one_of_its_kind = |number: PredicateId| {
        let predicate = schema.predicate(number);
        let component = rules.relation(predicate.relation).component;
        let same = |other: &Clause| {
            let relation = schema.predicate(other.predicate).relation;
            rules.relation(relation).component == component
        };
        let looks_at_itself = |clause: &Clause| {
            let mut lookups = clause.lookups();
            lookups.any(|(other, _)| other == number)
        };
        clauses
            .iter()
            .filter(|clause| same(clause))
            .all(|clause| clause.predicate == number && !looks_at_itself(clause))
    };
    let mut heads = clauses.iter().filter(|clause| {
        let predicate = schema.predicate(clause.predicate);
        predicate.size > u64::from(CAPACITY)
            && !asked.contains(&predicate.relation)
            // Its arguments are its columns.
            && predicate.shape.iter().all(Option::is_none)
            && asks_deferred(clause)
    });
    heads
        .find(|clause| is_one_of_its_kind(clause.predicate))
        .map(|clause| clause.predicate)
}
