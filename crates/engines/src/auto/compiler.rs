//! Compiles a game in a thread of its own.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use ludorum_ground::GroundBudget;

use super::batches::LateLanes;
use super::compiled::Compiled;
use super::standin::{LateStandin, Standin, StandinSettings, slower_than_proving};
use crate::engine::Settings;
use ludorum_chain::ChainSettings;
use ludorum_propnet::{CompileError, CompileLimits, CompiledGame, Propnet};
use ludorum_prover::Prover;
use ludorum_reasoner::{EngineChoice, Reasoner};

/// Most memory that grounding may take here. Building the network takes some more, and all has to
/// stay within 4 GiB.
const MAX_MEMORY: u64 = 5 << 29;
/// So long the thread leaves the machine to the first question.
const HEAD_START: Duration = Duration::from_millis(60);

/// What compiling came to.
#[derive(Debug)]
enum Outcome {
    Compiled {
        /// Forked by whoever goes over to it.
        compiled: Box<Mutex<Compiled>>,
        components: usize,
        time: Duration,
    },
    Failed(String),
}

/// There is no network, and there will be none.
#[derive(Clone, Copy, Debug)]
pub(super) struct NoNetwork;

/// What the thread and the reasoners share.
#[derive(Debug, Default)]
struct Shared {
    outcome: OnceLock<Outcome>,
    /// Set when the network is there: who asks the prover may stop waiting.
    ready: Arc<AtomicBool>,
    /// Set when nobody wants the network any more.
    cancel: Arc<AtomicBool>,
    /// Lanes for many playouts; they come after the network.
    lanes: Arc<LateLanes>,
    /// An engine for playouts, where there is no network.
    standin: LateStandin,
    /// Whether the first question has been answered.
    answered: Mutex<bool>,
    /// Told when it has.
    answer: Condvar,
}

/// The compiler of a game. Its work ends when it is dropped, which is when the last fork of its
/// reasoner is.
#[derive(Debug)]
pub(super) struct Compiler {
    shared: Arc<Shared>,
}

impl Compiler {
    /// Begins to compile in the background.
    pub(super) fn start(game: Arc<CompiledGame>, settings: &Settings, prover: &Prover) -> Self {
        let (compiler, work) = Self::planned(game, settings, prover);
        let thread = thread::Builder::new().name("ludorum-compiler".to_owned());
        let spawned = thread.spawn(move || {
            work.shared.give_head_start();
            work.run();
        });
        if let Err(error) = spawned {
            let problem = format!("no thread to compile in: {error}");
            compiler.shared.fail(problem);
            compiler.shared.standin.give_up();
        }
        compiler
    }

    /// A compiler, and the work that somebody has to do for it.
    pub(super) fn planned(
        game: Arc<CompiledGame>,
        settings: &Settings,
        prover: &Prover,
    ) -> (Self, Work) {
        let shared = Arc::new(Shared::default());
        let job = Job {
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
            standins: StandinSettings {
                chain: ChainSettings {
                    cancel: Some(Arc::clone(&shared.cancel)),
                    ..settings.chain.clone()
                },
                orand: settings.orand,
            },
            begin: Instant::now(),
        };
        let work = Work {
            shared: Arc::clone(&shared),
            job,
        };
        (Self { shared }, work)
    }

    /// A flag that is set when the network is there.
    pub(super) fn ready_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.shared.ready)
    }

    /// Lets it begin: the first question has been answered, or there is none to wait for.
    pub(super) fn begin(&self) {
        let mut answered = lock(&self.shared.answered);
        *answered = true;
        self.shared.answer.notify_all();
    }

    /// What it has made; nothing while it is at work.
    pub(super) fn result(&self) -> Option<Result<Compiled, NoNetwork>> {
        match self.shared.outcome.get()? {
            Outcome::Compiled { compiled, .. } => Some(Ok(lock(compiled).clone())),
            Outcome::Failed(_) => Some(Err(NoNetwork)),
        }
    }

    /// An engine for playouts, if there is one by now.
    pub(super) fn standin(&self) -> Option<Standin> {
        self.shared.standin.fork()
    }

    /// The flag that ends its work.
    #[cfg(test)]
    pub(super) fn cancelled(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.shared.cancel)
    }

    /// Waits until it is done.
    pub(super) fn wait(&self) {
        self.begin();
        self.shared.outcome.wait();
        self.shared.lanes.wait();
        self.shared.standin.wait();
    }

    /// What it has come to.
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
                playouts: self.shared.standin.name(),
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

/// Whatever is behind these locks is whole at any moment, a panic or not.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What the thread does.
pub(super) struct Work {
    shared: Arc<Shared>,
    job: Job,
}

impl Work {
    /// How forward chaining is to be made.
    #[cfg(test)]
    pub(super) fn chain_settings(&self) -> &ChainSettings {
        &self.job.standins.chain
    }

    /// Compiles and tells what came of it.
    pub(super) fn run(self) {
        self.shared.finish(self.job);
    }
}

impl Shared {
    /// Waits until the first question is answered: on a machine with few cores, compiling would
    /// make it wait.
    fn give_head_start(&self) {
        let answered = lock(&self.answered);
        let waiting = |answered: &mut bool| !*answered;
        drop(
            self.answer
                .wait_timeout_while(answered, HEAD_START, waiting),
        );
    }

    /// Does the job and tells what came of it.
    fn finish(&self, job: Job) {
        let begin = job.begin;
        let lanes = Arc::clone(&self.lanes);
        let (rules, standins) = (Arc::clone(job.game.rules()), job.standins.clone());
        let mut prover = job.prover.fork();
        let result = catch_unwind(AssertUnwindSafe(|| job.run(lanes)))
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
                self.standin.give_up();
                self.ready.store(true, Ordering::Release);
                let wanted = || !self.cancel.load(Ordering::Relaxed);
                let made = catch_unwind(AssertUnwindSafe(|| self.lanes.make(&mut network, wanted)));
                if made.is_err() {
                    self.lanes.give_up();
                }
            }
            Err(reason) => {
                self.fail(reason);
                if self.cancel.load(Ordering::Relaxed) {
                    self.standin.give_up();
                    return;
                }
                let make = || self.standin.make(&rules, &mut prover, &standins);
                if catch_unwind(AssertUnwindSafe(make)).is_err() {
                    self.standin.give_up();
                }
            }
        }
    }

    fn fail(&self, reason: String) {
        if !self.cancel.load(Ordering::Relaxed) {
            log::warn!("the prover plays this game: {reason}");
        }
        self.lanes.give_up();
        let _ = self.outcome.set(Outcome::Failed(reason));
    }
}

/// What there is to compile.
struct Job {
    game: Arc<CompiledGame>,
    prover: Prover,
    limits: CompileLimits,
    standins: StandinSettings,
    begin: Instant,
}

impl Job {
    fn run(mut self, lanes: Arc<LateLanes>) -> Result<Compiled, String> {
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
        Ok(Compiled::new(network, lanes, &mut self.prover))
    }
}
