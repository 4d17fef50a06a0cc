//! Limits on compiling a game: grounding budget, time for passes, deadline, cancel flag.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use ludorum_ground::GroundBudget;

use crate::compile_error::CompileError;
use crate::pass::PassBudget;

/// Limits on compiling a game. Engines that interpret the rules use only the deadline and the
/// cancel flag.
#[derive(Clone, Debug)]
pub struct CompileLimits {
    /// The budget of grounding.
    pub ground: GroundBudget,
    /// The time for the passes beyond those of Sironi and Winands 2016. When it is used up, the
    /// network stays as it is.
    pub passes: Duration,
    /// When compiling has to be finished; later is an error. Checked between stages and during
    /// grounding.
    pub deadline: Option<Instant>,
    /// Cancel flag, set by another thread. Checked where the deadline is.
    pub cancel: Option<Arc<AtomicBool>>,
}

impl Default for CompileLimits {
    fn default() -> Self {
        Self {
            ground: GroundBudget::default(),
            passes: Duration::from_secs(10),
            deadline: None,
            cancel: None,
        }
    }
}

impl CompileLimits {
    /// The default limits with a deadline.
    pub fn with_deadline(deadline: Option<Instant>) -> Self {
        Self {
            deadline,
            ..Self::default()
        }
    }

    /// Whether the deadline has passed.
    pub fn is_late(&self) -> bool {
        self.deadline.is_some_and(|end| Instant::now() >= end)
    }

    /// An error if the flag is set or the deadline has passed.
    pub fn check(&self, while_at: &'static str) -> Result<(), CompileError> {
        let cancel = self.cancel.as_ref();
        if cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed)) {
            return Err(CompileError::Cancelled);
        }
        if self.is_late() {
            return Err(CompileError::Late { while_at });
        }
        Ok(())
    }

    /// The budget of a grounding that starts now: the deadline and the cancel flag are added to it.
    pub fn ground_budget(&self) -> GroundBudget {
        let mut budget = self.ground.clone();
        if let Some(end) = self.deadline {
            let left = end.saturating_duration_since(Instant::now());
            budget.max_time = budget.max_time.min(left);
        }
        if budget.cancel.is_none() {
            budget.cancel.clone_from(&self.cancel);
        }
        budget
    }

    /// The time budget of passes that start now. Half of the remaining time is kept for later
    /// stages.
    pub fn pass_budget(&self) -> PassBudget {
        let now = Instant::now();
        let half = self
            .deadline
            .map(|end| now + end.saturating_duration_since(now) / 2);
        PassBudget::of_time(self.passes).and_deadline(half)
    }
}
