//! Bodies in negation normal form, and the alternatives they have.

use crate::rule::{Literal, Pattern, Variable};

/// The most rules that one clause may become.
pub(crate) const MAX_ALTERNATIVES: usize = 4_096;

/// A formula in negation normal form.
#[derive(Clone, Debug)]
pub(crate) enum Normal {
    Literal(Literal),
    /// `not distinct`: both terms are the same.
    Same(Pattern, Pattern),
    And(Vec<Normal>),
    Or(Vec<Normal>),
}

/// One way to satisfy a body.
#[derive(Clone, Debug, Default)]
pub(crate) struct Alternative {
    pub(crate) literals: Vec<Literal>,
    pub(crate) same: Vec<(Pattern, Pattern)>,
}

impl Normal {
    pub(crate) fn for_each_variable(&self, visit: &mut impl FnMut(Variable)) {
        match self {
            Self::Literal(literal) => literal.for_each_variable(visit),
            Self::Same(left, right) => {
                left.for_each_variable(visit);
                right.for_each_variable(visit);
            }
            Self::And(parts) | Self::Or(parts) => {
                for part in parts {
                    part.for_each_variable(visit);
                }
            }
        }
    }
}

/// The conjuncts, nested `and`s opened up.
pub(crate) fn flatten(formula: Normal) -> Vec<Normal> {
    match formula {
        Normal::And(parts) => parts.into_iter().flat_map(flatten).collect(),
        Normal::Or(mut parts) if parts.len() == 1 => flatten(parts.remove(0)),
        other => vec![other],
    }
}

/// How many alternatives a formula has.
pub(crate) fn count(formula: &Normal) -> usize {
    match formula {
        Normal::Literal(_) | Normal::Same(..) => 1,
        Normal::And(parts) => parts.iter().map(count).fold(1, usize::saturating_mul),
        Normal::Or(parts) => parts.iter().map(count).fold(0, usize::saturating_add),
    }
}

/// All ways to satisfy a formula, at most one more than is allowed.
pub(crate) fn alternatives(formula: &Normal) -> Vec<Alternative> {
    match formula {
        Normal::Literal(literal) => vec![Alternative {
            literals: vec![literal.clone()],
            same: Vec::new(),
        }],
        Normal::Same(left, right) => vec![Alternative {
            literals: Vec::new(),
            same: vec![(left.clone(), right.clone())],
        }],
        Normal::Or(parts) => parts
            .iter()
            .flat_map(alternatives)
            .take(MAX_ALTERNATIVES + 1)
            .collect(),
        Normal::And(parts) => {
            let mut product = vec![Alternative::default()];
            for part in parts {
                let choices = alternatives(part);
                product = product
                    .iter()
                    .flat_map(|left| {
                        choices.iter().map(|right| {
                            let mut both = left.clone();
                            both.literals.extend(right.literals.iter().cloned());
                            both.same.extend(right.same.iter().cloned());
                            both
                        })
                    })
                    .take(MAX_ALTERNATIVES + 1)
                    .collect();
            }
            product
        }
    }
}

/// Whether satisfying the formula gives the variable a value.
pub(crate) fn binds(formula: &Normal, variable: Variable) -> bool {
    match formula {
        Normal::Literal(Literal::Positive(atom)) => {
            atom.args.iter().any(|arg| arg.mentions(variable))
        }
        Normal::Literal(_) | Normal::Same(..) => false,
        Normal::And(parts) => parts.iter().any(|part| binds(part, variable)),
        Normal::Or(parts) => parts.iter().all(|part| binds(part, variable)),
    }
}
