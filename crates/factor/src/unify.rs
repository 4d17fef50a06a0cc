//! Unification and resolution of clauses.

use ludorum_logic::Terms;
use ludorum_logic::rule::{Pattern, Variable};

use crate::program::{Clause, Literal, Program};

/// A substitution.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bindings {
    values: Vec<Option<Pattern>>,
}

impl Bindings {
    pub(crate) fn new(variables: u32) -> Self {
        Self {
            values: vec![None; variables as usize],
        }
    }

    /// The pattern that a pattern is bound to, without looking into its arguments.
    fn walk(&self, pattern: &Pattern) -> Pattern {
        let mut at = pattern.clone();
        while let Pattern::Variable(v) = at {
            match self.values.get(v as usize) {
                Some(Some(value)) => at = value.clone(),
                _ => return Pattern::Variable(v),
            }
        }
        at
    }

    fn occurs(&self, variable: Variable, pattern: &Pattern) -> bool {
        match self.walk(pattern) {
            Pattern::Variable(v) => v == variable,
            Pattern::Ground(_) => false,
            Pattern::Compound(_, args) => args.iter().any(|arg| self.occurs(variable, arg)),
        }
    }

    /// Makes two patterns equal; false if that is impossible.
    pub(crate) fn unify(&mut self, terms: &Terms, a: &Pattern, b: &Pattern) -> bool {
        match (self.walk(a), self.walk(b)) {
            (Pattern::Variable(v), Pattern::Variable(w)) if v == w => true,
            (Pattern::Variable(v), other) | (other, Pattern::Variable(v)) => {
                if self.occurs(v, &other) {
                    return false;
                }
                self.values[v as usize] = Some(other);
                true
            }
            (Pattern::Ground(x), Pattern::Ground(y)) => x == y,
            (Pattern::Ground(x), Pattern::Compound(functor, args))
            | (Pattern::Compound(functor, args), Pattern::Ground(x)) => {
                let parts = terms.args(x).to_vec();
                terms.functor(x) == functor
                    && parts.len() == args.len()
                    && parts
                        .iter()
                        .zip(&args[..])
                        .all(|(part, arg)| self.unify(terms, &Pattern::Ground(*part), arg))
            }
            (Pattern::Compound(f, left), Pattern::Compound(g, right)) => {
                f == g
                    && left.len() == right.len()
                    && left
                        .iter()
                        .zip(&right[..])
                        .all(|(l, r)| self.unify(terms, l, r))
            }
        }
    }

    /// The pattern under the substitution.
    pub(crate) fn apply(&self, terms: &mut Terms, pattern: &Pattern) -> Pattern {
        match self.walk(pattern) {
            Pattern::Compound(functor, args) => {
                let args = args.iter().map(|arg| self.apply(terms, arg)).collect();
                Pattern::compound(terms, functor, args)
            }
            other => other,
        }
    }

    /// The pattern under the substitution, if that is a variable or a term without variables that is
    /// known already.
    pub(crate) fn known(&self, terms: &Terms, pattern: &Pattern) -> Pattern {
        match self.walk(pattern) {
            Pattern::Compound(functor, args) => {
                let parts: Option<Vec<_>> = args
                    .iter()
                    .map(|arg| match self.known(terms, arg) {
                        Pattern::Ground(id) => Some(id),
                        _ => None,
                    })
                    .collect();
                let known = parts.and_then(|parts| terms.get(functor, &parts));
                known.map_or(Pattern::Compound(functor, args), Pattern::Ground)
            }
            other => other,
        }
    }

    /// The clause under the substitution.
    pub(crate) fn apply_to(&self, terms: &mut Terms, clause: &Clause) -> Clause {
        clause.map(clause.variables, &mut |pattern| self.apply(terms, pattern))
    }
}

/// Replaces the positive condition at `place` by the body of a clause that defines it; `None` if the
/// head does not match.
pub(crate) fn resolve(
    program: &mut Program,
    clause: &Clause,
    place: usize,
    definition: &Clause,
) -> Option<Clause> {
    let Literal::Holds(goal) = &clause.body[place] else {
        return None;
    };
    let definition = definition.shifted(clause.variables);
    let mut bindings = Bindings::new(definition.variables);
    for (arg, head) in goal.args.iter().zip(&definition.head.args) {
        if !bindings.unify(&program.terms, arg, head) {
            return None;
        }
    }
    let mut body = clause.body[..place].to_vec();
    body.extend(definition.body);
    body.extend_from_slice(&clause.body[place + 1..]);
    let joined = Clause {
        head: clause.head.clone(),
        body,
        variables: definition.variables,
    };
    Some(bindings.apply_to(&mut program.terms, &joined))
}

/// A clause with a variable replaced by a pattern.
pub(crate) fn substitute(
    program: &mut Program,
    clause: &Clause,
    variable: Variable,
    value: &Pattern,
) -> Clause {
    let terms = &mut program.terms;
    let change = |v: Variable| {
        if v == variable {
            value.clone()
        } else {
            Pattern::Variable(v)
        }
    };
    clause.map(clause.variables, &mut |pattern| {
        pattern.substitute(terms, &change)
    })
}
