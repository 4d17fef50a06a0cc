//! What all matches share: [`ServerState`].

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ludorum_propnet::CompileLimits;

use super::ServerOptions;
use super::metrics::Metrics;
use super::safety_margin::SafetyMargin;
use crate::engine_cache::EngineCache;

/// The engines of so many sheets are kept for the next match.
const SHEETS: usize = 2;
/// What compiling the sheets of all matches may take together, more or less, in bytes.
const COMPILING: u64 = 4 << 30;

/// What all matches share.
#[derive(Debug)]
pub(super) struct ServerState {
    pub(super) metrics: Metrics,
    pub(super) tables: EngineCache,
    pub(super) ponders: bool,
    margin: Mutex<SafetyMargin>,
    /// Threads of matches that have not ended yet, also of matches that nobody wants any more.
    threads: AtomicUsize,
    /// How many threads search in a match.
    threads_each: usize,
    cores: usize,
    /// How many matches there have been.
    started: AtomicU64,
}

impl ServerState {
    pub(super) fn new(options: &ServerOptions) -> Result<Self, prometheus::Error> {
        Ok(Self {
            metrics: Metrics::new()?,
            tables: EngineCache::new(SHEETS),
            ponders: options.ponders,
            margin: Mutex::default(),
            threads: AtomicUsize::new(0),
            threads_each: options.threads,
            cores: std::thread::available_parallelism().map_or(1, NonZeroUsize::get),
            started: AtomicU64::new(0),
        })
    }

    /// How many threads of matches there are.
    pub(super) fn threads(&self) -> usize {
        self.threads.load(Ordering::Acquire)
    }

    /// A number that no match before has had.
    pub(super) fn next_serial(&self) -> u64 {
        self.started.fetch_add(1, Ordering::AcqRel)
    }

    pub(super) fn margin(&self) -> MutexGuard<'_, SafetyMargin> {
        self.margin.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many threads think for each core, if all matches do.
    #[allow(clippy::cast_precision_loss)] // few
    fn load_per_core(&self) -> f64 {
        let threads = self.threads() * self.threads_each;
        threads as f64 / self.cores as f64
    }

    /// Whether there is a core for every thread, so that whoever thinks in the others' time takes
    /// nothing from anybody.
    pub(super) fn has_room(&self) -> bool {
        self.load_per_core() <= 1.0
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
        let load_per_core = self.load_per_core();
        self.margin().of(clock, load_per_core)
    }
}

/// Counts a thread for as long as it lives.
pub(super) struct ThreadCount(Arc<ServerState>);

impl ThreadCount {
    pub(super) fn new(shared: &Arc<ServerState>) -> Self {
        shared.threads.fetch_add(1, Ordering::AcqRel);
        Self(Arc::clone(shared))
    }
}

impl Drop for ThreadCount {
    fn drop(&mut self) {
        self.0.threads.fetch_sub(1, Ordering::AcqRel);
    }
}
