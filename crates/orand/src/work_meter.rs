//! What a question may cost: work, time and memory.
//!
//! Work is counted in rows looked at. Whoever looks at many rows asks [`WorkMeter::is_due`] on the way
//! and then [`WorkMeter::look`]s at the clock; from time to time the memory of all rowsets together is
//! measured (`footprint`).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use ludorum_reasoner::contract::ReasonError;

/// The most work of one question, in rows looked at; some ten seconds.
const MAX_WORK: u64 = 1 << 30;
/// The most work to put the conditions of rules in order for one question, in conditions looked at;
/// some ten seconds.
const MAX_PLANNING: u64 = 1 << 27;
/// How much work is done between two looks at the clock.
const CLOCK: u64 = 1 << 16;
/// How much work is done between two measurements of memory, at the least, and for each node, whose
/// memory has to be asked for.
const MEASURE: u64 = 1 << 18;
const MEASURE_NODE: u64 = 1 << 6;

/// The counters of a machine.
#[derive(Clone, Debug)]
pub(super) struct WorkMeter {
    /// Rowset that the current question has looked at.
    pub(super) work: u64,
    limit: u64,
    next_look: u64,
    /// Conditions that were looked at to put them in order.
    planning: u64,
    next_planning_look: u64,
    /// Rowset that all earlier questions have looked at.
    earlier: u64,
    next_measurement: u64,
    max_bytes: usize,
    /// What rowsets may still take, as of the last measurement.
    room: usize,
    /// Whether they took too much.
    pub(super) is_full: bool,
    pub(super) deadline: Option<Instant>,
    /// Set by somebody who does not want the answer any more.
    pub(super) cancel: Option<Arc<AtomicBool>>,
}

impl WorkMeter {
    pub(super) fn new(max_bytes: usize) -> Self {
        Self {
            work: 0,
            limit: MAX_WORK,
            next_look: CLOCK,
            planning: 0,
            next_planning_look: CLOCK,
            earlier: 0,
            next_measurement: MEASURE,
            max_bytes,
            room: max_bytes,
            is_full: false,
            deadline: None,
            cancel: None,
        }
    }

    /// Starts a question, with a bound on its work other than the usual if there is one.
    pub(super) fn begin(&mut self, limit: Option<u64>) -> Result<(), ReasonError> {
        self.earlier += self.work;
        self.work = 0;
        self.limit = limit.unwrap_or(MAX_WORK);
        self.next_look = self.stride();
        self.planning = 0;
        self.next_planning_look = CLOCK;
        self.look_at_clock()
    }

    /// Bounds what is done from here on, within the bound that there is. Gives that one, for
    /// [`Self::widen`].
    pub(super) fn narrow(&mut self, work: u64) -> u64 {
        let limit = self.limit.min(self.work.saturating_add(work));
        self.next_look = self.next_look.min(limit + 1);
        std::mem::replace(&mut self.limit, limit)
    }

    /// Ends what [`Self::narrow`] began; true if its own bound was exceeded.
    pub(super) fn widen(&mut self, limit: u64) -> bool {
        let narrow = std::mem::replace(&mut self.limit, limit);
        self.work > narrow && self.work <= limit
    }

    /// Counts the work of planning.
    #[inline]
    pub(super) fn plan(&mut self, work: u64) -> Result<(), ReasonError> {
        self.planning += work;
        if self.planning < self.next_planning_look {
            return Ok(());
        }
        self.next_planning_look = self.planning + CLOCK;
        if self.planning > MAX_PLANNING {
            return Err(ReasonError::Budget(format!(
                "putting the conditions of rules in order takes more than {MAX_PLANNING} steps"
            )));
        }
        self.look_at_clock()
    }

    fn stride(&self) -> u64 {
        CLOCK.min(self.limit / 4 + 1)
    }

    /// Whether it is time to look.
    #[inline]
    pub(super) fn is_due(&self) -> bool {
        self.work >= self.next_look
    }

    /// Notices that too much is done, that time is over, or that a rowset under way of so many
    /// bytes does not fit.
    #[cold]
    pub(super) fn look(&mut self, bytes: usize) -> Result<(), ReasonError> {
        self.next_look = self.work + self.stride();
        if self.work > self.limit {
            return Err(ReasonError::Budget(format!(
                "one question takes more than {} steps",
                self.limit
            )));
        }
        if bytes > self.room {
            return Err(self.full());
        }
        self.look_at_clock()
    }

    pub(super) fn look_at_clock(&self) -> Result<(), ReasonError> {
        let is_cancelled = |flag: &Arc<AtomicBool>| flag.load(Ordering::Acquire);
        if self.cancel.as_ref().is_some_and(is_cancelled) {
            return Err(ReasonError::Late);
        }
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => Err(ReasonError::Late),
            _ => Ok(()),
        }
    }

    /// Whether memory should be measured again.
    pub(super) fn wants_measurement(&self) -> bool {
        self.earlier + self.work >= self.next_measurement
    }

    /// Takes the memory of all rowsets, of so many nodes, and the share of terms in it, which is
    /// never given back.
    pub(super) fn measured(
        &mut self,
        bytes: usize,
        terms: usize,
        nodes: usize,
    ) -> Result<(), ReasonError> {
        let pause = MEASURE.max(MEASURE_NODE * nodes as u64);
        self.next_measurement = self.earlier + self.work + pause;
        self.room = self.max_bytes.saturating_sub(bytes);
        if terms > self.max_bytes {
            return Err(ReasonError::Budget(format!(
                "the terms met so far take more than {} MiB",
                self.max_bytes >> 20
            )));
        }
        if bytes > self.max_bytes {
            return Err(self.full());
        }
        Ok(())
    }

    fn full(&mut self) -> ReasonError {
        self.is_full = true;
        self.next_measurement = 0;
        ReasonError::Budget(format!(
            "the sets of rows take more than {} MiB together",
            self.max_bytes >> 20
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_narrow_bound_ends_with_what_it_was_for() {
        let mut meter = WorkMeter::new(1 << 20);
        meter.begin(Some(1_000)).expect("time");
        let wide = meter.narrow(10);
        meter.work += 11;
        assert!(meter.is_due());
        assert!(meter.look(0).is_err());
        assert!(meter.widen(wide), "its own bound was exceeded");
        assert_eq!(meter.look(0), Ok(()));
        let wide = meter.narrow(10_000);
        meter.work += 2_000;
        assert!(meter.look(0).is_err());
        assert!(!meter.widen(wide), "the bound around it was");
    }

    #[test]
    fn planning_has_a_bound_and_looks_at_the_clock() {
        let mut meter = WorkMeter::new(1 << 20);
        meter.begin(None).expect("time");
        assert_eq!(meter.plan(MAX_PLANNING / 2), Ok(()));
        assert!(matches!(
            meter.plan(MAX_PLANNING),
            Err(ReasonError::Budget(_))
        ));
        meter.begin(None).expect("time");
        meter.deadline = Some(Instant::now());
        assert_eq!(meter.plan(CLOCK), Err(ReasonError::Late));
    }
}
