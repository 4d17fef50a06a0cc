//! What the host of a virtual machine takes away.
//!
//! A core of a virtual machine can stand still for a while because the host gives it to somebody else. Nobody on it can be in time then: not the thread that
//! runs, not the timer that is to wake another. Linux counts that time for each core as stolen, and adds it up when the core is back.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The unit in which Linux tells it.
const TICK: Duration = Duration::from_millis(10);
/// How often it is looked at.
const LOOK: Duration = Duration::from_millis(5);
/// A core that stood still at an answer is back, and its time counted, this long after it.
const BACK: Duration = Duration::from_millis(500);

/// What was stolen, and when that was noticed.
#[derive(Debug, Default)]
pub(crate) struct Host {
    thefts: Mutex<Vec<Theft>>,
}

#[derive(Debug)]
struct Theft {
    noticed: Instant,
    core: usize,
    time: Duration,
}

impl Host {
    /// Looks at what is stolen until it is over.
    pub(crate) fn watch(&self, is_over: &AtomicBool) {
        let mut last = stolen();
        while !is_over.load(Ordering::Relaxed) {
            std::thread::sleep(LOOK);
            let now = stolen();
            let noticed = Instant::now();
            for (core, (last, now)) in last.iter().zip(&now).enumerate() {
                let time = now.saturating_sub(*last);
                if !time.is_zero() {
                    let mut thefts = self.thefts.lock().unwrap_or_else(PoisonError::into_inner);
                    thefts.push(Theft {
                        noticed,
                        core,
                        time,
                    });
                }
            }
            last = now;
        }
    }

    /// What was taken of the core that lost most, as far as its account came after a moment; called when an answer that was due then has just been given.
    pub(crate) fn took_since(&self, moment: Instant) -> Duration {
        std::thread::sleep(BACK);
        let thefts = self.thefts.lock().unwrap_or_else(PoisonError::into_inner);
        let of = |core| {
            let its = thefts.iter().filter(|theft| theft.core == core);
            its.filter(|theft| theft.noticed >= moment)
                .map(|theft| theft.time)
                .sum()
        };
        let cores = thefts.iter().map(|theft| theft.core + 1).max();
        (0..cores.unwrap_or(0)).map(of).max().unwrap_or_default()
    }

    /// All that was taken.
    pub(crate) fn took(&self) -> Duration {
        let thefts = self.thefts.lock().unwrap_or_else(PoisonError::into_inner);
        thefts.iter().map(|theft| theft.time).sum()
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
