//! Unification of patterns, for `not distinct` and for unfolding.

use rustc_hash::FxHashMap;

use crate::rule::{Atom, Literal, Pattern, Variable};
use crate::term::Terms;

/// A most general unifier under construction. Patterns of one rule share their variables.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unifier {
    bindings: FxHashMap<Variable, Pattern>,
}

impl Unifier {
    /// Makes both patterns equal; false if they cannot be.
    pub(crate) fn unify(&mut self, left: &Pattern, right: &Pattern, terms: &mut Terms) -> bool {
        let left = self.pattern(left, terms);
        let right = self.pattern(right, terms);
        match (&left, &right) {
            (Pattern::Variable(a), Pattern::Variable(b)) if a == b => true,
            (Pattern::Variable(variable), other) | (other, Pattern::Variable(variable)) => {
                if other.mentions(*variable) {
                    return false;
                }
                self.bindings.insert(*variable, other.clone());
                true
            }
            (Pattern::Ground(a), Pattern::Ground(b)) => a == b,
            (Pattern::Compound(f, fs), Pattern::Compound(g, gs)) => {
                f == g
                    && fs.len() == gs.len()
                    && fs.iter().zip(gs).all(|(a, b)| self.unify(a, b, terms))
            }
            (Pattern::Compound(functor, args), Pattern::Ground(id))
            | (Pattern::Ground(id), Pattern::Compound(functor, args)) => {
                if terms.functor(*id) != *functor || terms.args(*id).len() != args.len() {
                    return false;
                }
                let grounds = terms.args(*id).to_vec();
                args.iter()
                    .zip(grounds)
                    .all(|(arg, ground)| self.unify(arg, &Pattern::Ground(ground), terms))
            }
        }
    }

    /// The pattern under the bindings so far.
    pub(crate) fn pattern(&self, pattern: &Pattern, terms: &mut Terms) -> Pattern {
        match pattern {
            Pattern::Variable(variable) => match self.bindings.get(variable) {
                Some(bound) => self.pattern(bound, terms),
                None => pattern.clone(),
            },
            Pattern::Ground(_) => pattern.clone(),
            Pattern::Compound(functor, args) => {
                let args = args.iter().map(|arg| self.pattern(arg, terms)).collect();
                Pattern::compound(terms, *functor, args)
            }
        }
    }

    /// The atom under the bindings so far.
    pub(crate) fn atom(&self, atom: &Atom, terms: &mut Terms) -> Atom {
        Atom {
            relation: atom.relation,
            args: atom
                .args
                .iter()
                .map(|arg| self.pattern(arg, terms))
                .collect(),
        }
    }

    /// The literal under the bindings so far.
    pub(crate) fn literal(&self, literal: &Literal, terms: &mut Terms) -> Literal {
        match literal {
            Literal::Positive(atom) => Literal::Positive(self.atom(atom, terms)),
            Literal::Negative(atom) => Literal::Negative(self.atom(atom, terms)),
            Literal::Distinct(left, right) => {
                Literal::Distinct(self.pattern(left, terms), self.pattern(right, terms))
            }
        }
    }
}

/// Whether two patterns without common variables could ever be equal.
pub(crate) fn may_be_equal(left: &Pattern, right: &Pattern, terms: &Terms) -> bool {
    match (left, right) {
        (Pattern::Variable(_), _) | (_, Pattern::Variable(_)) => true,
        (Pattern::Ground(a), Pattern::Ground(b)) => a == b,
        (Pattern::Compound(f, fs), Pattern::Compound(g, gs)) => {
            f == g
                && fs.len() == gs.len()
                && fs.iter().zip(gs).all(|(a, b)| may_be_equal(a, b, terms))
        }
        (Pattern::Compound(functor, args), Pattern::Ground(id))
        | (Pattern::Ground(id), Pattern::Compound(functor, args)) => {
            terms.functor(*id) == *functor
                && terms.args(*id).len() == args.len()
                && args
                    .iter()
                    .zip(terms.args(*id))
                    .all(|(arg, ground)| may_be_equal(arg, &Pattern::Ground(*ground), terms))
        }
    }
}
