//! Rules over predicates: what the rules of the sheet are for this engine.

use std::sync::Arc;

use ludorum_logic::TermId;
use ludorum_logic::rule::{Literal, Pattern, RelationId, Rule, Variable};
use rustc_hash::FxHashSet;

/// A predicate of the [`Schema`](super::schema::Schema).
pub(super) type PredicateId = u32;

/// A condition of a clause.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Condition {
    /// Something that changes.
    Dynamic {
        positive: bool,
        predicate: PredicateId,
        args: Vec<Pattern>,
    },
    /// Something that never changes.
    Rigid {
        positive: bool,
        relation: RelationId,
        args: Vec<Pattern>,
    },
    /// Two terms differ.
    Distinct(Pattern, Pattern),
    /// A variable stands for a constant.
    Constant(Variable),
    /// A term is one of these.
    Among(Pattern, Arc<FxHashSet<TermId>>),
    /// At least one of several tests passes; none of them looks at a state.
    Any(Vec<Condition>),
}

impl Condition {
    /// Whether it can give values to variables.
    pub(super) fn binds(&self) -> bool {
        matches!(
            self,
            Self::Dynamic { positive: true, .. } | Self::Rigid { positive: true, .. }
        )
    }

    /// The relation of a condition on something that never changes.
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
            // Never an alternative within an alternative.
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

    /// Whether all its variables have values.
    pub(super) fn is_bound(&self, bound: &[bool]) -> bool {
        let mut all = true;
        self.for_each_variable(&mut |v| all &= bound[v as usize]);
        all
    }

    /// The alternatives of a test that looks at no state: itself if it has none. `None` for other
    /// conditions.
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

    /// Notes its variables as bound.
    pub(super) fn bind(&self, bound: &mut [bool]) {
        self.for_each_variable(&mut |v| bound[v as usize] = true);
    }
}

/// `head` holds if all of `body` does.
#[derive(Clone, Debug)]
pub(super) struct Clause {
    pub(super) predicate: PredicateId,
    pub(super) head: Vec<Pattern>,
    pub(super) body: Vec<Condition>,
    pub(super) variables: usize,
}

impl Clause {
    /// What its conditions look at of what changes: predicates with arguments.
    pub(super) fn lookups(&self) -> impl Iterator<Item = (PredicateId, &[Pattern])> {
        self.body.iter().filter_map(|condition| match condition {
            Condition::Dynamic {
                predicate, args, ..
            } => Some((*predicate, &args[..])),
            _ => None,
        })
    }

    /// Takes in a clause that is the same but for one test each; false if it is not.
    ///
    /// `or` over tests makes such clauses, in most rules that say what stays as it is. Tests that
    /// look at no state cost nothing in tables, so one clause does the work of both.
    fn absorb(&mut self, other: &Self) -> bool {
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

/// How far apart clauses may be that become one.
const NEAR: usize = 16;

/// Makes one clause of clauses that are the same but for a test.
pub(super) fn merge(clauses: Vec<Clause>) -> Vec<Clause> {
    let mut merged: Vec<Clause> = Vec::with_capacity(clauses.len());
    for clause in clauses {
        let near = merged.len().saturating_sub(NEAR);
        if !merged[near..].iter_mut().any(|other| other.absorb(&clause)) {
            merged.push(clause);
        }
    }
    merged
}

/// The conditions of a rule over rigid relations.
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
