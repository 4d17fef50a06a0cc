//! The limits of a query: work, time and memory.
//!
//! Work is counted in rows visited. Loops over rows check [`WorkMeter::is_due`] and then call
//! [`WorkMeter::check_limits`]. From time to time the memory of all rowsets is measured
//! (`footprint`).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use ludorum_reasoner::ReasonError;

/// Maximum work of one query, in rows visited; about ten seconds.
const MAX_WORK: u64 = 1 << 30;
/// Maximum planning work of one query, in conditions visited; about ten seconds.
const MAX_PLANNING: u64 = 1 << 27;
/// Work between two checks of the clock.
const CHECK_INTERVAL: u64 = 1 << 16;
/// Minimum work between two memory measurements.
const MEASURE_INTERVAL: u64 = 1 << 18;

/// Minimum work for each node between two memory measurements, which visit all nodes.
const MEASURE_INTERVAL_PER_NODE: u64 = 1 << 6;

/// The counters of an interpreter.
#[derive(Clone, Debug)]
pub(super) struct WorkMeter {
    /// Rows visited by the current query.
    pub(super) work: u64,
    limit: u64,
    next_check: u64,
    /// Conditions visited by planning.
    planning: u64,
    next_planning_check: u64,
    /// Rows visited by all earlier queries.
    earlier: u64,
    next_measurement: u64,
    max_bytes: usize,
    /// Bytes that rowsets may still take, at the last measurement.
    room: usize,
    /// Whether the memory limit was exceeded.
    pub(super) is_full: bool,
    pub(super) deadline: Option<Instant>,
    /// Set when the result is no longer wanted.
    pub(super) cancel: Option<Arc<AtomicBool>>,
    /// Set by another thread to interrupt a query.
    pub(super) interrupt: Option<Arc<AtomicBool>>,
}

impl WorkMeter {
    pub(super) fn new(max_bytes: usize) -> Self {
        Self {
            work: 0,
            limit: MAX_WORK,
            next_check: CHECK_INTERVAL,
            planning: 0,
            next_planning_check: CHECK_INTERVAL,
            earlier: 0,
            next_measurement: MEASURE_INTERVAL,
            max_bytes,
            room: max_bytes,
            is_full: false,
            deadline: None,
            cancel: None,
            interrupt: None,
        }
    }

    /// Starts a query, with a work limit other than the usual one if given.
    pub(super) fn begin(&mut self, limit: Option<u64>) -> Result<(), ReasonError> {
        self.earlier += self.work;
        self.work = 0;
        self.limit = limit.unwrap_or(MAX_WORK);
        self.next_check = self.stride();
        self.planning = 0;
        self.next_planning_check = CHECK_INTERVAL;
        self.check_clock()
    }

    /// Lowers the work limit. Returns the previous limit, for [`Self::restore_limit`].
    pub(super) fn lower_limit(&mut self, work: u64) -> u64 {
        let limit = self.limit.min(self.work.saturating_add(work));
        self.next_check = self.next_check.min(limit + 1);
        std::mem::replace(&mut self.limit, limit)
    }

    /// Restores the limit before [`Self::lower_limit`]. Returns true if only the lower limit was
    /// exceeded.
    pub(super) fn restore_limit(&mut self, limit: u64) -> bool {
        let narrow = std::mem::replace(&mut self.limit, limit);
        self.work > narrow && self.work <= limit
    }

    /// Counts planning work.
    #[inline]
    pub(super) fn plan(&mut self, work: u64) -> Result<(), ReasonError> {
        self.planning += work;
        if self.planning < self.next_planning_check {
            return Ok(());
        }
        self.next_planning_check = self.planning + CHECK_INTERVAL;
        if self.planning > MAX_PLANNING {
            return Err(ReasonError::Budget(format!(
                "ordering the conditions of rules takes more than {MAX_PLANNING} steps"
            )));
        }
        self.check_clock()
    }

    fn stride(&self) -> u64 {
        CHECK_INTERVAL.min(self.limit / 4 + 1)
    }

    /// Whether the limits should be checked.
    #[inline]
    pub(super) fn is_due(&self) -> bool {
        self.work >= self.next_check
    }

    /// Checks the limits of work and time, and whether a growing rowset of `bytes` fits.
    #[cold]
    pub(super) fn check_limits(&mut self, bytes: usize) -> Result<(), ReasonError> {
        self.next_check = self.work + self.stride();
        if self.work > self.limit {
            return Err(ReasonError::Budget(format!(
                "one query takes more than {} steps",
                self.limit
            )));
        }
        if bytes > self.room {
            return Err(self.full());
        }
        self.check_clock()
    }

    pub(super) fn check_clock(&self) -> Result<(), ReasonError> {
        let is_set = |flag: &Arc<AtomicBool>| flag.load(Ordering::Acquire);
        if self.cancel.iter().chain(&self.interrupt).any(is_set) {
            return Err(ReasonError::Stopped);
        }
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => Err(ReasonError::Stopped),
            _ => Ok(()),
        }
    }

    /// Whether memory should be measured again.
    pub(super) fn wants_measurement(&self) -> bool {
        self.earlier + self.work >= self.next_measurement
    }

    /// Records a measurement: bytes of all rowsets and terms, bytes of terms alone, and the number
    /// of nodes.
    pub(super) fn measured(
        &mut self,
        bytes: usize,
        terms: usize,
        nodes: usize,
    ) -> Result<(), ReasonError> {
        let pause = MEASURE_INTERVAL.max(MEASURE_INTERVAL_PER_NODE * nodes as u64);
        self.next_measurement = self.earlier + self.work + pause;
        self.room = self.max_bytes.saturating_sub(bytes);
        if terms > self.max_bytes {
            return Err(ReasonError::Budget(format!(
                "the terms seen so far take more than {} MiB",
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
            "the rowsets take more than {} MiB together",
            self.max_bytes >> 20
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lower_limit_ends_with_its_scope() {
        let mut meter = WorkMeter::new(1 << 20);
        meter.begin(Some(1_000)).expect("time");
        let wide = meter.lower_limit(10);
        meter.work += 11;
        assert!(meter.is_due());
        assert!(meter.check_limits(0).is_err());
        assert!(meter.restore_limit(wide), "its own bound was exceeded");
        assert_eq!(meter.check_limits(0), Ok(()));
        let wide = meter.lower_limit(10_000);
        meter.work += 2_000;
        assert!(meter.check_limits(0).is_err());
        assert!(!meter.restore_limit(wide), "the bound around it was");
    }

    #[test]
    fn planning_is_limited_and_checks_the_clock() {
        let mut meter = WorkMeter::new(1 << 20);
        meter.begin(None).expect("time");
        assert_eq!(meter.plan(MAX_PLANNING / 2), Ok(()));
        assert!(matches!(
            meter.plan(MAX_PLANNING),
            Err(ReasonError::Budget(_))
        ));
        meter.begin(None).expect("time");
        meter.deadline = Some(Instant::now());
        assert_eq!(meter.plan(CHECK_INTERVAL), Err(ReasonError::Stopped));
    }
}
