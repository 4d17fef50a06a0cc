//! Rules over predicates: what the rules of the sheet are for this engine.

use ludorum_logic::rule::{Literal, Pattern, RelationId, Rule, Variable};

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
}

impl Condition {
    /// Whether it can give values to variables.
    pub(super) fn binds(&self) -> bool {
        matches!(
            self,
            Self::Dynamic { positive: true, .. } | Self::Rigid { positive: true, .. }
        )
    }

    pub(super) fn for_each_variable(&self, visit: &mut impl FnMut(Variable)) {
        match self {
            Self::Dynamic { args, .. } | Self::Rigid { args, .. } => {
                args.iter().for_each(|arg| arg.for_each_variable(visit));
            }
            Self::Distinct(left, right) => {
                left.for_each_variable(visit);
                right.for_each_variable(visit);
            }
            Self::Constant(variable) => visit(*variable),
        }
    }

    /// Whether all its variables have values.
    pub(super) fn is_bound(&self, bound: &[bool]) -> bool {
        let mut all = true;
        self.for_each_variable(&mut |v| all &= bound[v as usize]);
        all
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
