//! The table of engines in play, which all forks of `auto` share: the engines that are ready, with
//! their measured costs.
//!
//! Threads in the background (`builders`) publish engines here. Every publication raises the
//! version of the table and interrupts the queries that are running at the moment; forks notice the
//! version at their next query and choose again. Nobody waits for the table, except in
//! [`EngineTable::wait_for`].

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ludorum_reasoner::{
    EngineChoice, EngineCosts, NetworkProgress, PlayoutTotals, ReasonError, StopSignal,
};

use super::costs::{Candidate, Cost, CostTable, Costs, MANY, Question};
use super::in_play::InPlay;
use super::public::NetworkIds;

/// The assumed length of a playout before any was made.
const ASSUMED_STEPS: u64 = 64;
/// Poll interval of the stop signal while waiting for engines.
const POLL: Duration = Duration::from_millis(2);

/// After so many failures on questions of a kind an engine is not asked such questions any more.
const MAX_FAILURES: u32 = 3;

/// An engine of the table. Forks of `auto` play on forks of it.
#[derive(Debug)]
struct Entry {
    engine: Box<dyn InPlay>,
    costs: Costs,
    /// The version of the table with which it came.
    version: u32,
    /// The number of failures, by kind of question.
    failures: [u32; Question::ALL.len()],
}

impl Entry {
    fn new(engine: Box<dyn InPlay>, costs: Costs, version: u32) -> Self {
        Self {
            engine,
            costs,
            version,
            failures: [0; Question::ALL.len()],
        }
    }
}

/// How far the background work is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)] // independent marks
pub(super) struct Progress {
    /// Whether the first query has been answered.
    pub(super) answered: bool,
    /// Whether all engines on the rules are there that are going to be.
    pub(super) rules: bool,
    /// The same for engines on the network.
    pub(super) network: bool,
    /// The same for lanes on staged rules.
    pub(super) staged: bool,
}

impl Progress {
    /// Whether all engines are there that are going to be.
    pub(super) fn is_done(self) -> bool {
        self.rules && self.network && self.staged
    }
}

#[derive(Debug)]
struct Contents {
    entries: [Option<Entry>; Candidate::COUNT],
    ids: Option<Arc<NetworkIds>>,
    network: NetworkProgress,
    progress: Progress,
    /// Set at the next publication, to interrupt queries.
    interrupt: Arc<AtomicBool>,
}

/// The table of engines in play.
#[derive(Debug)]
pub(super) struct EngineTable {
    contents: Mutex<Contents>,
    /// Signalled at every change.
    changed: Condvar,
    version: AtomicU32,
    /// Set when the last fork is dropped.
    pub(super) cancel: Arc<AtomicBool>,
    /// Set when no more engines on the rules are wanted.
    pub(super) enough: Arc<AtomicBool>,
    /// Steps and number of the playouts made in batches, for their mean length.
    steps: AtomicU64,
    playouts: AtomicU64,
}

/// What a fork of `auto` copies from the table.
#[derive(Debug)]
pub(super) struct Snapshot {
    pub(super) version: u32,
    pub(super) costs: CostTable,
    /// The version with which each engine came.
    pub(super) versions: [Option<u32>; Candidate::COUNT],
    pub(super) ids: Option<Arc<NetworkIds>>,
    pub(super) interrupt: Arc<AtomicBool>,
}

impl EngineTable {
    /// A table with one engine, the costs of which are not known yet.
    pub(super) fn new(prover: Box<dyn InPlay>) -> Self {
        let mut entries = [const { None }; Candidate::COUNT];
        let prover = Entry::new(prover, Costs::UNKNOWN, 0);
        entries[Candidate::Prover as usize] = Some(prover);
        Self {
            contents: Mutex::new(Contents {
                entries,
                ids: None,
                network: NetworkProgress::Compiling,
                progress: Progress::default(),
                interrupt: Arc::default(),
            }),
            changed: Condvar::new(),
            version: AtomicU32::new(0),
            cancel: Arc::default(),
            enough: Arc::default(),
            steps: AtomicU64::new(0),
            playouts: AtomicU64::new(0),
        }
    }

    /// Contents are valid at any moment, so a poisoned lock can be used.
    fn lock(&self) -> MutexGuard<'_, Contents> {
        self.contents.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The version, which every publication raises.
    #[inline]
    pub(super) fn version(&self) -> u32 {
        self.version.load(Ordering::Acquire)
    }

    /// Ends the work in the background.
    pub(super) fn cancel(&self) {
        self.cancel.store(true, Ordering::Relaxed);
        self.enough.store(true, Ordering::Relaxed);
    }

    /// Whether the work in the background is no longer wanted.
    pub(super) fn is_cancelled(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }

    /// Changes the contents, and lets all forks choose again.
    fn publish(&self, change: impl FnOnce(&mut Contents, u32)) {
        let mut contents = self.lock();
        let version = self.version.load(Ordering::Relaxed) + 1;
        change(&mut contents, version);
        let interrupt = std::mem::take(&mut contents.interrupt);
        self.version.store(version, Ordering::Release);
        drop(contents);
        interrupt.store(true, Ordering::Release);
        self.changed.notify_all();
    }

    /// Adds an engine or replaces it.
    pub(super) fn put(&self, candidate: Candidate, engine: Box<dyn InPlay>, costs: Costs) {
        log::debug!("{}: {costs:?}", candidate.name());
        self.publish(|contents, version| {
            contents.entries[candidate as usize] = Some(Entry::new(engine, costs, version));
        });
    }

    /// Adds the network, as an engine and as the form of states.
    pub(super) fn put_network(
        &self,
        ids: Arc<NetworkIds>,
        time: Duration,
        engine: Box<dyn InPlay>,
        costs: Costs,
    ) {
        log::debug!("{}: {costs:?}", Candidate::Propnet.name());
        self.publish(|contents, version| {
            contents.network = NetworkProgress::Ready {
                components: ids.components(),
                time,
            };
            contents.ids = Some(ids);
            let propnet = Entry::new(engine, costs, version);
            contents.entries[Candidate::Propnet as usize] = Some(propnet);
        });
    }

    /// Replaces a cost of an engine.
    pub(super) fn set_cost(&self, candidate: Candidate, question: Question, cost: Cost) {
        log::debug!("{} for {question:?}: {cost:?}", candidate.name());
        self.publish(|contents, _| {
            if let Some(entry) = &mut contents.entries[candidate as usize]
                && entry.costs.of(question).batch.is_finite()
                && entry.failures[question as usize] < MAX_FAILURES
            {
                entry.costs.0[question as usize] = cost;
            }
        });
    }

    /// Records that an engine failed to answer a question that another could answer. After some
    /// failures it is not asked such questions any more, and is dropped if no other is left for it.
    pub(super) fn record_failure(
        &self,
        candidate: Candidate,
        question: Question,
        error: &ReasonError,
    ) {
        let mut contents = self.lock();
        let Some(entry) = &mut contents.entries[candidate as usize] else {
            return;
        };
        let failures = &mut entry.failures[question as usize];
        *failures += 1;
        log::debug!("{} failed: {error}", candidate.name());
        if *failures != MAX_FAILURES {
            return;
        }
        drop(contents);
        log::info!("{} is given up: {error}", candidate.name());
        self.publish(|contents, _| {
            if let Some(entry) = &mut contents.entries[candidate as usize] {
                entry.costs.0[question as usize] = Cost::one_by_one(f64::INFINITY);
            }
            if !contents.costs().useful()[candidate as usize] {
                contents.entries[candidate as usize] = None;
            }
        });
    }

    /// There will be no network.
    pub(super) fn set_network_missing(&self, reason: String) {
        self.publish(|contents, _| contents.network = NetworkProgress::Missing { reason });
    }

    /// Whether it is known that there is no network.
    pub(super) fn has_no_network(&self) -> bool {
        matches!(self.lock().network, NetworkProgress::Missing { .. })
    }

    /// Records progress. When all work is done, engines that are best for nothing are dropped.
    pub(super) fn set_progress(&self, set: impl FnOnce(&mut Progress)) {
        let mut contents = self.lock();
        set(&mut contents.progress);
        let is_done = contents.progress.is_done();
        drop(contents);
        if is_done {
            self.publish(|contents, _| {
                let useful = contents.costs().useful();
                for (entry, useful) in contents.entries.iter_mut().zip(useful) {
                    if !useful {
                        *entry = None;
                    }
                }
            });
        } else {
            self.changed.notify_all();
        }
    }

    /// Waits until a condition on the progress holds, for at most some time and until the stop
    /// signal. Gives whether the condition holds.
    pub(super) fn wait_for(
        &self,
        time: Option<Duration>,
        stop: &StopSignal,
        condition: impl Fn(Progress, &NetworkProgress) -> bool,
    ) -> bool {
        let begin = Instant::now();
        let mut contents = self.lock();
        loop {
            if condition(contents.progress, &contents.network) {
                return true;
            }
            let left = time.map(|time| time.saturating_sub(begin.elapsed()));
            if left.is_some_and(|left| left.is_zero()) || stop.is_stopped() {
                return false;
            }
            let pause = left.map_or(POLL, |left| left.min(POLL));
            let waited = self.changed.wait_timeout(contents, pause);
            contents = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// A copy of what forks need to choose.
    pub(super) fn snapshot(&self) -> Snapshot {
        let contents = self.lock();
        Snapshot {
            version: self.version.load(Ordering::Relaxed),
            costs: contents.costs(),
            versions: contents
                .entries
                .each_ref()
                .map(|entry| entry.as_ref().map(|entry| entry.version)),
            ids: contents.ids.clone(),
            interrupt: Arc::clone(&contents.interrupt),
        }
    }

    /// A fork of an engine, with the version with which it came. `None` if it is not there.
    pub(super) fn fork(&self, candidate: Candidate) -> Option<(Box<dyn InPlay>, u32)> {
        let contents = self.lock();
        let entry = contents.entries[candidate as usize].as_ref()?;
        Some((entry.engine.boxed_fork(), entry.version))
    }

    /// Records the lengths of playouts.
    pub(super) fn learn_length(&self, totals: &[PlayoutTotals]) {
        let (mut steps, mut playouts) = (0, 0);
        for totals in totals {
            steps += totals.steps;
            playouts += totals.playouts;
        }
        self.steps.fetch_add(steps, Ordering::Relaxed);
        self.playouts.fetch_add(playouts, Ordering::Relaxed);
    }

    /// The mean length of a playout.
    pub(super) fn mean_length(&self) -> u64 {
        let playouts = self.playouts.load(Ordering::Relaxed);
        let steps = self.steps.load(Ordering::Relaxed);
        steps.checked_div(playouts).unwrap_or(ASSUMED_STEPS).max(1)
    }

    /// Which engines answer, and why.
    #[allow(clippy::cast_precision_loss)] // a figure for people
    pub(super) fn choice(&self) -> EngineChoice {
        let contents = self.lock();
        let costs = contents.costs();
        let best = |question, count| costs.best(question, count, f64::INFINITY);
        let is_lanes = |count: &u64| best(Question::Playout, *count).plays_many();
        let engine_costs = |candidate: Candidate| {
            let cost = |question| costs.cost(candidate, question);
            let micros = |question, count: u64| {
                cost(question).map(|cost| cost.of(count) / count as f64 * 1e6)
            };
            let costs = EngineCosts {
                engine: candidate.name(),
                state: micros(Question::State, 1)?,
                next: micros(Question::Next, 1)?,
                step: micros(Question::Playout, cost(Question::Playout)?.width)?,
            };
            costs.state.is_finite().then_some(costs)
        };
        EngineChoice {
            states: best(Question::State, 1).name(),
            playouts: best(Question::Playout, MANY).name(),
            network: contents.network.clone(),
            lanes: (1..=MANY).find(is_lanes),
            costs: Candidate::ALL
                .into_iter()
                .filter_map(engine_costs)
                .collect(),
        }
    }

    /// The number of components of the network, if there is one.
    pub(super) fn components(&self) -> Option<usize> {
        let contents = self.lock();
        contents.ids.as_ref().map(|ids| ids.components())
    }
}

impl Contents {
    fn costs(&self) -> CostTable {
        let costs = |entry: &Option<Entry>| entry.as_ref().map(|entry| entry.costs);
        CostTable(self.entries.each_ref().map(costs))
    }
}
