//! State shared by all matches of a server: [`ServerState`].

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ludorum_propnet::CompileLimits;

use super::ServerOptions;
use super::metrics::Metrics;
use super::safety_margin::SafetyMargin;
use crate::engine_cache::EngineCache;

/// Capacity of the engine cache, in rule sheets.
const CACHED_SHEETS: usize = 2;
/// Approximate memory limit in bytes of all compilations together.
const MAX_COMPILE_BYTES: u64 = 4 << 30;

/// State shared by all matches of a server.
#[derive(Debug)]
pub(super) struct ServerState {
    pub(super) metrics: Metrics,
    pub(super) engines: EngineCache,
    pub(super) ponders: bool,
    margin: Mutex<SafetyMargin>,
    /// Running match threads, those of cancelled matches included.
    threads: AtomicUsize,
    /// Search threads of each match.
    threads_each: usize,
    cores: usize,
    /// Number of matches started so far.
    started: AtomicU64,
}

impl ServerState {
    pub(super) fn new(options: &ServerOptions) -> Result<Self, prometheus::Error> {
        Ok(Self {
            metrics: Metrics::new()?,
            engines: EngineCache::new(CACHED_SHEETS),
            ponders: options.ponders,
            margin: Mutex::default(),
            threads: AtomicUsize::new(0),
            threads_each: options.threads,
            cores: std::thread::available_parallelism().map_or(1, NonZeroUsize::get),
            started: AtomicU64::new(0),
        })
    }

    /// The number of running match threads.
    pub(super) fn threads(&self) -> usize {
        self.threads.load(Ordering::Acquire)
    }

    /// A serial number that no earlier match has.
    pub(super) fn next_serial(&self) -> u64 {
        self.started.fetch_add(1, Ordering::AcqRel)
    }

    pub(super) fn margin(&self) -> MutexGuard<'_, SafetyMargin> {
        self.margin.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Searching threads per core if all matches search.
    #[allow(clippy::cast_precision_loss)] // few
    fn load_per_core(&self) -> f64 {
        let threads = self.threads() * self.threads_each;
        threads as f64 / self.cores as f64
    }

    /// Whether every searching thread has a core, so that pondering slows nothing down.
    pub(super) fn has_room(&self) -> bool {
        self.load_per_core() <= 1.0
    }

    /// Limits on compiling one game, at the present number of matches.
    pub(super) fn limits(&self) -> CompileLimits {
        let threads = self.threads().max(1) as u64;
        let mut limits = CompileLimits::default();
        limits.ground.max_memory = limits.ground.max_memory.min(MAX_COMPILE_BYTES / threads);
        limits
    }

    /// The safety margin of a clock.
    pub(super) fn margin_of(&self, clock: Duration) -> Duration {
        let load_per_core = self.load_per_core();
        self.margin().of(clock, load_per_core)
    }
}

/// Counts a thread while it lives.
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
