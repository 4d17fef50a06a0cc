//! How long before the end of a clock an answer is given: [`SafetyMargin`].

use std::time::Duration;

/// What is always kept back, in seconds: the way of an answer over a network.
const FLOOR: f64 = 0.05;
/// What is kept back for every thread that has to wait for a core, in seconds: about the time that
/// a system gives to a thread before it looks at others.
const SLICE: f64 = 0.008;
/// How much of the worst delay is forgotten with every answer.
const FORGOTTEN: f64 = 0.01;
/// The most that is kept back because answers were not accepted.
const MOST_PENALTY: f64 = 3.0;

/// The time that is kept back, from what was measured: how late answers were ready after their
/// thinking was to end, and whether game managers took them. The first is estimated as TCP
/// estimates the time of a round trip, by a mean and a deviation; since a busy machine is punctual
/// for long and then is not, the worst delay is remembered too, and fades.
#[derive(Clone, Debug)]
pub(super) struct SafetyMargin {
    mean: f64,
    deviation: f64,
    worst: f64,
    /// Grows when a game manager plays another move than we answered: on its clock, we were late.
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
    /// What to keep back of a clock, with so many threads for each core.
    pub(super) fn of(&self, clock: Duration, load_per_core: f64) -> Duration {
        let usual = self.mean + 4.0 * self.deviation;
        let crowded = (load_per_core - 1.0).max(0.0) * SLICE;
        let wanted = FLOOR + usual.max(1.25 * self.worst) + crowded + self.penalty;
        // Half of a short clock is for thinking.
        Duration::from_secs_f64(wanted.min(clock.as_secs_f64() / 2.0))
    }

    /// An answer was ready so long after its thinking was to end.
    pub(super) fn observe(&mut self, late: Duration) {
        let late = late.as_secs_f64();
        let error = late - self.mean;
        self.mean += error / 8.0;
        // Once too late is worse than often too early: it counts at once.
        let gain = if error > 0.0 { 0.5 } else { 0.1 };
        self.deviation += (error.abs() - self.deviation) * gain;
        self.deviation = self.deviation.max(0.005);
        self.worst = late.max(self.worst * (1.0 - FORGOTTEN));
    }

    /// A game manager played another move than the one we answered with.
    pub(super) fn was_replaced(&mut self) {
        self.penalty = (self.penalty * 2.0 + 0.1).min(MOST_PENALTY);
    }

    /// A game manager played the move that we answered with.
    pub(super) fn was_accepted(&mut self) {
        self.penalty *= 0.97;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLOCK: Duration = Duration::from_secs(10);

    #[test]
    fn punctual_answers_make_it_small_and_late_ones_large() {
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
    fn moves_that_were_not_accepted_make_it_grow_fast_and_shrink_slowly() {
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
    fn half_of_a_short_clock_is_left_for_thinking() {
        let mut margin = SafetyMargin::default();
        margin.was_replaced();
        let clock = Duration::from_millis(100);
        assert_eq!(margin.of(clock, 1.0), clock / 2);
        assert_eq!(margin.of(Duration::ZERO, 9.0), Duration::ZERO);
    }
}
