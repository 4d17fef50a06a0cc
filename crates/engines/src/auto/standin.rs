//! Comparisons of engines for games that are too large for a network, or nearly so: the network
//! with the prover, and the prover with the two other engines that need no ground rules, to the
//! faster of which playouts are left.
//!
//! The prover goes on answering questions, with its states and its numbers of moves. A playout
//! gives neither away, so another engine can play it: only its first state has to be translated.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use ludorum_logic::Rules;

use ludorum_chain::{Chain, ChainSettings};
use ludorum_orand::{Orand, OrandSettings};
use ludorum_prover::Prover;
use ludorum_reasoner::{Playout, ReasonError, Reasoner, Rng};

/// So long it may take to make forward chaining, which can be told to stop.
const CHAINING: Duration = Duration::from_secs(30);

/// So long it may take to make the interpreter, which cannot.
const INTERPRETING: Duration = Duration::from_secs(5);

/// So long each engine plays to show how fast it is.
const TRIAL: Duration = Duration::from_millis(250);

/// The steps of a playout in the trial: short ones, so that slow engines get through some.
const TRIAL_STEPS: u32 = 8;

/// An engine that plays to the end from a state of the prover.
#[derive(Debug)]
pub(super) enum Standin {
    Chain(Box<Chain>),
    Orand(Box<Orand>),
}

/// What playing to the end has to keep to.
pub(super) struct Bounds {
    pub(super) steps: u32,
    pub(super) deadline: Option<Instant>,
    pub(super) cancel: Option<Arc<AtomicBool>>,
}

impl Standin {
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

    /// Plays at random from the state with these facts. None if it is one that no play can reach,
    /// or if the engine would need too much: the prover can play it.
    pub(super) fn playout(
        &mut self,
        facts: &[String],
        rng: &mut Rng,
        bounds: Bounds,
    ) -> Option<Result<Playout, ReasonError>> {
        match self {
            Self::Chain(chain) => playout(chain.as_mut(), facts, rng, bounds),
            Self::Orand(orand) => playout(orand.as_mut(), facts, rng, bounds),
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
    bounds: Bounds,
) -> Option<Result<Playout, ReasonError>> {
    let state = engine.state_from_facts(facts).ok()?;
    engine.set_deadline(bounds.deadline);
    engine.set_cancel(bounds.cancel);
    match engine.playout(&state, rng, bounds.steps) {
        Err(ReasonError::Budget(_)) => None,
        played => Some(played),
    }
}

/// How the engines that may stand in are made.
#[derive(Clone, Debug)]
pub(super) struct StandinSettings {
    /// With the flag that ends the making of any.
    pub(super) chain: ChainSettings,
    pub(super) orand: OrandSettings,
}

impl StandinSettings {
    fn is_cancelled(&self) -> bool {
        let flag = self.chain.cancel.as_ref();
        flag.is_some_and(|flag| flag.load(Ordering::Relaxed))
    }
}

/// An engine for playouts that is there later, or never.
#[derive(Debug, Default)]
pub(super) struct LateStandin(OnceLock<Option<Mutex<Standin>>>);

impl LateStandin {
    /// Makes the engines and keeps the fastest if it plays faster than the prover.
    pub(super) fn make(&self, rules: &Arc<Rules>, prover: &mut Prover, settings: &StandinSettings) {
        let mut fastest = None;
        let mut most = steps_per_second(prover);
        log::info!("{most:.0} steps a second by proving");
        for make in [chain, orand] {
            if settings.is_cancelled() {
                return self.give_up();
            }
            let Some(mut standin) = make(rules, settings) else {
                continue;
            };
            let own = standin.steps_per_second();
            log::info!("{own:.0} steps a second by {}", standin.name());
            if own > most {
                most = own;
                fastest = Some(Mutex::new(standin));
            }
        }
        let _ = self.0.set(fastest);
    }

    /// There will be none.
    pub(super) fn give_up(&self) {
        let _ = self.0.set(None);
    }

    pub(super) fn wait(&self) {
        self.0.wait();
    }

    /// The name of the engine, if there is one.
    pub(super) fn name(&self) -> Option<&'static str> {
        let standin = self.0.get()?.as_ref()?;
        let standin = standin.lock().unwrap_or_else(PoisonError::into_inner);
        Some(standin.name())
    }

    /// A fork of the engine.
    pub(super) fn fork(&self) -> Option<Standin> {
        let standin = self.0.get()?.as_ref()?;
        let standin = standin.lock().unwrap_or_else(PoisonError::into_inner);
        Some(standin.fork())
    }
}

fn chain(rules: &Arc<Rules>, settings: &StandinSettings) -> Option<Standin> {
    let deadline = Instant::now() + CHAINING;
    match Chain::new(rules, &settings.chain, Some(deadline)) {
        Ok(chain) => Some(Standin::Chain(Box::new(chain))),
        Err(stop) => {
            log::info!("no forward chaining: {stop}");
            None
        }
    }
}

fn orand(rules: &Arc<Rules>, settings: &StandinSettings) -> Option<Standin> {
    let deadline = Instant::now() + INTERPRETING;
    match Orand::with_deadline(rules, settings.orand, Some(deadline)) {
        Ok(orand) => Some(Standin::Orand(Box::new(orand))),
        Err(problem) => {
            log::info!("no interpreter: {problem}");
            None
        }
    }
}

/// After so many steps a trial is over.
const MANY_STEPS: u64 = 2_000;

/// A network that makes so many steps a second needs no comparison.
const FAST: f64 = 8_000.0;

/// How many times as fast as the network the prover must be to stay: a trial is short.
const CLEARLY: f64 = 2.0;

/// Why a network is not worth going over to, if it is not: in huge ones a state can take longer
/// than proving what is asked about it.
pub(super) fn slower_than_proving<R: Reasoner>(
    network: &mut R,
    prover: &mut Prover,
) -> Option<String> {
    let own = steps_per_second(network);
    if own >= FAST {
        return None;
    }
    prover.prepare();
    let other = steps_per_second(prover);
    log::info!("{own:.0} steps a second by the network, {other:.0} by proving");
    (other > own.max(1.0) * CLEARLY).then(|| {
        format!("proving is faster than its network: {other:.0} steps a second, against {own:.0}")
    })
}

/// How many steps of random play an engine makes in a second, by a short trial.
#[allow(clippy::cast_precision_loss)] // few
fn steps_per_second<R: Reasoner>(reasoner: &mut R) -> f64 {
    let begin = Instant::now();
    let end = begin + TRIAL;
    reasoner.set_deadline(Some(end));
    let mut steps = 0;
    let mut rng = Rng::new(1);
    if let Ok(start) = reasoner.initial() {
        while Instant::now() < end && steps < MANY_STEPS {
            match reasoner.playout(&start, &mut rng, TRIAL_STEPS) {
                Ok(playout) => steps += u64::from(playout.steps.max(1)),
                Err(_) => break,
            }
        }
    }
    reasoner.set_deadline(None);
    steps as f64 / begin.elapsed().as_secs_f64().max(1e-9)
}
