//! How the time of playouts divides over the parts of a step.

use std::time::{Duration, Instant};

/// Where the time of playouts goes.
#[derive(Clone, Debug)]
pub struct StepProfile {
    /// Gates that tell whether lanes are over.
    pub early: Duration,
    /// Adding up results, and lanes that begin anew.
    pub results: Duration,
    /// Random words.
    pub random: Duration,
    /// Gates for legal moves, and the draw among them.
    pub draw: Duration,
    /// Gates for the next state.
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

    /// Everything together.
    pub fn total(&self) -> Duration {
        self.early + self.results + self.random + self.draw + self.main
    }
}
