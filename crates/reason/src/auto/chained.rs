//! Comparisons of engines for games that are too large for a network, or nearly so: the network with the prover, and the prover with forward chaining, to which playouts are left
//! where it is faster.
//!
//! The prover goes on answering questions, with its states and its numbers of moves. A playout gives neither away, so another engine can play it: only its first
//! state has to be translated.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use ludorum_logic::Rules;

use crate::chain::{Chain, ChainSettings};
use crate::contract::Reasoner;
use crate::dice::Dice;
use crate::prover::Prover;

/// So long it may take to make the engine.
const MAKING: Duration = Duration::from_secs(30);

/// So long each of the two engines plays to show how fast it is.
const TRIAL: Duration = Duration::from_millis(250);

/// The steps of a playout in the trial: short ones, so that slow engines get through some.
const TRIAL_STEPS: u32 = 8;

/// An engine for playouts that is there later, or never.
#[derive(Debug, Default)]
pub(super) struct LateChain(OnceLock<Option<Mutex<Chain>>>);

impl LateChain {
    /// Makes the engine and keeps it if it plays faster than the prover.
    pub(super) fn make(&self, rules: &Arc<Rules>, prover: &mut Prover, settings: &ChainSettings) {
        let deadline = Instant::now() + MAKING;
        let made = match Chain::new(rules, settings, Some(deadline)) {
            Ok(mut chain) => {
                if settings
                    .cancel
                    .as_ref()
                    .is_some_and(|flag| flag.load(Ordering::Relaxed))
                {
                    return self.give_up();
                }
                let (own, other) = (steps_per_second(&mut chain), steps_per_second(prover));
                log::info!("{own:.0} steps a second by chaining, {other:.0} by proving");
                (own > other).then(|| Mutex::new(chain))
            }
            Err(stop) => {
                log::info!("no forward chaining: {stop}");
                None
            }
        };
        let _ = self.0.set(made);
    }

    /// There will be none.
    pub(super) fn give_up(&self) {
        let _ = self.0.set(None);
    }

    pub(super) fn wait(&self) {
        self.0.wait();
    }

    /// Whether there is an engine.
    pub(super) fn is_there(&self) -> bool {
        matches!(self.0.get(), Some(Some(_)))
    }

    /// A fork of the engine.
    pub(super) fn fork(&self) -> Option<Chain> {
        let chain = self.0.get()?.as_ref()?;
        let chain = chain.lock().unwrap_or_else(PoisonError::into_inner);
        Some(chain.fork())
    }
}

/// After so many steps a trial is over.
const MANY_STEPS: u64 = 2_000;

/// A network that makes so many steps a second needs no comparison.
const FAST: f64 = 8_000.0;

/// How many times as fast as the network the prover must be to stay: a trial is short.
const CLEARLY: f64 = 2.0;

/// Why a network is not worth going over to, if it is not: in huge ones a state can take longer than proving what is asked about it.
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
    let mut dice = Dice::new(1);
    if let Ok(start) = reasoner.initial() {
        while Instant::now() < end && steps < MANY_STEPS {
            match reasoner.playout(&start, &mut dice, TRIAL_STEPS) {
                Ok(playout) => steps += u64::from(playout.steps.max(1)),
                Err(_) => break,
            }
        }
    }
    reasoner.set_deadline(None);
    steps as f64 / begin.elapsed().as_secs_f64().max(1e-9)
}
