//! The steps of a join over terms: conditions in order, with the columns bound at each.

use super::clause::Condition;
use super::extension::{self, ColumnSet};
use super::pattern;

/// A condition at its position in a join order.
#[derive(Clone, Debug)]
pub(super) struct JoinStep {
    pub(super) condition: Condition,
    /// The bound columns of a rigid condition.
    pub(super) columns: ColumnSet,
    /// Whether all variables are bound, so that the condition is only tested.
    pub(super) is_test: bool,
}

/// The steps for conditions in a given order. Tests come as early as possible. `bound` are the
/// variables bound at the start.
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
            // The first condition may be restricted to the semi-naive delta and is then not a test.
            is_test: number > 0 && condition.is_bound(&bound),
            condition: condition.clone(),
        });
        condition.bind(&mut bound);
        take_tests(&bound, &mut steps);
    }
    steps
}

/// The columns of a rigid condition whose values are bound.
pub(super) fn known_columns(condition: &Condition, bound: &[bool]) -> ColumnSet {
    let Condition::Rigid { args, .. } = condition else {
        return 0;
    };
    let known = args.iter().enumerate().take(64);
    let known = known.filter(|(_, arg)| pattern::is_bound(arg, bound));
    known.fold(0, |columns, (column, _)| columns | 1 << column)
}

/// All columns of a rigid condition.
pub(super) fn every_column(condition: &Condition) -> ColumnSet {
    match condition {
        Condition::Rigid { args, .. } => extension::all_columns(args.len()),
        _ => 0,
    }
}
