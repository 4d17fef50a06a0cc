//! How the time of playouts divides over the parts of a step.

use std::time::{Duration, Instant};

/// The time of playouts, by kind of work.
#[derive(Clone, Debug)]
pub struct StepProfile {
    /// Finding the lanes that are over.
    pub early: Duration,
    /// Adding up results, and restarting lanes.
    pub results: Duration,
    /// Generating random words.
    pub random: Duration,
    /// Computing legal moves and sampling among them.
    pub draw: Duration,
    /// Computing the next state.
    pub main: Duration,
    pub(super) last: Instant,
}

impl StepProfile {
    pub(super) fn new() -> Self {
        Self {
            early: Duration::ZERO,
            results: Duration::ZERO,
            random: Duration::ZERO,
            draw: Duration::ZERO,
            main: Duration::ZERO,
            last: Instant::now(),
        }
    }

    /// The total time.
    pub fn total(&self) -> Duration {
        self.early + self.results + self.random + self.draw + self.main
    }
}
