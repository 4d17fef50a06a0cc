//! The learning phase of Statistical Symbols Counting: the first 95 % of the time before the first
//! move.

use std::time::{Duration, Instant};

use super::strategies::census::Census;
use super::strategies::symbols::Learned;
use crate::mcts::SearchBudget;

/// The part of the time, or of the simulations, that is for learning.
const SHARE: f64 = 0.95;
/// Simulations to learn from where there is neither a clock nor a budget.
const USUAL: u64 = 2_000;

/// What is being learned.
#[derive(Debug)]
pub(super) struct Learning {
    pub(super) census: Census,
    learned: Learned,
    /// When it ends: a moment or a number of simulations.
    until: Option<Instant>,
    simulations: u64,
    has_begun: bool,
}

impl Learning {
    pub(super) fn new(roles: usize, learned: Learned) -> Self {
        Self {
            census: Census::new(roles),
            learned,
            until: None,
            simulations: USUAL,
            has_begun: false,
        }
    }

    /// Thinking begins. The second time that is the end of learning; gives whether it is.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss
    )]
    pub(super) fn begin(&mut self, span: SearchBudget) -> bool {
        if std::mem::replace(&mut self.has_begun, true) {
            self.end();
            return true;
        }
        let now = Instant::now();
        self.until = span.until.map(|until| {
            let time: Duration = until.saturating_duration_since(now);
            now + time.mul_f64(SHARE)
        });
        self.simulations = match (span.simulations, span.until) {
            (0, None) => USUAL,
            (0, Some(_)) => u64::MAX,
            (all, _) => (all as f64 * SHARE) as u64,
        };
        false
    }

    /// Whether it is over after so many simulations.
    pub(super) fn is_over(&self, made: u64) -> bool {
        made >= self.simulations || self.until.is_some_and(|until| Instant::now() >= until)
    }

    /// Makes the evaluation functions of what was seen.
    pub(super) fn end(&self) {
        // Nobody else sets it.
        let _ = self.learned.set(self.census.evaluations());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(simulations: u64, until: Option<Instant>) -> SearchBudget {
        SearchBudget { until, simulations }
    }

    #[test]
    fn it_takes_95_percent_of_a_budget() {
        let mut learning = Learning::new(2, Learned::default());
        assert!(!learning.begin(span(1000, None)));
        assert!(!learning.is_over(949));
        assert!(learning.is_over(950));
    }

    #[test]
    fn it_takes_95_percent_of_the_time() {
        let mut learning = Learning::new(2, Learned::default());
        let now = Instant::now();
        learning.begin(span(0, Some(now + Duration::from_secs(1000))));
        let until = learning.until.unwrap();
        assert!(until >= now + Duration::from_secs(949) && until <= now + Duration::from_secs(951));
        assert!(!learning.is_over(1 << 40));
    }

    #[test]
    fn it_ends_when_the_first_move_is_thought_about() {
        let learned = Learned::default();
        let mut learning = Learning::new(2, learned.clone());
        learning.begin(span(1000, None));
        assert!(learned.get().is_none());
        assert!(learning.begin(span(1000, None)));
        assert_eq!(learned.get().map(Vec::len), Some(2));
    }
}
