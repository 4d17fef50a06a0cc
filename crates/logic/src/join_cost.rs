//! The cost of evaluating a condition next, for greedy join ordering.
//!
//! The prover and the OR-AND planner take the conditions of a rule in the order of this cost:
//! tests first, then conditions with few expected answers. What differs between them is where the
//! expected number of answers comes from.

/// The assumed number of tuples of a relation about which nothing is known.
pub const UNKNOWN_SIZE: f64 = 30.0;

/// The expected number of answers of a relation about which nothing is known, when `open` of its
/// `arity` arguments are unbound: each bound argument divides the number by the same factor.
#[allow(clippy::cast_precision_loss)] // an estimate
pub fn unknown_answers(open: usize, arity: usize) -> f64 {
    UNKNOWN_SIZE.powf(open as f64 / arity.max(1) as f64)
}

/// A candidate for the next condition: one that can be evaluated now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Candidate {
    /// Two bound terms are compared.
    Distinct,
    /// A negated atom without unbound variables.
    Negative,
    /// An atom without unbound variables.
    Bound,
    /// An atom with unbound variables and its expected number of answers.
    Open(f64),
}

/// The cost of a condition: lower comes first. `stored` tells whether the tuples of its relation
/// are at hand, or have to be derived.
///
/// Deriving a relation may take any amount of work, so only a clear gain in answers puts it before
/// stored tuples.
pub fn cost(condition: Candidate, stored: bool) -> f64 {
    match (condition, stored) {
        (Candidate::Distinct, _) => 0.0,
        (Candidate::Bound, true) => 0.5,
        (Candidate::Bound, false) => 5.0,
        (Candidate::Negative, true) => 1.0,
        (Candidate::Negative, false) => 6.0,
        (Candidate::Open(answers), true) => 1.0 + answers,
        (Candidate::Open(answers), false) => 8.0 + 4.0 * answers,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_come_before_conditions_that_have_answers() {
        let open = Candidate::Open(0.1);
        for stored in [false, true] {
            assert!(cost(Candidate::Distinct, stored) < cost(Candidate::Bound, stored));
            assert!(cost(Candidate::Bound, stored) < cost(Candidate::Negative, stored));
            assert!(cost(Candidate::Negative, stored) < cost(open, stored));
        }
    }

    #[test]
    fn a_bound_argument_divides_the_expected_answers() {
        assert!((unknown_answers(2, 2) - UNKNOWN_SIZE).abs() < 1e-9);
        assert!((unknown_answers(1, 2) - UNKNOWN_SIZE.sqrt()).abs() < 1e-9);
        assert!((unknown_answers(0, 0) - 1.0).abs() < 1e-9);
    }
}
