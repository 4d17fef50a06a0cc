//! The steps of a join over terms: conditions in order, with the columns known at each.

use super::clause::Condition;
use super::extension::{self, ColumnSet};
use super::pattern;

/// A condition in its place in the order.
#[derive(Clone, Debug)]
pub(super) struct JoinStep {
    pub(super) condition: Condition,
    /// The columns whose values are known then, for rigid relations.
    pub(super) columns: ColumnSet,
    /// Whether it is only asked whether the condition holds.
    pub(super) is_test: bool,
}

/// Conditions in an order, each with what is known by then; tests come as early as they can. Some
/// variables have values before the first one.
pub(super) fn steps(body: &[Condition], order: &[usize], mut bound: Vec<bool>) -> Vec<JoinStep> {
    let mut steps = Vec::with_capacity(body.len());
    let mut tests: Vec<&Condition> = body.iter().filter(|c| !c.binds()).collect();
    let mut take_tests = |bound: &[bool], steps: &mut Vec<JoinStep>| {
        tests.retain(|test| {
            let ready = test.is_bound(bound);
            if ready {
                steps.push(JoinStep {
                    condition: (*test).clone(),
                    columns: every_column(test),
                    is_test: true,
                });
            }
            !ready
        });
    };
    take_tests(&bound, &mut steps);
    for (number, place) in order.iter().enumerate() {
        let condition = &body[*place];
        steps.push(JoinStep {
            columns: known_columns(condition, &bound),
            // The first one may be asked for its news only.
            is_test: number > 0 && condition.is_bound(&bound),
            condition: condition.clone(),
        });
        condition.bind(&mut bound);
        take_tests(&bound, &mut steps);
    }
    steps
}

/// The columns of a rigid condition whose values are known.
pub(super) fn known_columns(condition: &Condition, bound: &[bool]) -> ColumnSet {
    let Condition::Rigid { args, .. } = condition else {
        return 0;
    };
    let known = args.iter().enumerate().take(64);
    let known = known.filter(|(_, arg)| pattern::is_bound(arg, bound));
    known.fold(0, |columns, (column, _)| columns | 1 << column)
}

/// The set of all columns of a condition on a rigid relation.
pub(super) fn every_column(condition: &Condition) -> ColumnSet {
    match condition {
        Condition::Rigid { args, .. } => extension::all_columns(args.len()),
        _ => 0,
    }
}
