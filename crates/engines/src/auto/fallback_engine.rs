//! Speed comparisons between engines, for games that are too large for a network or nearly so.
//!
//! The network is compared with the prover, and the prover with the two other engines that need no
//! ground program. The fastest of those becomes the fallback engine for playouts.
//!
//! The prover keeps answering single queries, with its states and move ids. The result of a playout
//! contains neither, so another engine can play it. Only the first state has to be converted.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use ludorum_logic::Rules;

use ludorum_chain::{Chain, ChainSettings};
use ludorum_orand::{Orand, OrandSettings};
use ludorum_prover::Prover;
use ludorum_reasoner::{Playout, ReasonError, Reasoner, Rng};

/// Time limit for building the forward chaining engine, which can be cancelled.
const CHAIN_BUILD_TIME: Duration = Duration::from_secs(30);

/// Time limit for building the OR-AND interpreter, which cannot be cancelled.
const ORAND_BUILD_TIME: Duration = Duration::from_secs(5);

/// Time limit of the speed measurement of one engine.
const MEASURING_TIME: Duration = Duration::from_millis(250);

/// Step limit of a playout in the measurement. Playouts are short, so that slow engines finish some.
const MEASURED_PLAYOUT_STEPS: u32 = 8;

/// An engine that plays playouts from a state of the prover.
#[derive(Debug)]
pub(super) enum FallbackEngine {
    Chain(Box<Chain>),
    Orand(Box<Orand>),
}

/// The limits of a playout.
pub(super) struct PlayoutLimits {
    pub(super) steps: u32,
    pub(super) deadline: Option<Instant>,
    pub(super) cancel: Option<Arc<AtomicBool>>,
}

impl FallbackEngine {
    /// The name of the engine.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Chain(_) => "chain",
            Self::Orand(_) => "orand",
        }
    }

    pub(super) fn fork(&self) -> Self {
        match self {
            Self::Chain(chain) => Self::Chain(Box::new(chain.fork())),
            Self::Orand(orand) => Self::Orand(Box::new(orand.fork())),
        }
    }

    /// A random playout from the state with these facts. `None` if the engine cannot represent the
    /// state or exceeds its budget. The prover can play it then.
    pub(super) fn playout(
        &mut self,
        facts: &[String],
        rng: &mut Rng,
        limits: PlayoutLimits,
    ) -> Option<Result<Playout, ReasonError>> {
        match self {
            Self::Chain(chain) => playout(chain.as_mut(), facts, rng, limits),
            Self::Orand(orand) => playout(orand.as_mut(), facts, rng, limits),
        }
    }

    fn steps_per_second(&mut self) -> f64 {
        match self {
            Self::Chain(chain) => steps_per_second(chain.as_mut()),
            Self::Orand(orand) => steps_per_second(orand.as_mut()),
        }
    }
}

fn playout<R: Reasoner>(
    engine: &mut R,
    facts: &[String],
    rng: &mut Rng,
    limits: PlayoutLimits,
) -> Option<Result<Playout, ReasonError>> {
    let state = engine.state_from_facts(facts).ok()?;
    engine.set_deadline(limits.deadline);
    engine.set_cancel(limits.cancel);
    match engine.playout(&state, rng, limits.steps) {
        Err(ReasonError::Budget(_)) => None,
        played => Some(played),
    }
}

/// How the candidates for the fallback engine are built.
#[derive(Clone, Debug)]
pub(super) struct FallbackSettings {
    /// Contains the cancel flag for all candidates.
    pub(super) chain: ChainSettings,
    pub(super) orand: OrandSettings,
}

impl FallbackSettings {
    fn is_cancelled(&self) -> bool {
        let flag = self.chain.cancel.as_ref();
        flag.is_some_and(|flag| flag.load(Ordering::Relaxed))
    }
}

/// A slot for the fallback engine. It is filled once: with an engine, or with `None` for good.
#[derive(Debug, Default)]
pub(super) struct FallbackSlot(OnceLock<Option<Mutex<FallbackEngine>>>);

impl FallbackSlot {
    /// Builds the candidates and keeps the fastest one, if it is faster than the prover.
    pub(super) fn fill(
        &self,
        rules: &Arc<Rules>,
        prover: &mut Prover,
        settings: &FallbackSettings,
    ) {
        let mut fastest = None;
        let mut most = steps_per_second(prover);
        log::info!("{most:.0} steps per second by proving");
        for make in [chain, orand] {
            if settings.is_cancelled() {
                return self.fill_with_none();
            }
            let Some(mut engine) = make(rules, settings) else {
                continue;
            };
            let speed = engine.steps_per_second();
            log::info!("{speed:.0} steps per second by {}", engine.name());
            if speed > most {
                most = speed;
                fastest = Some(Mutex::new(engine));
            }
        }
        let _ = self.0.set(fastest);
    }

    /// Fills the slot with no engine.
    pub(super) fn fill_with_none(&self) {
        let _ = self.0.set(None);
    }

    pub(super) fn wait(&self) {
        self.0.wait();
    }

    /// The name of the engine, if there is one.
    pub(super) fn name(&self) -> Option<&'static str> {
        let engine = self.0.get()?.as_ref()?;
        let engine = engine.lock().unwrap_or_else(PoisonError::into_inner);
        Some(engine.name())
    }

    /// A fork of the engine.
    pub(super) fn fork(&self) -> Option<FallbackEngine> {
        let engine = self.0.get()?.as_ref()?;
        let engine = engine.lock().unwrap_or_else(PoisonError::into_inner);
        Some(engine.fork())
    }
}

fn chain(rules: &Arc<Rules>, settings: &FallbackSettings) -> Option<FallbackEngine> {
    let deadline = Instant::now() + CHAIN_BUILD_TIME;
    match Chain::new(rules, &settings.chain, Some(deadline)) {
        Ok(chain) => Some(FallbackEngine::Chain(Box::new(chain))),
        Err(stop) => {
            log::info!("no forward chaining: {stop}");
            None
        }
    }
}

fn orand(rules: &Arc<Rules>, settings: &FallbackSettings) -> Option<FallbackEngine> {
    let deadline = Instant::now() + ORAND_BUILD_TIME;
    match Orand::with_deadline(rules, settings.orand, Some(deadline)) {
        Ok(orand) => Some(FallbackEngine::Orand(Box::new(orand))),
        Err(problem) => {
            log::info!("no interpreter: {problem}");
            None
        }
    }
}

/// A measurement ends after this many steps.
const MEASURED_STEPS: u64 = 2_000;

/// A network with at least this many steps per second is not compared with the prover.
const FAST_ENOUGH: f64 = 8_000.0;

/// The factor by which the prover must be faster than the network to stay. It is above 1 because
/// the measurements are short.
const CLEARLY_FASTER: f64 = 2.0;

/// The reason not to switch to a network, if there is one. In a huge network, evaluating a state can
/// take longer than proving the answers to the queries about it.
pub(super) fn slower_than_proving<R: Reasoner>(
    network: &mut R,
    prover: &mut Prover,
) -> Option<String> {
    let network_speed = steps_per_second(network);
    if network_speed >= FAST_ENOUGH {
        return None;
    }
    prover.prepare();
    let prover_speed = steps_per_second(prover);
    log::info!("{network_speed:.0} steps per second by the network, {prover_speed:.0} by proving");
    (prover_speed > network_speed.max(1.0) * CLEARLY_FASTER).then(|| {
        format!("proving is faster than its network: {prover_speed:.0} steps per second, against {network_speed:.0}")
    })
}

/// The number of steps of random playouts per second, by a short measurement.
#[allow(clippy::cast_precision_loss)] // small numbers
fn steps_per_second<R: Reasoner>(reasoner: &mut R) -> f64 {
    let begin = Instant::now();
    let end = begin + MEASURING_TIME;
    reasoner.set_deadline(Some(end));
    let mut steps = 0;
    let mut rng = Rng::new(1);
    if let Ok(start) = reasoner.initial() {
        while Instant::now() < end && steps < MEASURED_STEPS {
            match reasoner.playout(&start, &mut rng, MEASURED_PLAYOUT_STEPS) {
                Ok(playout) => steps += u64::from(playout.steps.max(1)),
                Err(_) => break,
            }
        }
    }
    reasoner.set_deadline(None);
    steps as f64 / begin.elapsed().as_secs_f64().max(1e-9)
}
