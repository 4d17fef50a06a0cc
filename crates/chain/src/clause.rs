//! Rules over predicates, as this engine uses them.

use std::sync::Arc;

use ludorum_logic::TermId;
use ludorum_logic::rule::{Literal, Pattern, RelationId, Rule, Variable};
use rustc_hash::FxHashSet;

/// Index of a predicate in the [`Schema`](super::schema::Schema).
pub(super) type PredicateId = u32;

/// A body condition.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Condition {
    /// On a predicate that depends on the state or the moves.
    Dynamic {
        positive: bool,
        predicate: PredicateId,
        args: Vec<Pattern>,
    },
    /// On a rigid relation, or on one that is evaluated top-down.
    Rigid {
        positive: bool,
        relation: RelationId,
        args: Vec<Pattern>,
    },
    /// Two terms differ.
    Distinct(Pattern, Pattern),
    /// The variable is bound to a constant, not to a compound term.
    Constant(Variable),
    /// The term is in a set.
    Among(Pattern, Arc<FxHashSet<TermId>>),
    /// A disjunction of tests. None of them depends on the state.
    Any(Vec<Condition>),
}

impl Condition {
    /// Whether it can bind variables.
    pub(super) fn binds(&self) -> bool {
        matches!(
            self,
            Self::Dynamic { positive: true, .. } | Self::Rigid { positive: true, .. }
        )
    }

    /// The relation of a rigid condition.
    pub(super) fn rigid_relation(&self) -> Option<RelationId> {
        match self {
            Self::Rigid { relation, .. } => Some(*relation),
            _ => None,
        }
    }

    pub(super) fn for_each_variable(&self, visit: &mut impl FnMut(Variable)) {
        match self {
            Self::Dynamic { args, .. } | Self::Rigid { args, .. } => {
                for arg in args {
                    arg.for_each_variable(visit);
                }
            }
            Self::Distinct(left, right) => {
                left.for_each_variable(visit);
                right.for_each_variable(visit);
            }
            Self::Constant(variable) => visit(*variable),
            Self::Among(pattern, _) => pattern.for_each_variable(visit),
            // Disjunctions are not nested.
            Self::Any(tests) => {
                for test in tests {
                    match test {
                        Self::Rigid { args, .. } => {
                            for arg in args {
                                arg.for_each_variable(visit);
                            }
                        }
                        Self::Distinct(left, right) => {
                            left.for_each_variable(visit);
                            right.for_each_variable(visit);
                        }
                        _ => {}
                    }
                }
            }
        }
    }

    /// Whether all its variables are bound.
    pub(super) fn is_bound(&self, bound: &[bool]) -> bool {
        let mut all = true;
        self.for_each_variable(&mut |v| all &= bound[v as usize]);
        all
    }

    /// The disjuncts of a test that does not depend on the state; the test itself if it is no
    /// disjunction. `None` for other conditions.
    fn alternatives(&self) -> Option<Vec<Self>> {
        match self {
            Self::Any(tests) => Some(tests.clone()),
            Self::Distinct(..)
            | Self::Rigid {
                positive: false, ..
            } => Some(vec![self.clone()]),
            _ => None,
        }
    }

    /// Marks its variables as bound.
    pub(super) fn bind(&self, bound: &mut [bool]) {
        self.for_each_variable(&mut |v| bound[v as usize] = true);
    }
}

/// `head` holds if all conditions of `body` hold.
#[derive(Clone, Debug)]
pub(super) struct Clause {
    pub(super) predicate: PredicateId,
    pub(super) head: Vec<Pattern>,
    pub(super) body: Vec<Condition>,
    pub(super) variables: usize,
}

impl Clause {
    /// The predicates of its dynamic conditions, with arguments.
    pub(super) fn lookups(&self) -> impl Iterator<Item = (PredicateId, &[Pattern])> {
        self.body.iter().filter_map(|condition| match condition {
            Condition::Dynamic {
                predicate, args, ..
            } => Some((*predicate, &args[..])),
            _ => None,
        })
    }

    /// Merges a clause that differs from this one in a single test. Returns false if it differs
    /// otherwise.
    ///
    /// An `or` over tests normalises to such clauses; most frame rules have one. Tests that do not
    /// depend on the state cost nothing in reference tables, so one clause does the work of both.
    fn try_merge(&mut self, other: &Self) -> bool {
        if self.predicate != other.predicate
            || self.head != other.head
            || self.variables != other.variables
            || self.body.len() != other.body.len()
        {
            return false;
        }
        let mut own = (0..self.body.len()).filter(|i| !other.body.contains(&self.body[*i]));
        let mut foreign = other.body.iter().filter(|c| !self.body.contains(c));
        let (Some(place), None, Some(test), None) =
            (own.next(), own.next(), foreign.next(), foreign.next())
        else {
            return false;
        };
        let tests = self.body[place].alternatives().zip(test.alternatives());
        let Some((mut tests, more)) = tests else {
            return false;
        };
        tests.extend(more);
        self.body[place] = Condition::Any(tests);
        true
    }
}

/// Maximum distance of clauses that are merged.
const MERGE_DISTANCE: usize = 16;

/// Merges clauses that differ in a single test.
pub(super) fn merge(clauses: Vec<Clause>) -> Vec<Clause> {
    let mut merged: Vec<Clause> = Vec::with_capacity(clauses.len());
    for clause in clauses {
        let near = merged.len().saturating_sub(MERGE_DISTANCE);
        if !merged[near..]
            .iter_mut()
            .any(|other| other.try_merge(&clause))
        {
            merged.push(clause);
        }
    }
    merged
}

/// The body of a rule over rigid relations.
pub(super) fn rigid_body(rule: &Rule) -> Vec<Condition> {
    let condition = |literal: &Literal| match literal {
        Literal::Positive(atom) => Condition::Rigid {
            positive: true,
            relation: atom.relation,
            args: atom.args.clone(),
        },
        Literal::Negative(atom) => Condition::Rigid {
            positive: false,
            relation: atom.relation,
            args: atom.args.clone(),
        },
        Literal::Distinct(left, right) => Condition::Distinct(left.clone(), right.clone()),
    };
    rule.body.iter().map(condition).collect()
}
