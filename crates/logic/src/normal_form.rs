//! Bodies in negation normal form, and their conversion to disjunctive normal form.

use crate::rule::{Literal, Pattern, Variable};

/// Maximum number of rules that one clause may become.
pub(crate) const MAX_ALTERNATIVES: usize = 4_096;

/// A formula in negation normal form.
#[derive(Clone, Debug)]
pub(crate) enum NormalForm {
    Literal(Literal),
    /// `not distinct`: both terms are the same.
    Same(Pattern, Pattern),
    And(Vec<NormalForm>),
    Or(Vec<NormalForm>),
}

/// One disjunct of the disjunctive normal form: literals and equations that hold together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Alternative {
    pub(crate) literals: Vec<Literal>,
    pub(crate) same: Vec<(Pattern, Pattern)>,
}

impl NormalForm {
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

/// The conjuncts of a formula, with nested `and`s flattened.
pub(crate) fn flatten(formula: NormalForm) -> Vec<NormalForm> {
    match formula {
        NormalForm::And(parts) => parts.into_iter().flat_map(flatten).collect(),
        NormalForm::Or(mut parts) if parts.len() == 1 => flatten(parts.remove(0)),
        other => vec![other],
    }
}

/// The number of disjuncts of the disjunctive normal form, saturating.
pub(crate) fn count(formula: &NormalForm) -> usize {
    match formula {
        NormalForm::Literal(_) | NormalForm::Same(..) => 1,
        NormalForm::And(parts) => parts.iter().map(count).fold(1, usize::saturating_mul),
        NormalForm::Or(parts) => parts.iter().map(count).fold(0, usize::saturating_add),
    }
}

/// The disjunctive normal form. Stops at `MAX_ALTERNATIVES + 1` disjuncts, so that the caller can
/// tell that there are too many.
pub(crate) fn alternatives(formula: &NormalForm) -> Vec<Alternative> {
    match formula {
        NormalForm::Literal(literal) => vec![Alternative {
            literals: vec![literal.clone()],
            same: Vec::new(),
        }],
        NormalForm::Same(left, right) => vec![Alternative {
            literals: Vec::new(),
            same: vec![(left.clone(), right.clone())],
        }],
        NormalForm::Or(parts) => parts
            .iter()
            .flat_map(alternatives)
            .take(MAX_ALTERNATIVES + 1)
            .collect(),
        NormalForm::And(parts) => {
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

/// Whether every disjunct of the formula binds the variable in a positive literal.
pub(crate) fn binds(formula: &NormalForm, variable: Variable) -> bool {
    match formula {
        NormalForm::Literal(Literal::Positive(atom)) => {
            atom.args.iter().any(|arg| arg.mentions(variable))
        }
        NormalForm::Literal(_) | NormalForm::Same(..) => false,
        NormalForm::And(parts) => parts.iter().any(|part| binds(part, variable)),
        NormalForm::Or(parts) => parts.iter().all(|part| binds(part, variable)),
    }
}
