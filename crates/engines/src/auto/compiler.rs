//! The compiler thread: compiles a game in the background.
//!
//! Three results become available one after the other, each through a slot that is filled once: the
//! outcome (a network, or the reason why there is none), then either the lanes or the fallback
//! engine. Reasoners read the slots without waiting, except in [`Compiler::wait`].

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use ludorum_ground::GroundBudget;

use super::batch_lanes::LanesSlot;
use super::fallback_engine::{FallbackEngine, FallbackSettings, FallbackSlot, slower_than_proving};
use super::network_engines::NetworkEngines;
use crate::settings::EngineSettings;
use ludorum_chain::ChainSettings;
use ludorum_propnet::{CompileError, CompileLimits, CompiledGame, Propnet};
use ludorum_prover::Prover;
use ludorum_reasoner::{EngineChoice, Reasoner};

/// Memory limit of grounding. Building the network takes some more, and everything has to fit in
/// 4 GiB.
const MAX_MEMORY: u64 = 5 << 29;
/// The longest time that the thread waits for the first query to be answered before it starts.
const HEAD_START: Duration = Duration::from_millis(60);

/// The result of compiling.
#[derive(Debug)]
enum Outcome {
    Compiled {
        /// Cloned by each fork of the reasoner that switches to it.
        compiled: Box<Mutex<NetworkEngines>>,
        components: usize,
        time: Duration,
    },
    Failed(String),
}

/// There is no network and there will be none.
#[derive(Clone, Copy, Debug)]
pub(super) struct NoNetwork;

/// What the compiler thread and the reasoners share.
#[derive(Debug, Default)]
struct Shared {
    outcome: OnceLock<Outcome>,
    /// Set when the network is ready. It interrupts queries that the prover is working on.
    ready: Arc<AtomicBool>,
    /// Set when the last fork of the reasoner is dropped.
    cancel: Arc<AtomicBool>,
    /// Lanes for many playouts. They are built after the network.
    lanes: Arc<LanesSlot>,
    /// An engine for playouts, for games without a network.
    fallback: FallbackSlot,
    /// Whether the first query has been answered.
    answered: Mutex<bool>,
    /// Signalled when `answered` becomes true.
    first_answer: Condvar,
}

/// A handle on the compiler of a game. Dropping it cancels the work. All forks of a reasoner share
/// one handle.
#[derive(Debug)]
pub(super) struct Compiler {
    shared: Arc<Shared>,
}

impl Compiler {
    /// Starts to compile on a thread of its own.
    pub(super) fn start(
        game: Arc<CompiledGame>,
        settings: &EngineSettings,
        prover: &Prover,
    ) -> Self {
        let (compiler, work) = Self::planned(game, settings, prover);
        let thread = thread::Builder::new().name("ludorum-compiler".to_owned());
        let spawned = thread.spawn(move || {
            work.shared.wait_for_first_answer();
            work.run();
        });
        if let Err(error) = spawned {
            let problem = format!("no thread to compile in: {error}");
            compiler.shared.publish_failure(problem);
            compiler.shared.fallback.fill_with_none();
        }
        compiler
    }

    /// A compiler, and its work, which the caller has to run.
    pub(super) fn planned(
        game: Arc<CompiledGame>,
        settings: &EngineSettings,
        prover: &Prover,
    ) -> (Self, CompilerWork) {
        let shared = Arc::new(Shared::default());
        let job = CompileJob {
            game,
            prover: prover.fork(),
            limits: CompileLimits {
                ground: GroundBudget {
                    max_memory: settings.limits.ground.max_memory.min(MAX_MEMORY),
                    ..settings.limits.ground.clone()
                },
                cancel: Some(Arc::clone(&shared.cancel)),
                ..settings.limits.clone()
            },
            fallback: FallbackSettings {
                chain: ChainSettings {
                    cancel: Some(Arc::clone(&shared.cancel)),
                    ..settings.chain.clone()
                },
                orand: settings.orand,
            },
            begin: Instant::now(),
        };
        let work = CompilerWork {
            shared: Arc::clone(&shared),
            job,
        };
        (Self { shared }, work)
    }

    /// A flag that is set when the network is ready.
    pub(super) fn ready_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.shared.ready)
    }

    /// Lets the thread start: the first query has been answered, or there is none to wait for.
    pub(super) fn begin(&self) {
        let mut answered = lock(&self.shared.answered);
        *answered = true;
        self.shared.first_answer.notify_all();
    }

    /// The engines on the network, or that there is no network. `None` while it is compiling.
    pub(super) fn result(&self) -> Option<Result<NetworkEngines, NoNetwork>> {
        match self.shared.outcome.get()? {
            Outcome::Compiled { compiled, .. } => Some(Ok(lock(compiled).clone())),
            Outcome::Failed(_) => Some(Err(NoNetwork)),
        }
    }

    /// A fork of the fallback engine, if there is one by now.
    pub(super) fn fallback(&self) -> Option<FallbackEngine> {
        self.shared.fallback.fork()
    }

    /// The flag that cancels its work.
    #[cfg(test)]
    pub(super) fn cancelled(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.shared.cancel)
    }

    /// Waits until all its work is done.
    pub(super) fn wait(&self) {
        self.begin();
        self.shared.outcome.wait();
        self.shared.lanes.wait();
        self.shared.fallback.wait();
    }

    /// The engine that answers at the moment.
    pub(super) fn choice(&self) -> EngineChoice {
        match self.shared.outcome.get() {
            None => EngineChoice::Compiling,
            Some(Outcome::Compiled {
                components, time, ..
            }) => EngineChoice::Propnet {
                components: *components,
                time: *time,
                lanes: self.shared.lanes.from(),
            },
            Some(Outcome::Failed(reason)) => EngineChoice::Prover {
                reason: reason.clone(),
                playouts: self.shared.fallback.name(),
            },
        }
    }
}

impl Drop for Compiler {
    fn drop(&mut self) {
        self.shared.cancel.store(true, Ordering::Relaxed);
        self.begin();
    }
}

/// The values behind these locks are valid at any moment, so a poisoned lock can be used.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The work of the compiler thread.
pub(super) struct CompilerWork {
    shared: Arc<Shared>,
    job: CompileJob,
}

impl CompilerWork {
    /// The settings of forward chaining.
    #[cfg(test)]
    pub(super) fn chain_settings(&self) -> &ChainSettings {
        &self.job.fallback.chain
    }

    /// Compiles and publishes the results.
    pub(super) fn run(self) {
        self.shared.run(self.job);
    }
}

impl Shared {
    /// Waits until the first query is answered. On a machine with few cores, compiling would slow
    /// that query down.
    fn wait_for_first_answer(&self) {
        let answered = lock(&self.answered);
        let waiting = |answered: &mut bool| !*answered;
        drop(
            self.first_answer
                .wait_timeout_while(answered, HEAD_START, waiting),
        );
    }

    /// Runs the job and publishes its results.
    fn run(&self, job: CompileJob) {
        let begin = job.begin;
        let lanes = Arc::clone(&self.lanes);
        let (rules, fallback) = (Arc::clone(job.game.rules()), job.fallback.clone());
        let mut prover = job.prover.fork();
        let result = catch_unwind(AssertUnwindSafe(|| job.compile(lanes)))
            .unwrap_or_else(|_| Err("the compiler failed".to_owned()));
        let result = result.and_then(|mut compiled| {
            match slower_than_proving(&mut compiled.network, &mut prover) {
                Some(reason) => Err(reason),
                None => Ok(compiled),
            }
        });
        match result {
            Ok(compiled) => {
                let components = compiled.network.network().len();
                let mut network = compiled.network.fork();
                let time = begin.elapsed();
                log::info!("a network of {components} components is ready after {time:.1?}");
                let _ = self.outcome.set(Outcome::Compiled {
                    compiled: Box::new(Mutex::new(compiled)),
                    components,
                    time,
                });
                self.fallback.fill_with_none();
                self.ready.store(true, Ordering::Release);
                let wanted = || !self.cancel.load(Ordering::Relaxed);
                let filled =
                    catch_unwind(AssertUnwindSafe(|| self.lanes.fill(&mut network, wanted)));
                if filled.is_err() {
                    self.lanes.fill_with_none();
                }
            }
            Err(reason) => {
                self.publish_failure(reason);
                if self.cancel.load(Ordering::Relaxed) {
                    self.fallback.fill_with_none();
                    return;
                }
                let fill = || self.fallback.fill(&rules, &mut prover, &fallback);
                if catch_unwind(AssertUnwindSafe(fill)).is_err() {
                    self.fallback.fill_with_none();
                }
            }
        }
    }

    fn publish_failure(&self, reason: String) {
        if !self.cancel.load(Ordering::Relaxed) {
            log::warn!("the prover plays this game: {reason}");
        }
        self.lanes.fill_with_none();
        let _ = self.outcome.set(Outcome::Failed(reason));
    }
}

/// A game to compile.
struct CompileJob {
    game: Arc<CompiledGame>,
    prover: Prover,
    limits: CompileLimits,
    fallback: FallbackSettings,
    begin: Instant,
}

impl CompileJob {
    fn compile(mut self, lanes: Arc<LanesSlot>) -> Result<NetworkEngines, String> {
        let problem = |error| match error {
            CompileError::Ground(verdict) => format!("cannot be grounded: {verdict}"),
            error => error.to_string(),
        };
        let network = self.game.network(&self.limits).map_err(problem)?;
        let circuit = self.game.circuit(&self.limits).map_err(problem)?;
        let network = Propnet::with_circuit(network, circuit);
        self.limits
            .check("evaluating the network")
            .map_err(problem)?;
        Ok(NetworkEngines::new(network, lanes, &mut self.prover))
    }
}
