//! What making an engine may use.

use std::time::{Duration, Instant};

use ludorum_ground::Budget;

use crate::propnet::pass::Clock;

/// What making an engine may use: engines that work on the rules as they are make do without.
#[derive(Clone, Debug)]
pub struct Limits {
    /// For grounding.
    pub ground: Budget,
    /// The time for the passes beyond the paper's. When it is over, the network stays as it is by
    /// then.
    pub passes: Duration,
    /// When the engine has to be there; if it is not, it is an error. It is looked at between the
    /// steps, and within grounding.
    pub deadline: Option<Instant>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            ground: Budget::default(),
            passes: Duration::from_secs(10),
            deadline: None,
        }
    }
}

impl Limits {
    /// The usual limits, and an end.
    pub fn until(deadline: Option<Instant>) -> Self {
        Self {
            deadline,
            ..Self::default()
        }
    }

    /// Whether the time is over.
    pub fn is_late(&self) -> bool {
        self.deadline.is_some_and(|end| Instant::now() >= end)
    }

    /// The budget for a grounding that starts now.
    pub fn ground_budget(&self) -> Budget {
        let mut budget = self.ground.clone();
        if let Some(end) = self.deadline {
            let left = end.saturating_duration_since(Instant::now());
            budget.max_time = budget.max_time.min(left);
        }
        budget
    }

    /// The clock for passes that start now. Half of what is left is for what comes after them.
    pub fn pass_clock(&self) -> Clock {
        let now = Instant::now();
        let half = self
            .deadline
            .map(|end| now + end.saturating_duration_since(now) / 2);
        Clock::lasting(self.passes).and_until(half)
    }
}
