//! What the host of a virtual machine takes away.
//!
//! A core of a virtual machine can stand still for a while because the host gives it to somebody
//! else. Nobody on it can be in time then: not the thread that runs, not the timer that is to wake
//! another. Linux counts that time for each core as stolen, and adds it up when the core is back.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The unit in which Linux tells it.
const TICK: Duration = Duration::from_millis(10);
/// How often it is looked at.
const LOOK: Duration = Duration::from_millis(5);
/// A core that stands still when all is over is back, and its time counted, this much later.
const BACK: Duration = Duration::from_millis(500);

/// All that was taken.
#[derive(Debug, Default)]
pub(crate) struct Host {
    thefts: Mutex<Vec<Theft>>,
}

/// A core stood still for a while.
#[derive(Clone, Copy, Debug)]
struct Theft {
    core: usize,
    /// For how long in all,
    time: Duration,
    /// and between which moments, as far as is known.
    span: (Instant, Instant),
}

impl Theft {
    /// How much of it may have been between two moments.
    fn within(&self, from: Instant, to: Instant) -> Duration {
        let (begin, end) = (self.span.0.max(from), self.span.1.min(to));
        end.saturating_duration_since(begin).min(self.time)
    }
}

impl Host {
    fn lock(&self) -> MutexGuard<'_, Vec<Theft>> {
        self.thefts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at what is stolen until it is over, and a little longer.
    pub(crate) fn watch(&self, is_over: &AtomicBool) {
        let mut looked = Instant::now();
        let mut last = stolen();
        let mut end = None;
        while end.is_none_or(|end| looked < end) {
            std::thread::sleep(LOOK);
            // This thread may stand still as well, before or after it looks.
            let before = Instant::now();
            let now = stolen();
            let noticed = Instant::now();
            for (core, (last, now)) in last.iter().zip(&now).enumerate() {
                let time = now.saturating_sub(*last);
                if !time.is_zero() {
                    // It was counted since the last look, and may have begun long before.
                    let begin = looked.checked_sub(time + TICK).unwrap_or(looked);
                    let span = (begin, noticed);
                    self.lock().push(Theft { core, time, span });
                }
            }
            (last, looked) = (now, before);
            if end.is_none() && is_over.load(Ordering::Relaxed) {
                end = Some(looked + BACK);
            }
        }
    }

    /// What may have been taken between two moments of the core that lost most then. To be asked
    /// when the watch is over.
    pub(crate) fn took(&self, from: Instant, to: Instant) -> Duration {
        let thefts = self.lock();
        let cores = thefts.iter().map(|theft| theft.core + 1).max();
        let of = |core| {
            let its = thefts.iter().filter(|theft| theft.core == core);
            its.map(|theft| theft.within(from, to)).sum()
        };
        (0..cores.unwrap_or(0)).map(of).max().unwrap_or_default()
    }

    /// All that was taken of all cores.
    pub(crate) fn took_in_all(&self) -> Duration {
        self.lock().iter().map(|theft| theft.time).sum()
    }
}

/// The time stolen from each core since the machine began; empty where nobody tells.
fn stolen() -> Vec<Duration> {
    let text = std::fs::read_to_string("/proc/stat").unwrap_or_default();
    let cores = text
        .lines()
        .filter(|line| line.starts_with("cpu") && !line.starts_with("cpu "));
    // A core's name, then user, nice, system, idle, iowait, irq, softirq, steal.
    cores
        .map(|line| {
            let ticks = line.split_whitespace().nth(8);
            TICK * ticks.and_then(|ticks| ticks.parse().ok()).unwrap_or(0)
        })
        .collect()
}
