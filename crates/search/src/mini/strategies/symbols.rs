//! Statistical Symbols Counting (Świechowski 2015, section 3.3.6): prefers states with features of
//! won simulations. [`feature_statistics`](super::feature_statistics) learns the weights.

use std::sync::{Arc, OnceLock};

use ludorum_reasoner::{FluentId, ReasonError, Role};

use super::feature_statistics::Evaluation;
use crate::mini::fluent_terms::FluentTerms;
use crate::mini::strategy::{DecisionView, Lookahead, MoveValue, Strategy, StrategyKind};

/// The evaluation functions of all roles, set when the learning phase ends.
pub(crate) type LearnedEvaluations = Arc<OnceLock<Vec<Evaluation>>>;

/// Prefers successors with a high value of the learned evaluation function.
#[derive(Debug)]
pub(crate) struct SymbolsCounting {
    role: Role,
    learned: LearnedEvaluations,
    /// The value of each fluent, by number.
    move_values: Vec<Option<f64>>,
}

impl SymbolsCounting {
    pub(crate) fn new(role: Role, learned: LearnedEvaluations) -> Self {
        Self {
            role,
            learned,
            move_values: Vec::new(),
        }
    }

    fn evaluation(&self) -> Option<&Evaluation> {
        self.learned.get()?.get(self.role)
    }

    fn value(&mut self, id: FluentId, fluent_terms: &FluentTerms) -> f64 {
        if let Some(Some(value)) = self.move_values.get(id.index()) {
            return *value;
        }
        let value = match (self.evaluation(), fluent_terms.fact(id)) {
            (Some(evaluation), Some(fact)) => evaluation.value(fact),
            _ => 0.0,
        };
        if self.move_values.len() <= id.index() {
            self.move_values.resize(id.index() + 1, None);
        }
        self.move_values[id.index()] = Some(value);
        value
    }
}

impl Strategy for SymbolsCounting {
    fn kind(&self) -> StrategyKind {
        StrategyKind::Symbols
    }

    fn lookahead(&self) -> Lookahead {
        Lookahead::Successors
    }

    fn is_ready(&self) -> bool {
        self.evaluation().is_some_and(|known| !known.is_empty())
    }

    fn evaluate(
        &mut self,
        view: &DecisionView<'_>,
        move_values: &mut Vec<MoveValue>,
    ) -> Result<(), ReasonError> {
        for state in view.successors {
            let facts = state.facts.iter();
            let value: f64 = facts.map(|id| self.value(*id, view.fluent_terms)).sum();
            // Equal states may differ in the last digits because of the order of summation.
            move_values.push(MoveValue::plain((value * 1e9).round()));
        }
        Ok(())
    }
}
