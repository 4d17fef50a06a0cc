//! What strategies derive from the rules, computed once for all roles and threads.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use ludorum_logic::Rules;
use ludorum_orand::{Orand, OrandSettings};
use ludorum_reasoner::Reasoner as _;

use super::strategies::score::template::{self, Candidate};
use super::strategy::StrategyKind;
use crate::mcts::SearchBudget;

/// The share of the time before the first answer for building goal trees.
const SHARE: f64 = 0.1;
/// The maximum time for building goal trees.
const MAX_TIME: Duration = Duration::from_secs(5);

/// The rules and what was derived from them.
#[derive(Debug, Default)]
pub(super) struct RuleAnalysis {
    rules: Option<Arc<Rules>>,
    /// The interpreter for goal degrees; `None` inside if it was not ready in time.
    orand: OnceLock<Option<Mutex<Orand>>>,
    scores: OnceLock<Vec<Candidate>>,
}

impl RuleAnalysis {
    /// For rules, if they are known. Nothing is computed yet.
    pub(super) fn new(rules: Option<Arc<Rules>>) -> Self {
        Self {
            rules,
            ..Self::default()
        }
    }

    /// Computes what some strategies need, within a share of the time. With a budget of simulations
    /// clocks must not influence the result.
    pub(super) fn prepare(&self, kinds: &[StrategyKind], span: SearchBudget) {
        let Some(rules) = &self.rules else {
            return;
        };
        if kinds.contains(&StrategyKind::Goal) {
            self.orand.get_or_init(|| {
                let now = Instant::now();
                let time = match span.until {
                    Some(until) => until.saturating_duration_since(now).mul_f64(SHARE),
                    None => MAX_TIME,
                };
                let deadline = (span.simulations == 0).then(|| now + time.min(MAX_TIME));
                let settings = OrandSettings::default();
                let orand = Orand::with_deadline(rules, settings, deadline);
                orand.ok().map(|mut orand| {
                    // The deadline covers what forks prepare as well.
                    orand.set_deadline(deadline);
                    Mutex::new(orand)
                })
            });
        }
        if kinds.contains(&StrategyKind::Score) {
            self.scores.get_or_init(|| template::candidates(rules));
        }
    }

    /// A fork of the interpreter, if there is one.
    pub(super) fn orand(&self) -> Option<Orand> {
        let orand = self.orand.get()?.as_ref()?;
        let orand = orand.lock().unwrap_or_else(PoisonError::into_inner);
        Some(orand.fork())
    }

    /// The fluents that may hold the score.
    pub(super) fn scores(&self) -> &[Candidate] {
        self.scores.get().map_or(&[], |scores| scores)
    }
}
