//! What the engine may use, and why it may stop.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{self, AtomicBool};
use std::time::{Duration, Instant};

use cpu_time::ThreadTime;
use thiserror::Error;

use ludorum_reasoner::contract::ReasonError;

/// Why the engine stopped working on something.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ChainError {
    /// The deadline has passed.
    #[error("out of the time allowed")]
    Late,
    /// Somebody set [`ChainSettings::cancel`].
    #[error("cancelled")]
    Cancelled,
    /// The game is beyond what this engine takes.
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
            ChainError::Late | ChainError::Cancelled => Self::Late,
            ChainError::Unsupported(_) => Self::Budget(error.to_string()),
        }
    }
}

/// Why a search among conditions ends before its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum JoinStop {
    /// What was looked for has been found.
    Enough,
    /// There is more than can be written out.
    TooLarge,
    Error(ChainError),
}

impl From<ChainError> for JoinStop {
    fn from(stop: ChainError) -> Self {
        Self::Error(stop)
    }
}

impl JoinStop {
    /// For those who look for everything, only a stop is one.
    pub(super) fn stop(self) -> Result<(), ChainError> {
        match self {
            Self::Enough => Ok(()),
            Self::TooLarge => Err(ChainError::Unsupported(
                "a rule gives too many results".to_owned(),
            )),
            Self::Error(stop) => Err(stop),
        }
    }
}

/// How many units of work are done between two looks at the clock.
const TICKS: u32 = 4_096;

/// Looks at the clock now and then.
#[derive(Clone, Debug, Default)]
pub(super) struct WorkClock {
    deadline: Option<Instant>,
    /// Set when nobody wants the result any more.
    cancel: Option<Arc<AtomicBool>>,
    /// The time of this thread at which to stop.
    end: Option<Duration>,
    ticks: Cell<u32>,
    /// Cancels after some looks at the clock, so that every place that looks can be tried.
    #[cfg(test)]
    pub(super) fuse: Option<Arc<CancelAfter>>,
}

/// Counts looks at the clock: those that find nothing, and those after the flag has been seen.
#[cfg(test)]
#[derive(Debug, Default)]
pub(super) struct CancelAfter {
    pub(super) length: u32,
    pub(super) looks: atomic::AtomicU32,
}

impl WorkClock {
    pub(super) fn until(deadline: Option<Instant>) -> Self {
        Self {
            deadline,
            ..Self::default()
        }
    }

    /// The same clock, which also stops when a flag is set.
    pub(super) fn unless(self, cancel: Option<Arc<AtomicBool>>) -> Self {
        Self { cancel, ..self }
    }

    /// Stops at another moment; what was used up of this thread's time no longer counts.
    pub(super) fn set_deadline(&mut self, deadline: Option<Instant>) {
        *self = Self::until(deadline).unless(self.cancel.take());
    }

    /// Stops also when another flag is set.
    pub(super) fn set_cancel(&mut self, cancel: Option<Arc<AtomicBool>>) {
        self.cancel = cancel;
    }

    /// The same clock, with so much time of this thread. On a machine that is busy with other
    /// things it is not the clock on the wall that tells how much work was done.
    pub(super) fn with(&self, time: Duration) -> Self {
        Self {
            deadline: self.deadline,
            cancel: self.cancel.clone(),
            end: Some(ThreadTime::now().as_duration() + time),
            ticks: Cell::new(0),
            #[cfg(test)]
            fuse: self.fuse.clone(),
        }
    }

    /// A unit of work.
    #[inline]
    pub(super) fn tick(&self) -> Result<(), ChainError> {
        if self.spend(1) { self.check() } else { Ok(()) }
    }

    /// Some units of work; true if it is time for a look at the clock.
    #[inline]
    pub(super) fn spend(&self, units: u32) -> bool {
        let ticks = self.ticks.get().saturating_add(units);
        let is_time = ticks >= TICKS;
        self.ticks.set(if is_time { 0 } else { ticks });
        is_time
    }

    /// A look at the clock.
    pub(super) fn check(&self) -> Result<(), ChainError> {
        self.check_deadline()?;
        match self.end {
            Some(end) if ThreadTime::now().as_duration() >= end => Err(ChainError::Late),
            _ => Ok(()),
        }
    }

    /// Whether there is time at all, for this part of the work or another.
    pub(super) fn check_deadline(&self) -> Result<(), ChainError> {
        #[cfg(test)]
        if let Some(fuse) = &self.fuse
            && fuse.looks.fetch_add(1, atomic::Ordering::Relaxed) >= fuse.length
        {
            return Err(ChainError::Cancelled);
        }
        let is_cancelled = |flag: &Arc<AtomicBool>| flag.load(atomic::Ordering::Relaxed);
        if self.cancel.as_ref().is_some_and(is_cancelled) {
            return Err(ChainError::Cancelled);
        }
        match self.deadline {
            Some(end) if Instant::now() >= end => Err(ChainError::Late),
            _ => Ok(()),
        }
    }
}
