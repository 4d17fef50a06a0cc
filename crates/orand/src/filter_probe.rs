//! Probes of filters: proves a condition without its filter, to measure what that costs.

use std::time::Instant;

use super::cell::Cell;
use super::filter_sites::{FilterSite, FilterState, PROBES};
use super::interpreter::Interpreter;
use ludorum_reasoner::ReasonError;

/// Factor by which the unfiltered proof must be cheaper to make a trial unnecessary.
const CLEAR_FACTOR: u64 = 3;
/// Inverse of the share of a query's time that a probe may take.
const TIME_SHARE_DIVISOR: u32 = 16;

/// Number of probes that may time out before the filter is kept.
const MAX_LATE: u32 = 8;

impl<C: Cell> Interpreter<C> {
    /// Probes one of the waiting filters. Must be called between queries, since epochs and results
    /// may change.
    pub(super) fn probe_filters(&mut self) {
        let Some(number) = self.sites.waiting.pop() else {
            return;
        };
        let FilterSite {
            whole,
            work,
            states,
            ..
        } = self.sites.places[number];
        let usual = work / states.max(1);
        let limit = 4 * usual + 4_096;
        let stale = self.tables[whole].epoch != self.epochs[self.nodes[whole].class as usize];
        if !stale {
            // The unfiltered results exist in this state anyway: nothing can be measured.
            self.sites.waiting.insert(0, number);
            return;
        }
        let deadline = self.meter.deadline;
        if let Some(deadline) = deadline {
            let now = Instant::now();
            let left = deadline.saturating_duration_since(now);
            self.meter.deadline = Some(now + left / TIME_SHARE_DIVISOR);
        }
        let outcome = self.begin(Some(limit)).and_then(|()| self.prove_all(whole));
        let cost = self.meter.work + self.tables[whole].results.len as u64;
        if outcome.is_err() {
            self.reset();
        }
        self.meter.deadline = deadline;
        // The next query notices if memory is short; results of earlier queries are still needed.
        self.meter.is_full = false;
        if let Some(filter_to_restore) = self.filter_to_restore.take() {
            self.sites.restore(filter_to_restore);
            self.sites.waiting.insert(0, number);
            return;
        }
        let site = &mut self.sites.places[number];
        if outcome == Err(ReasonError::Stopped) {
            site.late += 1;
            if site.late >= MAX_LATE {
                site.state = FilterState::Kept;
            } else {
                self.sites.waiting.insert(0, number);
            }
            return;
        }
        site.probes += 1;
        site.probe_work += cost;
        if outcome.is_err() || site.probe_work > 2 * PROBES * (usual + 16) {
            site.state = FilterState::Kept;
        } else if site.probes < PROBES {
            self.sites.waiting.insert(0, number);
        } else if site.probe_work * CLEAR_FACTOR <= site.probes * usual {
            site.state = FilterState::Dropped;
        } else {
            self.sites.candidates.push(number);
        }
    }
}
