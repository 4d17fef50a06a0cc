//! The threads that build and measure engines in the background.
//!
//! One thread builds the engines on the rules: the OR-AND interpreter, which is the first to be
//! ready in large games, the prepared prover, and forward chaining. Another compiles the network
//! and, from it, lanes. The third builds lanes on staged rules. All publish what they have in the
//! [`EngineTable`]. A game with a small network needs no other engines: then the first and the third
//! thread find that network in the table and build nothing.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use ludorum_chain::{Chain, ChainError, ChainSettings};
use ludorum_ground::GroundBudget;
use ludorum_lanes::{Backend, Lanes, StagedLanes};
use ludorum_orand::{Orand, OrandSettings};
use ludorum_propnet::{CompileError, CompileLimits, CompiledGame, Differential, Propnet};
use ludorum_prover::Prover;
use ludorum_reasoner::{NetworkProgress, ReasonError, Reasoner as _, StopSignal};

use super::costs::{Candidate, Costs, Question};
use super::in_play::InPlay;
use super::measure::{Samples, agree, measure, measure_long_playouts};
use super::on_network::OnNetwork;
use super::on_rules::OnRules;
use super::public::{NetworkIds, PublicIds};
use super::table::EngineTable;
use crate::settings::{EngineSettings, StageWhen};

/// Memory limit of grounding. Building the network takes some more, and everything has to fit in
/// 4 GiB.
const MAX_GROUND_MEMORY: u64 = 5 << 29;
/// Memory limit of each engine on the rules, for every fork.
const MAX_RULES_MEMORY: usize = 256 << 20;
/// The longest time that the threads wait for the first query to be answered before they start.
const HEAD_START: Duration = Duration::from_millis(60);
/// The time that the network has before other engines are built as well.
const NETWORK_HEAD_START: Duration = Duration::from_millis(40);
/// Time limits of building engines on the rules.
const ORAND_BUILD_TIME: Duration = Duration::from_secs(5);
const CHAIN_BUILD_TIME: Duration = Duration::from_secs(30);
/// CPU time of the first attempt to build forward chaining, which takes time from the network.
const QUICK_CHAIN_TIME: Duration = Duration::from_secs(2);
/// No more engines on the rules are built where answers take less than this, in seconds.
const FAST_ENOUGH: f64 = 125e-6;
/// Lanes on staged rules are built if there is no network after this time.
const STAGED_HEAD_START: Duration = Duration::from_millis(750);
/// They are also built if the network has more components than this. Lanes are fast on smaller ones.
const LARGE_NETWORK: usize = 60_000;
/// Time limits of staging a game: its grounding, and all.
const STAGED_GROUND_TIME: Duration = Duration::from_secs(10);
const STAGED_BUILD_TIME: Duration = Duration::from_secs(20);
/// Memory limit of grounding staged rules.
const STAGED_GROUND_MEMORY: u64 = 1 << 30;
/// The largest circuit that is compiled for lanes, in wires: some 2 GiB in all.
const MAX_WIRES: usize = 1 << 24;

/// Where the costs of engines come from.
#[derive(Clone, Copy, Debug)]
pub(super) enum CostSource {
    Measured,
    /// For tests, which must not depend on the clock.
    #[cfg(test)]
    Fixed(fn(Candidate) -> Costs),
}

/// The work of a thread.
type Work = fn(&Builders);

/// What the threads build from.
#[derive(Debug)]
pub(super) struct Builders {
    table: Arc<EngineTable>,
    game: Arc<CompiledGame>,
    prover: Prover,
    limits: CompileLimits,
    chain: ChainSettings,
    orand: OrandSettings,
    stage: StageWhen,
    source: CostSource,
    samples: Mutex<Option<Arc<Samples>>>,
    begin: Instant,
}

impl Builders {
    pub(super) fn new(
        table: Arc<EngineTable>,
        game: Arc<CompiledGame>,
        settings: &EngineSettings,
        prover: Prover,
        source: CostSource,
    ) -> Self {
        Self {
            game,
            prover,
            limits: CompileLimits {
                ground: GroundBudget {
                    max_memory: settings.limits.ground.max_memory.min(MAX_GROUND_MEMORY),
                    ..settings.limits.ground.clone()
                },
                cancel: Some(Arc::clone(&table.cancel)),
                ..settings.limits.clone()
            },
            chain: ChainSettings {
                cancel: Some(Arc::clone(&table.enough)),
                max_bytes: settings.chain.max_bytes.min(MAX_RULES_MEMORY),
                ..settings.chain.clone()
            },
            orand: OrandSettings {
                max_bytes: settings.orand.max_bytes.min(MAX_RULES_MEMORY),
                ..settings.orand
            },
            stage: settings.stage,
            source,
            samples: Mutex::new(None),
            begin: Instant::now(),
            table,
        }
    }

    /// Starts all threads.
    pub(super) fn start(self) {
        let builders = Arc::new(self);
        let work: [(&str, Work); 3] = [
            ("ludorum-network", Self::run_network),
            ("ludorum-rules", Self::run_rules),
            ("ludorum-staged", Self::run_staged),
        ];
        for (name, run) in work {
            let own = Arc::clone(&builders);
            let thread = thread::Builder::new().name(name.to_owned());
            let spawned = thread.spawn(move || {
                own.wait_for_first_answer();
                run(&own);
            });
            if let Err(error) = spawned {
                log::warn!("no thread for {name}: {error}");
                builders.table.set_network_missing(error.to_string());
                builders.table.set_progress(|progress| {
                    progress.rules = true;
                    progress.network = true;
                    progress.staged = true;
                });
            }
        }
    }

    /// Waits until the first query is answered. On a machine with few cores, building engines would
    /// slow that query down.
    fn wait_for_first_answer(&self) {
        let stop = self.stop();
        let answered = |progress: super::table::Progress, _: &_| progress.answered;
        self.table.wait_for(Some(HEAD_START), &stop, answered);
    }

    fn stop(&self) -> StopSignal {
        StopSignal {
            deadline: None,
            cancel: Some(Arc::clone(&self.table.cancel)),
        }
    }

    /// Builds the engines on the network.
    pub(super) fn run_network(&self) {
        let built = catch_unwind(AssertUnwindSafe(|| self.build_network()));
        let built = built.unwrap_or_else(|_| Err("the compiler failed".to_owned()));
        if let Err(reason) = built {
            if !self.table.is_cancelled() {
                log::warn!("there is no network of this game: {reason}");
            }
            self.table.set_network_missing(reason);
        }
        self.table.set_progress(|progress| progress.network = true);
    }

    fn build_network(&self) -> Result<(), String> {
        let problem = |error| match error {
            CompileError::Ground(verdict) => format!("cannot be grounded: {verdict}"),
            error => error.to_string(),
        };
        let network = self.game.network(&self.limits).map_err(problem)?;
        let circuit = self.game.circuit(&self.limits).map_err(problem)?;
        let evaluating = || self.limits.check("evaluating the network").map_err(problem);
        let propnet =
            Propnet::<Differential>::with_circuit(Arc::clone(&network), Arc::clone(&circuit));
        evaluating()?;
        let mut ids = self.public_ids();
        let network_ids = NetworkIds::new(Arc::clone(&network), &mut ids.vocabulary);
        let network_ids = Arc::new(network_ids);
        ids.network = Some(Arc::clone(&network_ids));
        let mut propnet = OnNetwork::new(propnet, Arc::clone(&network_ids));
        let costs = self.costs(Candidate::Propnet, &mut propnet, &mut ids, 1);
        let time = self.begin.elapsed();
        let own_ids = Arc::clone(&network_ids);
        self.table
            .put_network(own_ids, time, Box::new(propnet), costs);
        if self.is_fast_enough() {
            self.table.enough.store(true, Ordering::Relaxed);
        }
        if circuit.wire_count() > MAX_WIRES || self.table.is_cancelled() {
            return Ok(());
        }
        // The network stays in use, whatever becomes of lanes.
        let lanes = catch_unwind(AssertUnwindSafe(|| {
            let lanes = Lanes::with_circuit(network, circuit, Backend::Best);
            let mut lanes = OnNetwork::new(lanes, network_ids);
            if self.table.is_cancelled() {
                return;
            }
            let costs = self.costs(Candidate::Lanes, &mut lanes, &mut ids, Lanes::CAPACITY);
            let measured = lanes.boxed_fork();
            self.table.put(Candidate::Lanes, Box::new(lanes), costs);
            if self.table.components() > Some(LARGE_NETWORK) {
                self.measure_long_playouts(Candidate::Lanes, measured, &mut ids);
            }
        }));
        if lanes.is_err() {
            log::warn!("lanes of this game failed");
        }
        Ok(())
    }

    /// Builds the engines on the rules.
    pub(super) fn run_rules(&self) {
        // A panic must not leave others waiting.
        let built = catch_unwind(AssertUnwindSafe(|| self.build_on_rules()));
        if built.is_err() {
            log::warn!("an engine on the rules of this game failed");
        }
        self.table.set_progress(|progress| progress.rules = true);
    }

    fn build_on_rules(&self) {
        let is_there = |_, network: &NetworkProgress| *network != NetworkProgress::Compiling;
        let stop = self.stop();
        self.table
            .wait_for(Some(NETWORK_HEAD_START), &stop, is_there);
        let mut ids = self.public_ids();
        if self.is_fast_enough() {
            return;
        }
        let deadline = Some(Instant::now() + ORAND_BUILD_TIME);
        match Orand::with_deadline(self.game.rules(), self.orand, deadline) {
            Ok(orand) => {
                let mut orand = OnRules::new(orand);
                let costs = self.costs(Candidate::Orand, &mut orand, &mut ids, 1);
                self.table.put(Candidate::Orand, Box::new(orand), costs);
            }
            Err(problem) => log::info!("no interpreter: {problem}"),
        }
        let mut prover = self.prover.fork();
        prover.prepare();
        let costs = self.costs(Candidate::Prover, &mut prover, &mut ids, 1);
        self.table.put(Candidate::Prover, Box::new(prover), costs);
        if self.is_fast_enough() {
            return;
        }
        let quick = ChainSettings {
            build_time: Some(QUICK_CHAIN_TIME),
            table_time: self.chain.table_time.min(QUICK_CHAIN_TIME / 2),
            statistics_time: self.chain.statistics_time.min(QUICK_CHAIN_TIME / 4),
            ..self.chain.clone()
        };
        if self.build_chain(&quick, &mut ids) {
            return;
        }
        // It takes long. That is worth it only without a network.
        self.table.wait_for(None, &stop, is_there);
        if self.table.has_no_network() && !self.table.is_cancelled() {
            self.build_chain(&self.chain, &mut ids);
        }
    }

    /// Builds lanes on staged rules where they are wanted.
    pub(super) fn run_staged(&self) {
        let built = catch_unwind(AssertUnwindSafe(|| {
            if self.wants_staged() {
                self.build_staged();
            }
        }));
        if built.is_err() {
            log::warn!("staging this game failed");
        }
        self.table.set_progress(|progress| progress.staged = true);
    }

    /// Whether the network is large, late, or missing; or what the settings say.
    fn wants_staged(&self) -> bool {
        let wanted = match self.stage {
            StageWhen::Never => false,
            StageWhen::Always => true,
            StageWhen::Large => {
                let is_there =
                    |_, network: &NetworkProgress| *network != NetworkProgress::Compiling;
                let head_start = Some(STAGED_HEAD_START);
                self.table.wait_for(head_start, &self.stop(), is_there);
                let components = self.table.components();
                components.is_none_or(|components| components > LARGE_NETWORK)
            }
        };
        wanted && !self.table.is_cancelled()
    }

    /// Builds lanes on staged rules.
    fn build_staged(&self) {
        let ground = &self.limits.ground;
        let limits = CompileLimits {
            ground: GroundBudget {
                max_memory: ground.max_memory.min(STAGED_GROUND_MEMORY),
                max_time: ground.max_time.min(STAGED_GROUND_TIME),
                ..ground.clone()
            },
            deadline: Some(Instant::now() + STAGED_BUILD_TIME),
            ..self.limits.clone()
        };
        match StagedLanes::new(self.game.rules(), &limits, Backend::Best) {
            Ok(staged) => {
                let mut ids = self.public_ids();
                let mut staged = OnRules::new(staged);
                if !self.is_right(&mut staged, &mut ids) {
                    log::warn!("staging changes this game");
                    return;
                }
                let costs = self.costs(Candidate::Staged, &mut staged, &mut ids, Lanes::CAPACITY);
                let measured = staged.boxed_fork();
                self.table.put(Candidate::Staged, Box::new(staged), costs);
                self.measure_long_playouts(Candidate::Staged, measured, &mut ids);
            }
            Err(problem) => log::info!("the game is not staged: {problem}"),
        }
    }

    /// Whether lanes on staged rules agree with the cheapest engine on some states. The rewriting of
    /// rules is the longest step from a sheet to an engine, and a mistake in it would not show
    /// otherwise.
    fn is_right(&self, staged: &mut dyn InPlay, ids: &mut PublicIds) -> bool {
        let costs = self.table.snapshot().costs;
        let best = costs.best(Question::State, 1, f64::INFINITY);
        let reference = self.table.fork(best);
        let mut reference = reference.map_or_else(|| self.prover.boxed_fork(), |(fork, _)| fork);
        ids.network = self.table.snapshot().ids;
        let roles = self.prover.roles().len();
        let agree = agree(staged, reference.as_mut(), ids, roles, &self.table.cancel);
        agree.unwrap_or_else(|error| {
            log::info!("lanes on staged rules could not be compared: {error}");
            error == ReasonError::Stopped
        })
    }

    /// Builds forward chaining. Gives false if there was not enough time.
    fn build_chain(&self, settings: &ChainSettings, ids: &mut PublicIds) -> bool {
        let deadline = Some(Instant::now() + CHAIN_BUILD_TIME);
        match Chain::new(self.game.rules(), settings, deadline) {
            Ok(chain) => {
                let mut chain = OnRules::new(chain);
                let costs = self.costs(Candidate::Chain, &mut chain, ids, 1);
                self.table.put(Candidate::Chain, Box::new(chain), costs);
                true
            }
            Err(stop) => {
                log::info!("no forward chaining: {stop}");
                stop != ChainError::Late
            }
        }
    }

    /// Whether there is no need for more engines on the rules.
    fn is_fast_enough(&self) -> bool {
        let costs = self.table.snapshot().costs;
        let is_fast = |question| {
            let best = costs.best(question, 1, f64::INFINITY);
            let cost = costs.cost(best, question);
            cost.is_some_and(|cost| cost.of(1) <= FAST_ENOUGH)
        };
        self.table.is_cancelled() || Question::ALL.into_iter().all(is_fast)
    }

    fn public_ids(&self) -> PublicIds {
        PublicIds::new(self.prover.shared_vocabulary())
    }

    /// The costs of an engine that takes up to `width` questions at once.
    fn costs(
        &self,
        candidate: Candidate,
        engine: &mut dyn InPlay,
        ids: &mut PublicIds,
        width: usize,
    ) -> Costs {
        match self.source {
            CostSource::Measured => {
                let samples = self.samples(engine, ids);
                let costs = measure(engine, ids, &samples, width, &self.table.cancel);
                costs.unwrap_or_else(|error| {
                    log::info!("{} cannot be measured: {error}", candidate.name());
                    Costs::UNKNOWN
                })
            }
            #[cfg(test)]
            CostSource::Fixed(costs) => costs(candidate),
        }
    }

    /// Replaces the cost of playouts on lanes by that of long playouts, where lanes of two kinds are
    /// compared. In the late part of a game most candidates of a staged draw may fail.
    fn measure_long_playouts(
        &self,
        candidate: Candidate,
        mut engine: Box<dyn InPlay>,
        ids: &mut PublicIds,
    ) {
        match self.source {
            CostSource::Measured => {}
            #[cfg(test)]
            CostSource::Fixed(_) => return,
        }
        let samples = self.samples(engine.as_mut(), ids);
        let width = Lanes::CAPACITY;
        let cost = measure_long_playouts(engine.as_mut(), ids, &samples, width, &self.table.cancel);
        if let Some(cost) = cost {
            self.table.set_cost(candidate, Question::Playout, cost);
        }
    }

    /// The positions on which engines are measured: those that the first engine gets to. The walk
    /// of any engine is the same, unless it is too slow to get anywhere.
    fn samples(&self, engine: &mut dyn InPlay, ids: &mut PublicIds) -> Arc<Samples> {
        let mut samples = self.samples.lock().unwrap_or_else(PoisonError::into_inner);
        let roles = self.prover.roles().len();
        let made = match samples.take() {
            Some(made) if made.has_moves() => made,
            _ => Arc::new(Samples::walk(engine, ids, roles, &self.table.cancel)),
        };
        *samples = Some(Arc::clone(&made));
        made
    }
}
