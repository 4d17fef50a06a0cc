//! Steal time: CPU time that the host of a virtual machine takes away.
//!
//! The host can suspend a virtual core for a while. Threads on that core do not run then, and
//! timers on it do not fire, so deadlines are missed. Linux counts this time for each core as
//! stolen, and updates the count when the core runs again.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The unit of the steal time in `/proc/stat`.
const TICK: Duration = Duration::from_millis(10);
/// Poll interval of the steal time.
const POLL_INTERVAL: Duration = Duration::from_millis(5);
/// How long polling continues after the last match, so that a core that is suspended at that moment
/// is counted.
const FINAL_DELAY: Duration = Duration::from_millis(500);

/// The steal time of all cores since the watch began.
#[derive(Debug, Default)]
pub(crate) struct StealTime {
    suspensions: Mutex<Vec<Suspension>>,
}

/// A period in which a core was suspended.
#[derive(Clone, Copy, Debug)]
struct Suspension {
    core: usize,
    /// The steal time within the span.
    time: Duration,
    /// The earliest begin and the latest end.
    span: (Instant, Instant),
}

impl Suspension {
    /// An upper bound of its steal time between two moments.
    fn within(&self, from: Instant, to: Instant) -> Duration {
        let (begin, end) = (self.span.0.max(from), self.span.1.min(to));
        end.saturating_duration_since(begin).min(self.time)
    }
}

impl StealTime {
    fn lock(&self) -> MutexGuard<'_, Vec<Suspension>> {
        self.suspensions
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Polls the steal time until `is_over` is set, and for [`FINAL_DELAY`] afterwards.
    pub(crate) fn watch(&self, is_over: &AtomicBool) {
        let mut polled = Instant::now();
        let mut last = stolen_per_core();
        let mut end = None;
        while end.is_none_or(|end| polled < end) {
            std::thread::sleep(POLL_INTERVAL);
            // This thread can be suspended as well, before or after it reads the counters.
            let before = Instant::now();
            let now = stolen_per_core();
            let noticed = Instant::now();
            for (core, (last, now)) in last.iter().zip(&now).enumerate() {
                let time = now.saturating_sub(*last);
                if !time.is_zero() {
                    // It was counted since the last poll, but may have begun earlier.
                    let begin = polled.checked_sub(time + TICK).unwrap_or(polled);
                    let span = (begin, noticed);
                    self.lock().push(Suspension { core, time, span });
                }
            }
            (last, polled) = (now, before);
            if end.is_none() && is_over.load(Ordering::Relaxed) {
                end = Some(polled + FINAL_DELAY);
            }
        }
    }

    /// An upper bound of the steal time between two moments, of the core with the most. Valid only
    /// when the watch is over.
    pub(crate) fn stolen_between(&self, from: Instant, to: Instant) -> Duration {
        let suspensions = self.lock();
        let cores = suspensions
            .iter()
            .map(|suspension| suspension.core + 1)
            .max();
        let of = |core| {
            let its = suspensions
                .iter()
                .filter(|suspension| suspension.core == core);
            its.map(|suspension| suspension.within(from, to)).sum()
        };
        (0..cores.unwrap_or(0)).map(of).max().unwrap_or_default()
    }

    /// The total steal time of all cores.
    pub(crate) fn total_stolen(&self) -> Duration {
        self.lock().iter().map(|suspension| suspension.time).sum()
    }
}

/// The steal time of each core since boot; empty if the system does not report it.
fn stolen_per_core() -> Vec<Duration> {
    let text = std::fs::read_to_string("/proc/stat").unwrap_or_default();
    let cores = text
        .lines()
        .filter(|line| line.starts_with("cpu") && !line.starts_with("cpu "));
    // The name of the core, then user, nice, system, idle, iowait, irq, softirq, steal.
    cores
        .map(|line| {
            let ticks = line.split_whitespace().nth(8);
            TICK * ticks.and_then(|ticks| ticks.parse().ok()).unwrap_or(0)
        })
        .collect()
}
