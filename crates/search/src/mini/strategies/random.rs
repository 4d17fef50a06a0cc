//! Random (Świechowski 2015, section 3.3.1): every move has the same probability.

use ludorum_reasoner::ReasonError;

use crate::mini::strategy::{DecisionView, Lookahead, MoveValue, Strategy, StrategyKind};

/// Prefers no move.
#[derive(Debug)]
pub(crate) struct Random;

impl Strategy for Random {
    fn kind(&self) -> StrategyKind {
        StrategyKind::Random
    }

    fn lookahead(&self) -> Lookahead {
        Lookahead::Moves
    }

    fn evaluate(
        &mut self,
        view: &DecisionView<'_>,
        move_values: &mut Vec<MoveValue>,
    ) -> Result<(), ReasonError> {
        move_values.resize(view.legal.len(), MoveValue::plain(0.0));
        Ok(())
    }

    fn scores(&self) -> Option<Vec<f32>> {
        Some(Vec::new())
    }
}
