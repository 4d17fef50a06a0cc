//! Finds the head values that any rule can use, before play.
//!
//! Lines of three are derived for every mark, including blank, while only lines of x and of o are
//! used. Where all uses of a relation give constants for a column, or pass on a head column with
//! known values, rules are restricted to these values. The test is part of the reference tables and
//! costs nothing in play.

use std::sync::Arc;

use ludorum_logic::rule::{Pattern, RelationId};
use ludorum_logic::{Rules, TermId};
use rustc_hash::FxHashSet;

use super::clause::{Clause, Condition};
use super::schema::Schema;

/// The useful values of a column; `None` for all.
type Values = Option<FxHashSet<TermId>>;

/// Restricts clauses to useful head values.
pub(super) fn restrict_heads(rules: &Rules, schema: &Schema, clauses: &mut [Clause]) {
    let query_relations = rules.keywords.per_state();
    let is_query = |relation: RelationId| query_relations.contains(&relation);
    let mut values: Vec<Vec<Values>> = schema
        .predicates()
        .iter()
        .map(|predicate| {
            let none = (!is_query(predicate.relation)).then(FxHashSet::default);
            vec![none; schema.columns(predicate).len()]
        })
        .collect();
    loop {
        let mut any = false;
        for clause in clauses.iter() {
            any |= add_uses(clause, &mut values);
        }
        if !any {
            break;
        }
    }
    for clause in clauses {
        for (arg, allowed) in clause.head.iter().zip(&values[clause.predicate as usize]) {
            if let Some(allowed) = allowed {
                let allowed = Arc::new(allowed.clone());
                clause.body.push(Condition::Among(arg.clone(), allowed));
            }
        }
    }
}

/// Adds the values that a clause uses. Returns true if some are new.
fn add_uses(clause: &Clause, values: &mut [Vec<Values>]) -> bool {
    let mut any = false;
    for (predicate, args) in clause.lookups() {
        for (column, arg) in args.iter().enumerate() {
            if values[predicate as usize][column].is_none() {
                continue;
            }
            let used: Values = match arg {
                Pattern::Ground(term) => Some(std::iter::once(*term).collect()),
                Pattern::Variable(_) => {
                    let own = values[clause.predicate as usize].iter().zip(&clause.head);
                    let mut same = own.filter(|(_, head)| *head == arg);
                    same.find_map(|(values, _)| values.clone())
                }
                Pattern::Compound(..) => None,
            };
            let slot = &mut values[predicate as usize][column];
            match (used, slot.as_mut()) {
                (None, _) => {
                    *slot = None;
                    any = true;
                }
                (Some(more), Some(known)) => {
                    let before = known.len();
                    known.extend(more);
                    any |= known.len() > before;
                }
                (Some(_), None) => {}
            }
        }
    }
    any
}
