//! The learning phase of Statistical Symbols Counting (Świechowski 2015, section 3.3.6): the first
//! 95 % of the start clock.

use std::time::{Duration, Instant};

use super::strategies::feature_statistics::FeatureStatistics;
use super::strategies::symbols::LearnedEvaluations;
use crate::mcts::SearchBudget;

/// The share of the time, or of the simulations, for the learning phase.
const SHARE: f64 = 0.95;
/// The length of the learning phase in simulations if there is neither a clock nor a budget.
const DEFAULT_SIMULATIONS: u64 = 2_000;

/// The state of the learning phase.
#[derive(Debug)]
pub(super) struct LearningPhase {
    pub(super) feature_statistics: FeatureStatistics,
    learned: LearnedEvaluations,
    /// The end of the phase: a point in time or a number of simulations.
    until: Option<Instant>,
    simulations: u64,
    has_begun: bool,
}

impl LearningPhase {
    pub(super) fn new(roles: usize, learned: LearnedEvaluations) -> Self {
        Self {
            feature_statistics: FeatureStatistics::new(roles),
            learned,
            until: None,
            simulations: DEFAULT_SIMULATIONS,
            has_begun: false,
        }
    }

    /// Starts a search. The second search ends the learning phase; returns whether it did.
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
            (0, None) => DEFAULT_SIMULATIONS,
            (0, Some(_)) => u64::MAX,
            (all, _) => (all as f64 * SHARE) as u64,
        };
        false
    }

    /// Whether the phase is over after this many simulations.
    pub(super) fn is_over(&self, made: u64) -> bool {
        made >= self.simulations || self.until.is_some_and(|until| Instant::now() >= until)
    }

    /// Computes the evaluation functions from the features that were counted.
    pub(super) fn end(&self) {
        // This is the only place that sets it.
        let _ = self.learned.set(self.feature_statistics.evaluations());
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
        let mut learning = LearningPhase::new(2, LearnedEvaluations::default());
        assert!(!learning.begin(span(1000, None)));
        assert!(!learning.is_over(949));
        assert!(learning.is_over(950));
    }

    #[test]
    fn it_takes_95_percent_of_the_time() {
        let mut learning = LearningPhase::new(2, LearnedEvaluations::default());
        let now = Instant::now();
        learning.begin(span(0, Some(now + Duration::from_secs(1000))));
        let until = learning.until.unwrap();
        assert!(until >= now + Duration::from_secs(949) && until <= now + Duration::from_secs(951));
        assert!(!learning.is_over(1 << 40));
    }

    #[test]
    fn it_ends_when_the_first_move_is_searched() {
        let learned = LearnedEvaluations::default();
        let mut learning = LearningPhase::new(2, learned.clone());
        learning.begin(span(1000, None));
        assert!(learned.get().is_none());
        assert!(learning.begin(span(1000, None)));
        assert_eq!(learned.get().map(Vec::len), Some(2));
    }
}
