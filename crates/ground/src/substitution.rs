//! Substitutions of the variables of clauses.

use crate::clause::{Arg, Atom, Literal};

/// A substitution: variables map to themselves, other variables or terms.
pub(crate) struct Substitution {
    of: Vec<Arg>,
}

impl Substitution {
    /// The substitution of some variables that changes nothing.
    pub(crate) fn new(variables: u32) -> Self {
        Self {
            of: (0..variables).map(Arg::Variable).collect(),
        }
    }

    /// Number of variables.
    pub(crate) fn len(&self) -> u32 {
        self.of.len() as u32
    }

    /// What an argument stands for.
    pub(crate) fn arg(&self, mut arg: Arg) -> Arg {
        while let Arg::Variable(v) = arg {
            let next = self.of[v as usize];
            if next == arg {
                break;
            }
            arg = next;
        }
        arg
    }

    /// Unifies two arguments. Returns `None` if they differ.
    pub(crate) fn unify(&mut self, left: Arg, right: Arg) -> Option<()> {
        match (self.arg(left), self.arg(right)) {
            (left, right) if left == right => {}
            (Arg::Variable(v), other) | (other, Arg::Variable(v)) => self.of[v as usize] = other,
            (Arg::Term(_), Arg::Term(_)) => return None,
        }
        Some(())
    }

    /// Applies the substitution to an atom.
    pub(crate) fn atom(&self, atom: &Atom) -> Atom {
        Atom {
            predicate: atom.predicate,
            args: atom.args.iter().map(|arg| self.arg(*arg)).collect(),
        }
    }

    /// Applies the substitution. Returns `None` if the literal can never hold or cannot be
    /// expressed.
    pub(crate) fn literal(&self, literal: &Literal) -> Option<Literal> {
        let variable = |v: u32| self.arg(Arg::Variable(v)).variable();
        Some(match literal {
            Literal::Positive(atom) => Literal::Positive(self.atom(atom)),
            Literal::Negative(atom) => Literal::Negative(self.atom(atom)),
            Literal::GroundingOnly(atom) => Literal::GroundingOnly(self.atom(atom)),
            Literal::Distinct(left, right) => {
                let (left, right) = (self.arg(*left), self.arg(*right));
                if left == right {
                    return None;
                }
                Literal::Distinct(left, right)
            }
            Literal::Compose {
                whole,
                functor,
                parts,
            } => Literal::Compose {
                whole: variable(*whole)?,
                functor: *functor,
                parts: parts.iter().map(|arg| self.arg(*arg)).collect(),
            },
            Literal::Constant(v) => Literal::Constant(variable(*v)?),
        })
    }
}
