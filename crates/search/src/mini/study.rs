//! What strategies take from the rules themselves, made once for all roles and threads.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use ludorum_logic::Rules;
use ludorum_orand::{Orand, OrandSettings};
use ludorum_reasoner::Reasoner as _;

use super::strategies::score::template::{self, Candidate};
use super::strategy::Kind;
use crate::mcts::SearchBudget;

/// The part of the time until the first answer that may go into the trees of goals,
const SHARE: f64 = 0.1;
/// and the most.
const LONGEST: Duration = Duration::from_secs(5);

/// The rules, studied.
#[derive(Debug, Default)]
pub(super) struct Study {
    rules: Option<Arc<Rules>>,
    /// An interpreter for degrees of goals; none inside if it was not ready in time.
    orand: OnceLock<Option<Mutex<Orand>>>,
    scores: OnceLock<Vec<Candidate>>,
}

impl Study {
    /// Of rules, where they are known. Nothing is done yet.
    pub(super) fn new(rules: Option<Arc<Rules>>) -> Self {
        Self {
            rules,
            ..Self::default()
        }
    }

    /// Does what some strategies need, within a part of the time there is. With a budget of
    /// simulations clocks are to make no difference.
    pub(super) fn prepare(&self, kinds: &[Kind], span: SearchBudget) {
        let Some(rules) = &self.rules else {
            return;
        };
        if kinds.contains(&Kind::Goal) {
            self.orand.get_or_init(|| {
                let now = Instant::now();
                let time = match span.until {
                    Some(until) => until.saturating_duration_since(now).mul_f64(SHARE),
                    None => LONGEST,
                };
                let deadline = (span.simulations == 0).then(|| now + time.min(LONGEST));
                let settings = OrandSettings::default();
                let orand = Orand::with_deadline(rules, settings, deadline);
                orand.ok().map(|mut orand| {
                    // What forks prepare is a part of it.
                    orand.set_deadline(deadline);
                    Mutex::new(orand)
                })
            });
        }
        if kinds.contains(&Kind::Score) {
            self.scores.get_or_init(|| template::candidates(rules));
        }
    }

    /// An interpreter of the game, if there is one.
    pub(super) fn orand(&self) -> Option<Orand> {
        let orand = self.orand.get()?.as_ref()?;
        let orand = orand.lock().unwrap_or_else(PoisonError::into_inner);
        Some(orand.fork())
    }

    /// The functions of fluents that may keep the score.
    pub(super) fn scores(&self) -> &[Candidate] {
        self.scores.get().map_or(&[], |scores| scores)
    }
}
