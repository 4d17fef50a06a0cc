//! Observation of one state: all answers of an engine about it.

use ludorum_reasoner::{GameWalker, Goal, NoGoal, ReasonError};

use super::difference::Difference;
use crate::trace::{Trace, TracedStep};

/// The answers about a state, actual or expected.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Observation {
    /// The fluents, sorted.
    pub facts: Vec<String>,
    /// The legal moves of each role, sorted.
    pub legals: Vec<Vec<String>>,
    /// Whether the state is terminal.
    pub terminal: bool,
    /// The goal value of each role.
    pub goals: Vec<ExpectedGoal>,
    /// The key of the state, if there is one to compare with.
    pub key: Option<u128>,
}

/// An expected goal value, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExpectedGoal {
    /// Exactly this goal.
    Is(Goal),
    /// No single value; the reason is unknown.
    NoValue,
}

impl ExpectedGoal {
    fn allows(&self, goal: &Self) -> bool {
        match (self, goal) {
            (Self::NoValue, Self::Is(goal)) => goal.value().is_none(),
            _ => self == goal,
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Is(goal) => goal.to_string(),
            Self::NoValue => "none, or several".to_owned(),
        }
    }
}

impl Observation {
    /// Queries an engine for everything about its current state.
    pub fn of(walker: &mut dyn GameWalker) -> Result<Self, ReasonError> {
        let roles = walker.roles().len();
        let terminal = walker.is_terminal()?;
        let mut legals = Vec::with_capacity(roles);
        let mut goals = Vec::with_capacity(roles);
        for role in 0..roles {
            legals.push(walker.legal(role)?);
            goals.push(ExpectedGoal::Is(walker.goal(role)?));
        }
        Ok(Self {
            facts: walker.facts(),
            legals,
            terminal,
            goals,
            key: Some(walker.key()),
        })
    }

    /// The expected answers that a trace records for a state.
    pub fn recorded(trace: &Trace, step: &TracedStep) -> Self {
        let goal = |role: &String| match (step.goals.get(role), step.goals_all.get(role)) {
            (Some(Some(value)), _) => ExpectedGoal::Is(Goal::from_texts(vec![value.to_string()])),
            (_, Some(all)) if all.len() > 1 => {
                let all = all.iter().map(|value| match value {
                    serde_json::Value::String(text) => text.clone(),
                    other => other.to_string(),
                });
                ExpectedGoal::Is(Goal::from_texts(all.collect()))
            }
            (_, Some(_)) => ExpectedGoal::Is(Goal::Missing(NoGoal::None)),
            (_, None) => ExpectedGoal::NoValue,
        };
        let legal = |role: &String| step.legals.get(role).cloned().unwrap_or_default();
        Self {
            facts: step.state.clone(),
            legals: trace.roles.iter().map(legal).collect(),
            terminal: step.terminal,
            goals: trace.roles.iter().map(goal).collect(),
            key: None,
        }
    }

    /// Compares `got` with the expected answers in `self`.
    pub fn differences(&self, got: &Self, roles: &[String]) -> Vec<Difference> {
        let mut found = Vec::new();
        if let Some((missing, extra)) = sets_differ(&self.facts, &got.facts) {
            found.push(Difference::Facts { missing, extra });
        }
        for (i, role) in roles.iter().enumerate() {
            let role = role.clone();
            if let Some((missing, extra)) = sets_differ(&self.legals[i], &got.legals[i]) {
                found.push(Difference::Legal {
                    role,
                    missing,
                    extra,
                });
            } else if !got.legals[i].is_sorted_by(|a, b| a < b) {
                found.push(Difference::Order {
                    role,
                    got: got.legals[i].clone(),
                });
            }
        }
        if self.terminal != got.terminal {
            found.push(Difference::Terminal {
                expected: self.terminal,
                got: got.terminal,
            });
        }
        for (i, role) in roles.iter().enumerate() {
            if !self.goals[i].allows(&got.goals[i]) {
                found.push(Difference::Goal {
                    role: role.clone(),
                    expected: self.goals[i].text(),
                    got: got.goals[i].text(),
                });
            }
        }
        if let (Some(expected), Some(key)) = (self.key, got.key)
            && expected != key
        {
            found.push(Difference::Key {
                expected: format!("{expected:032x}"),
                got: format!("{key:032x}"),
            });
        }
        found
    }
}

/// The set differences of two lists in both directions; `None` if the sets are equal.
fn sets_differ(expected: &[String], got: &[String]) -> Option<(Vec<String>, Vec<String>)> {
    if expected == got {
        return None;
    }
    let sorted = |list: &[String]| {
        let mut list = list.to_vec();
        list.sort_unstable();
        list.dedup();
        list
    };
    let (expected, got) = (sorted(expected), sorted(got));
    let without = |list: &[String], other: &[String]| -> Vec<String> {
        list.iter()
            .filter(|text| other.binary_search(text).is_err())
            .cloned()
            .collect()
    };
    let (missing, extra) = (without(&expected, &got), without(&got, &expected));
    (!missing.is_empty() || !extra.is_empty()).then_some((missing, extra))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn observation(goal: ExpectedGoal) -> Observation {
        Observation {
            facts: vec!["a".into(), "b".into()],
            legals: vec![vec!["x".into(), "y".into()]],
            terminal: false,
            goals: vec![goal],
            key: None,
        }
    }

    #[test]
    fn lists_are_compared_as_sets_and_own_lists_must_be_in_order() {
        let expected = observation(ExpectedGoal::NoValue);
        let mut got = observation(ExpectedGoal::Is(Goal::Missing(NoGoal::None)));
        let roles = ["r".to_owned()];
        assert_eq!(expected.differences(&got, &roles), []);
        got.legals[0].reverse();
        assert!(matches!(
            expected.differences(&got, &roles)[..],
            [Difference::Order { .. }]
        ));
        got.facts = vec!["b".into(), "c".into()];
        assert_eq!(
            expected.differences(&got, &roles)[0],
            Difference::Facts {
                missing: vec!["a".into()],
                extra: vec!["c".into()]
            }
        );
    }

    #[test]
    fn a_goal_without_a_value_in_the_trace_allows_every_goal_without_one() {
        let several = Goal::from_texts(vec!["1".into(), "2".into()]);
        assert!(ExpectedGoal::NoValue.allows(&ExpectedGoal::Is(several)));
        assert!(!ExpectedGoal::NoValue.allows(&ExpectedGoal::Is(Goal::Value(0))));
    }
}
