//! Playouts of games that cannot be grounded: left to forward chaining where that is faster than proving.
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
                let (own, other) = (steps_in_time(&mut chain), steps_in_time(prover));
                log::info!("in {TRIAL:?}: {own} steps by chaining, {other} by proving");
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

/// How many steps of random play an engine makes in the time of the trial.
fn steps_in_time<R: Reasoner>(reasoner: &mut R) -> u64 {
    let end = Instant::now() + TRIAL;
    reasoner.set_deadline(Some(end));
    let mut steps = 0;
    let mut dice = Dice::new(1);
    if let Ok(start) = reasoner.initial() {
        while Instant::now() < end {
            match reasoner.playout(&start, &mut dice, TRIAL_STEPS) {
                Ok(playout) => steps += u64::from(playout.steps),
                Err(_) => break,
            }
        }
    }
    reasoner.set_deadline(None);
    steps
}
