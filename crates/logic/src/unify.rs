//! Unification of patterns (Robinson 1965), for the equations of `not distinct`.

use std::cell::Cell;

use rustc_hash::FxHashMap;

use crate::nesting::MAX_NESTING;
use crate::rule::{Atom, Literal, Pattern, Variable};
use crate::term::Terms;

/// Work limit of one unification, in visited nodes and in the printed size of ground terms. Terms
/// can double with every equation; rules of known games stay far below.
const MAX_WORK: u32 = 1 << 18;

/// A most general unifier under construction. Patterns of one rule share their variables.
#[derive(Clone, Debug)]
pub(crate) struct Unifier {
    bindings: FxHashMap<Variable, Pattern>,
    /// The remaining part of [`MAX_WORK`]; at 0, the patterns are no longer resolved completely.
    work: Cell<u32>,
}

impl Default for Unifier {
    fn default() -> Self {
        Self {
            bindings: FxHashMap::default(),
            work: Cell::new(MAX_WORK),
        }
    }
}

impl Unifier {
    /// Whether terms grew too large or too deep. All results are invalid then.
    pub(crate) fn is_over_budget(&self) -> bool {
        self.work.get() == 0
    }

    /// Extends the unifier such that both patterns become equal; false if that is impossible.
    pub(crate) fn unify(&mut self, left: &Pattern, right: &Pattern, terms: &mut Terms) -> bool {
        let left = self.pattern(left, terms);
        let right = self.pattern(right, terms);
        if self.is_over_budget() {
            return false;
        }
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
        self.resolved(pattern, 0, terms)
    }

    fn resolved(&self, pattern: &Pattern, depth: u32, terms: &mut Terms) -> Pattern {
        let work = if depth > 2 * MAX_NESTING {
            0
        } else {
            self.work.get().saturating_sub(1)
        };
        self.work.set(work);
        if work == 0 {
            return pattern.clone();
        }
        match pattern {
            Pattern::Variable(variable) => match self.bindings.get(variable) {
                Some(bound) => self.resolved(bound, depth + 1, terms),
                None => pattern.clone(),
            },
            Pattern::Ground(_) => pattern.clone(),
            Pattern::Compound(functor, args) => {
                let args = args
                    .iter()
                    .map(|arg| self.resolved(arg, depth + 1, terms))
                    .collect();
                let pattern = Pattern::compound(terms, *functor, args);
                // Limit the printed size of terms: shared subterms can grow exponentially when
                // written out.
                if let Pattern::Ground(id) = pattern
                    && terms.size(id) > MAX_WORK
                {
                    self.work.set(0);
                }
                pattern
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

/// Whether two patterns may have a common instance. Repeated variables are not taken into account,
/// so the answer may be true too often but is never falsely false.
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
