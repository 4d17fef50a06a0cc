//! How long before the end of a clock to answer: [`SafetyMargin`].

use std::time::Duration;

/// Minimum margin in seconds, for the network.
const MIN_MARGIN: f64 = 0.05;
/// Margin in seconds for each thread beyond the number of cores: about one time slice of the
/// scheduler.
const TIME_SLICE: f64 = 0.008;
/// Share of the worst delay that is forgotten with each answer.
const DECAY: f64 = 0.01;
/// Upper limit of the penalty for rejected answers, in seconds.
const MAX_PENALTY: f64 = 3.0;

/// Estimates the safety margin from measured delays and from rejected answers. The delay of an
/// answer after its deadline is estimated by its mean and mean deviation, as TCP estimates the
/// round-trip time (Jacobson 1988, appendix A). A loaded machine is punctual for long periods and
/// then is not, so the worst delay is remembered as well and decays.
#[derive(Clone, Debug)]
pub(super) struct SafetyMargin {
    mean: f64,
    deviation: f64,
    worst: f64,
    /// Grows when the game manager plays another move than the answer: on its clock, the answer was
    /// late.
    penalty: f64,
}

impl Default for SafetyMargin {
    fn default() -> Self {
        Self {
            mean: 0.0,
            deviation: 0.025,
            worst: 0.1,
            penalty: 0.0,
        }
    }
}

impl SafetyMargin {
    /// The margin of a clock, at a load of so many searching threads per core.
    pub(super) fn of(&self, clock: Duration, load_per_core: f64) -> Duration {
        let usual = self.mean + 4.0 * self.deviation;
        let contention = (load_per_core - 1.0).max(0.0) * TIME_SLICE;
        let wanted = MIN_MARGIN + usual.max(1.25 * self.worst) + contention + self.penalty;
        // At least half of a short clock is used for the search.
        Duration::from_secs_f64(wanted.min(clock.as_secs_f64() / 2.0))
    }

    /// Records the delay of an answer after its deadline.
    pub(super) fn observe(&mut self, late: Duration) {
        let late = late.as_secs_f64();
        let error = late - self.mean;
        self.mean += error / 8.0;
        // Being late is worse than being early, so a larger delay counts at once.
        let gain = if error > 0.0 { 0.5 } else { 0.1 };
        self.deviation += (error.abs() - self.deviation) * gain;
        self.deviation = self.deviation.max(0.005);
        self.worst = late.max(self.worst * (1.0 - DECAY));
    }

    /// Records that the game manager played another move than the answer.
    pub(super) fn was_replaced(&mut self) {
        self.penalty = (self.penalty * 2.0 + 0.1).min(MAX_PENALTY);
    }

    /// Records that the game manager played the answer.
    pub(super) fn was_accepted(&mut self) {
        self.penalty *= 0.97;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLOCK: Duration = Duration::from_secs(10);

    #[test]
    fn punctual_answers_shrink_the_margin_and_late_ones_widen_it() {
        let mut margin = SafetyMargin::default();
        let first = margin.of(CLOCK, 1.0);
        for _ in 0..200 {
            margin.observe(Duration::from_millis(1));
        }
        let quiet = margin.of(CLOCK, 1.0);
        assert!(
            quiet < first && quiet >= Duration::from_millis(50),
            "{quiet:?}"
        );
        margin.observe(Duration::from_millis(200));
        assert!(margin.of(CLOCK, 1.0) > Duration::from_millis(300));
        for _ in 0..20 {
            margin.observe(Duration::from_millis(1));
        }
        let wary = margin.of(CLOCK, 1.0);
        assert!(
            wary > Duration::from_millis(200),
            "once was enough: {wary:?}"
        );
        assert!(margin.of(CLOCK, 17.0) > wary + Duration::from_millis(100));
    }

    #[test]
    fn rejected_answers_widen_the_margin_fast_and_it_shrinks_slowly() {
        let mut margin = SafetyMargin::default();
        let first = margin.of(CLOCK, 1.0);
        for _ in 0..20 {
            margin.was_replaced();
        }
        let wide = margin.of(CLOCK, 1.0);
        assert!(wide >= first + Duration::from_secs(3));
        margin.was_accepted();
        let narrower = margin.of(CLOCK, 1.0);
        assert!(narrower < wide && narrower > first + Duration::from_secs(2));
    }

    #[test]
    fn half_of_a_short_clock_is_left_for_the_search() {
        let mut margin = SafetyMargin::default();
        margin.was_replaced();
        let clock = Duration::from_millis(100);
        assert_eq!(margin.of(clock, 1.0), clock / 2);
        assert_eq!(margin.of(Duration::ZERO, 9.0), Duration::ZERO);
    }
}
