//! What the engine may use, and why it may stop.

use std::cell::Cell;
use std::time::{Duration, Instant};

use cpu_time::ThreadTime;
use thiserror::Error;

use crate::contract::ReasonError;

/// In which order the conditions of a rule are taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Ordering {
    /// The order with the lowest estimate of work.
    #[default]
    Best,
    /// As the sheet has them.
    Original,
    /// The order with the highest estimate of work.
    Worst,
}

/// How the engine is made.
#[derive(Clone, Debug)]
pub struct ChainSettings {
    /// The order of conditions.
    pub ordering: Ordering,
    /// The most bytes for the knowledge base and the tables together.
    pub bytes: usize,
    /// The most rows of one relation that looks at no state.
    pub rows: usize,
    /// The time of the processor for gathering statistics.
    pub statistics_time: Duration,
    /// The time of the processor for making tables; rules that are not done by then run without.
    pub table_time: Duration,
    /// In how many states statistics are gathered.
    pub statistics_states: u32,
}

impl Default for ChainSettings {
    fn default() -> Self {
        Self {
            ordering: Ordering::Best,
            bytes: 1 << 30,
            rows: 4_000_000,
            statistics_time: Duration::from_secs(2),
            table_time: Duration::from_secs(10),
            statistics_states: 500,
        }
    }
}

/// Why the engine stopped working on something.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Stop {
    /// The deadline has passed.
    #[error("out of the time allowed")]
    Late,
    /// The game is beyond what this engine takes.
    #[error("not supported by this engine: {0}")]
    Unsupported(String),
}

impl Stop {
    pub(super) fn nesting(what: &str) -> Self {
        Self::Unsupported(format!("the terms of `{what}` nest without bound"))
    }
}

impl From<Stop> for ReasonError {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Late => Self::Late,
            Stop::Unsupported(_) => Self::Budget(stop.to_string()),
        }
    }
}

/// How many units of work are done between two looks at the clock.
const TICKS: u32 = 4_096;

/// Looks at the clock now and then.
#[derive(Clone, Debug, Default)]
pub(super) struct Clock {
    deadline: Option<Instant>,
    /// The time of this thread at which to stop.
    end: Option<Duration>,
    ticks: Cell<u32>,
}

impl Clock {
    pub(super) fn until(deadline: Option<Instant>) -> Self {
        Self {
            deadline,
            end: None,
            ticks: Cell::new(0),
        }
    }

    /// The same clock, with so much time of this thread. On a machine that is busy with other things it is not the clock on the wall that tells how much work
    /// was done.
    pub(super) fn with(&self, time: Duration) -> Self {
        Self {
            deadline: self.deadline,
            end: Some(ThreadTime::now().as_duration() + time),
            ticks: Cell::new(0),
        }
    }

    /// A unit of work.
    #[inline]
    pub(super) fn tick(&self) -> Result<(), Stop> {
        let ticks = self.ticks.get() + 1;
        self.ticks.set(ticks);
        if ticks < TICKS {
            return Ok(());
        }
        self.ticks.set(0);
        self.check()
    }

    /// A look at the clock.
    pub(super) fn check(&self) -> Result<(), Stop> {
        match self.deadline {
            Some(end) if Instant::now() >= end => return Err(Stop::Late),
            _ => {}
        }
        match self.end {
            Some(end) if ThreadTime::now().as_duration() >= end => Err(Stop::Late),
            _ => Ok(()),
        }
    }
}
