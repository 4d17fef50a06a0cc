//! Statistical Symbols Counting (section 3.3.6): states with what occurred in won simulations. The
//! [`census`](super::census) learns the weights.

use std::sync::{Arc, OnceLock};

use ludorum_reasoner::{FluentId, ReasonError, Role};

use super::census::Evaluation;
use crate::mini::lexicon::Lexicon;
use crate::mini::strategy::{Kind, Scene, Sight, Strategy, Worth};

/// Where the evaluation functions of all roles are put when the learning phase is over.
pub(crate) type Learned = Arc<OnceLock<Vec<Evaluation>>>;

/// Wants states like those of simulations that its role has won.
#[derive(Debug)]
pub(crate) struct SymbolsCounting {
    role: Role,
    learned: Learned,
    /// What each fluent is worth, by number.
    worths: Vec<Option<f64>>,
}

impl SymbolsCounting {
    pub(crate) fn new(role: Role, learned: Learned) -> Self {
        Self {
            role,
            learned,
            worths: Vec::new(),
        }
    }

    fn evaluation(&self) -> Option<&Evaluation> {
        self.learned.get()?.get(self.role)
    }

    fn worth(&mut self, id: FluentId, lexicon: &Lexicon) -> f64 {
        if let Some(Some(worth)) = self.worths.get(id.index()) {
            return *worth;
        }
        let worth = match (self.evaluation(), lexicon.fact(id)) {
            (Some(evaluation), Some(fact)) => evaluation.worth(fact),
            _ => 0.0,
        };
        if self.worths.len() <= id.index() {
            self.worths.resize(id.index() + 1, None);
        }
        self.worths[id.index()] = Some(worth);
        worth
    }
}

impl Strategy for SymbolsCounting {
    fn kind(&self) -> Kind {
        Kind::Symbols
    }

    fn sight(&self) -> Sight {
        Sight::Successors
    }

    fn is_ready(&self) -> bool {
        self.evaluation().is_some_and(|known| !known.is_empty())
    }

    fn judge(&mut self, scene: &Scene<'_>, worths: &mut Vec<Worth>) -> Result<(), ReasonError> {
        for state in scene.successors {
            let facts = state.facts.iter();
            let value: f64 = facts.map(|id| self.worth(*id, scene.lexicon)).sum();
            // Equal states may differ in the last digits by the order of their facts.
            worths.push(Worth::plain((value * 1e9).round()));
        }
        Ok(())
    }
}
