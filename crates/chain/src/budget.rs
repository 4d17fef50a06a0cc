//! Errors of building and evaluation, and the clock that bounds both.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{self, AtomicBool};
use std::time::{Duration, Instant};

use cpu_time::ThreadTime;
use thiserror::Error;

use ludorum_reasoner::ReasonError;

/// Why the engine was not built, or gave up an evaluation.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ChainError {
    /// The deadline has passed.
    #[error("out of the time allowed")]
    Late,
    /// [`ChainSettings::cancel`](super::ChainSettings::cancel) was set.
    #[error("cancelled")]
    Cancelled,
    /// The game is beyond the limits of this engine.
    #[error("not supported by this engine: {0}")]
    Unsupported(String),
}

impl ChainError {
    pub(super) fn nesting(what: &str) -> Self {
        Self::Unsupported(format!("the terms of `{what}` nest without bound"))
    }

    pub(super) fn too_many_values(what: &str) -> Self {
        Self::Unsupported(format!("an argument of `{what}` has too many values"))
    }
}

impl From<ChainError> for ReasonError {
    fn from(error: ChainError) -> Self {
        match error {
            ChainError::Late | ChainError::Cancelled => Self::Stopped,
            ChainError::Unsupported(_) => Self::Budget(error.to_string()),
        }
    }
}

/// Why a join ended early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum JoinStop {
    /// The caller has seen enough.
    Enough,
    /// The result is too large to materialise.
    TooLarge,
    Error(ChainError),
}

impl From<ChainError> for JoinStop {
    fn from(error: ChainError) -> Self {
        Self::Error(error)
    }
}

impl JoinStop {
    /// Turns the end of an exhaustive join into an error.
    pub(super) fn into_result(self) -> Result<(), ChainError> {
        match self {
            Self::Enough => Ok(()),
            Self::TooLarge => Err(ChainError::Unsupported(
                "a rule gives too many results".to_owned(),
            )),
            Self::Error(error) => Err(error),
        }
    }
}

/// Units of work between two checks of the clock.
const CHECK_INTERVAL: u32 = 4_096;

/// Deadline, cancel flag and CPU limit, checked at intervals.
#[derive(Clone, Debug, Default)]
pub(super) struct WorkClock {
    deadline: Option<Instant>,
    /// Set when the result is no longer wanted.
    cancel: Option<Arc<AtomicBool>>,
    /// Set by another thread to interrupt a query.
    interrupt: Option<Arc<AtomicBool>>,
    /// CPU time of this thread at which to stop.
    end: Option<Duration>,
    ticks: Cell<u32>,
    /// Cancels after a number of checks, so that tests reach every place that checks.
    #[cfg(test)]
    pub(super) cancel_after: Option<Arc<CancelAfter>>,
}

/// Counts checks of the clock, and cancels after `length` of them.
#[cfg(test)]
#[derive(Debug, Default)]
pub(super) struct CancelAfter {
    pub(super) length: u32,
    pub(super) checks: atomic::AtomicU32,
}

impl WorkClock {
    pub(super) fn until(deadline: Option<Instant>) -> Self {
        Self {
            deadline,
            ..Self::default()
        }
    }

    /// Adds a cancel flag.
    pub(super) fn with_cancel(self, cancel: Option<Arc<AtomicBool>>) -> Self {
        Self { cancel, ..self }
    }

    /// Replaces the deadline and removes the CPU limit.
    pub(super) fn set_deadline(&mut self, deadline: Option<Instant>) {
        *self = Self {
            deadline,
            cancel: self.cancel.take(),
            interrupt: self.interrupt.take(),
            ..Self::default()
        };
    }

    /// Replaces the flag that interrupts queries.
    pub(super) fn set_interrupt(&mut self, interrupt: Option<Arc<AtomicBool>>) {
        self.interrupt = interrupt;
    }

    /// Replaces the cancel flag.
    pub(super) fn set_cancel(&mut self, cancel: Option<Arc<AtomicBool>>) {
        self.cancel = cancel;
    }

    /// The same clock with a limit on the CPU time of this thread. On a busy machine, elapsed time
    /// does not tell how much work was done.
    pub(super) fn with_cpu_limit(&self, time: Duration) -> Self {
        Self {
            deadline: self.deadline,
            cancel: self.cancel.clone(),
            interrupt: self.interrupt.clone(),
            end: Some(ThreadTime::now().as_duration() + time),
            ticks: Cell::new(0),
            #[cfg(test)]
            cancel_after: self.cancel_after.clone(),
        }
    }

    /// Counts one unit of work, and checks the clock when due.
    #[inline]
    pub(super) fn tick(&self) -> Result<(), ChainError> {
        if self.spend(1) { self.check() } else { Ok(()) }
    }

    /// Counts units of work. Returns true when a check of the clock is due.
    #[inline]
    pub(super) fn spend(&self, units: u32) -> bool {
        let ticks = self.ticks.get().saturating_add(units);
        let is_time = ticks >= CHECK_INTERVAL;
        self.ticks.set(if is_time { 0 } else { ticks });
        is_time
    }

    /// Checks deadline, cancel flag and CPU limit.
    pub(super) fn check(&self) -> Result<(), ChainError> {
        self.check_deadline()?;
        match self.end {
            Some(end) if ThreadTime::now().as_duration() >= end => Err(ChainError::Late),
            _ => Ok(()),
        }
    }

    /// Checks deadline and cancel flag only.
    pub(super) fn check_deadline(&self) -> Result<(), ChainError> {
        #[cfg(test)]
        if let Some(cancel_after) = &self.cancel_after
            && cancel_after.checks.fetch_add(1, atomic::Ordering::Relaxed) >= cancel_after.length
        {
            return Err(ChainError::Cancelled);
        }
        let is_set = |flag: &Arc<AtomicBool>| flag.load(atomic::Ordering::Relaxed);
        if self.cancel.iter().chain(&self.interrupt).any(is_set) {
            return Err(ChainError::Cancelled);
        }
        match self.deadline {
            Some(end) if Instant::now() >= end => Err(ChainError::Late),
            _ => Ok(()),
        }
    }
}
