//! What all matches share: [`Shared`].

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ludorum_propnet::CompileLimits;

use super::Options;
use super::margin::Margin;
use super::metrics::Metrics;
use crate::tables::Tables;

/// The engines of so many sheets are kept for the next match.
const SHEETS: usize = 2;
/// What compiling the sheets of all matches may take together, more or less, in bytes.
const COMPILING: u64 = 4 << 30;

/// What all matches share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) metrics: Metrics,
    pub(super) tables: Tables,
    pub(super) ponders: bool,
    margin: Mutex<Margin>,
    /// Threads of matches that have not ended yet, also of matches that nobody wants any more.
    threads: AtomicUsize,
    /// How many threads search in a match.
    threads_each: usize,
    cores: usize,
    /// How many matches there have been.
    begun: AtomicU64,
}

impl Shared {
    pub(super) fn new(options: &Options) -> Result<Self, prometheus::Error> {
        Ok(Self {
            metrics: Metrics::new()?,
            tables: Tables::new(SHEETS),
            ponders: options.ponders,
            margin: Mutex::default(),
            threads: AtomicUsize::new(0),
            threads_each: options.threads,
            cores: std::thread::available_parallelism().map_or(1, NonZeroUsize::get),
            begun: AtomicU64::new(0),
        })
    }

    /// How many threads of matches there are.
    pub(super) fn threads(&self) -> usize {
        self.threads.load(Ordering::Acquire)
    }

    /// A number that no match before has had.
    pub(super) fn next_serial(&self) -> u64 {
        self.begun.fetch_add(1, Ordering::AcqRel)
    }

    pub(super) fn margin(&self) -> MutexGuard<'_, Margin> {
        self.margin.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many threads think for each core, if all matches do.
    #[allow(clippy::cast_precision_loss)] // few
    fn crowd(&self) -> f64 {
        let threads = self.threads() * self.threads_each;
        threads as f64 / self.cores as f64
    }

    /// Whether there is a core for every thread, so that whoever thinks in the others' time takes
    /// nothing from anybody.
    pub(super) fn has_room(&self) -> bool {
        self.crowd() <= 1.0
    }

    /// What making an engine may use, with as many matches as there are.
    pub(super) fn limits(&self) -> CompileLimits {
        let threads = self.threads().max(1) as u64;
        let mut limits = CompileLimits::default();
        limits.ground.max_memory = limits.ground.max_memory.min(COMPILING / threads);
        limits
    }

    /// What to keep back of a clock.
    pub(super) fn margin_of(&self, clock: Duration) -> Duration {
        let crowd = self.crowd();
        self.margin().of(clock, crowd)
    }
}

/// Counts a thread for as long as it lives.
pub(super) struct Counted(Arc<Shared>);

impl Counted {
    pub(super) fn new(shared: &Arc<Shared>) -> Self {
        shared.threads.fetch_add(1, Ordering::AcqRel);
        Self(Arc::clone(shared))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.threads.fetch_sub(1, Ordering::AcqRel);
    }
}
