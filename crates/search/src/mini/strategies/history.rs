//! History heuristic (Świechowski 2015, section 3.3.3; MAST in Finnsson and Björnsson 2008):
//! prefers moves with a high mean goal in other simulations.

use std::collections::VecDeque;

use ludorum_reasoner::{MoveHistory, MoveId, ReasonError, Role};
use rustc_hash::FxHashMap;

use crate::mini::strategy::{
    DecisionView, FinishedSimulation, Lookahead, MoveValue, Strategy, StrategyKind,
};

/// The maximum number of moves with a record. Beyond it the oldest record is replaced.
pub(crate) const MAX_MOVES: usize = 1 << 15;

/// The number of simulations with a move, and the sum of their goals.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct StrategyRecord {
    simulations: u64,
    points: u64,
}

impl StrategyRecord {
    #[allow(clippy::cast_precision_loss)] // counts far below 2^52
    fn mean(self) -> f64 {
        self.points as f64 / self.simulations.max(1) as f64
    }
}

/// Prefers the known move with the highest mean.
#[derive(Debug)]
pub(crate) struct HistoryHeuristic {
    role: Role,
    most: usize,
    records: FxHashMap<MoveId, StrategyRecord>,
    /// The moves with a record, the oldest record first.
    order: VecDeque<MoveId>,
}

impl HistoryHeuristic {
    pub(crate) fn new(role: Role, most: usize) -> Self {
        Self {
            role,
            most: most.max(1),
            records: FxHashMap::default(),
            order: VecDeque::new(),
        }
    }

    fn add(&mut self, id: MoveId, simulations: u64, points: u64) {
        if simulations == 0 {
            return;
        }
        if !self.records.contains_key(&id) {
            if self.records.len() >= self.most
                && let Some(oldest) = self.order.pop_front()
            {
                self.records.remove(&oldest);
            }
            self.order.push_back(id);
        }
        let record = self.records.entry(id).or_default();
        record.simulations += simulations;
        record.points += points;
    }
}

impl Strategy for HistoryHeuristic {
    fn kind(&self) -> StrategyKind {
        StrategyKind::History
    }

    fn lookahead(&self) -> Lookahead {
        Lookahead::Moves
    }

    fn evaluate(
        &mut self,
        view: &DecisionView<'_>,
        move_values: &mut Vec<MoveValue>,
    ) -> Result<(), ReasonError> {
        // Moves without a record are equal, so one is chosen at random.
        let mean = |id| self.records.get(id).map_or(-1.0, |record| record.mean());
        move_values.extend(view.legal.iter().map(|id| MoveValue::plain(mean(id))));
        Ok(())
    }

    fn scores(&self) -> Option<Vec<f32>> {
        let last = self.records.keys().max().map_or(0, |id| id.index() + 1);
        // A move without a record is worse than any other.
        let mut scores = vec![0.0; last];
        for (id, record) in &self.records {
            #[allow(clippy::cast_possible_truncation)] // a score needs no more
            let score = (record.mean() + 1.0) as f32;
            scores[id.index()] = score;
        }
        Some(scores)
    }

    fn observe_end(
        &mut self,
        simulation: &FinishedSimulation<'_>,
        _: &crate::mini::fluent_terms::FluentTerms,
    ) {
        let moves = simulation.moves.get(self.role);
        let goal = simulation.goals.get(self.role).copied().flatten();
        if let (Some(moves), Some(goal)) = (moves, goal) {
            for id in moves {
                self.add(*id, 1, u64::from(goal));
            }
        }
    }

    fn observe_moves(&mut self, history: &MoveHistory) {
        let Some(records) = history.moves.get(self.role) else {
            return;
        };
        for (number, record) in records.iter().enumerate() {
            self.add(MoveId(number as u32), record.playouts, record.points);
        }
    }
}

#[cfg(test)]
mod tests {
    use ludorum_reasoner::MoveTotals;

    use super::*;
    use crate::mini::fluent_terms::FluentTerms;

    fn learn(history: &mut HistoryHeuristic, moves: &[u32], goal: u8) {
        let moves = moves.iter().copied().map(MoveId).collect();
        let simulation = FinishedSimulation {
            moves: &[moves],
            goals: &[Some(goal)],
            last: &[],
        };
        history.observe_end(&simulation, &FluentTerms::default());
    }

    fn values(history: &mut HistoryHeuristic, legal: &[u32]) -> Vec<f64> {
        let legal: Vec<MoveId> = legal.iter().copied().map(MoveId).collect();
        let view = DecisionView {
            fluent_terms: &FluentTerms::default(),
            legal: &legal,
            recent_states: &[],
            successors: &[],
        };
        let mut move_values = Vec::new();
        history.evaluate(&view, &mut move_values).unwrap();
        move_values.iter().map(|value| value.value).collect()
    }

    #[test]
    fn a_move_has_its_mean_as_value_and_an_unknown_move_less_than_any() {
        let mut history = HistoryHeuristic::new(0, MAX_MOVES);
        learn(&mut history, &[1, 2], 100);
        learn(&mut history, &[2, 3], 0);
        learn(&mut history, &[2], 50);
        // By hand: 100 / 1, (100 + 0 + 50) / 3, 0 / 1.
        assert_eq!(
            values(&mut history, &[1, 2, 3, 4]),
            [100.0, 50.0, 0.0, -1.0]
        );
        let scores = history.scores().unwrap();
        assert_eq!(scores, [0.0, 101.0, 51.0, 1.0]);
    }

    #[test]
    fn a_new_move_replaces_the_oldest_record() {
        let mut history = HistoryHeuristic::new(0, 2);
        learn(&mut history, &[1], 100);
        learn(&mut history, &[2], 100);
        // It has the oldest record, although it was played again just now.
        learn(&mut history, &[1], 100);
        learn(&mut history, &[3], 100);
        assert_eq!(values(&mut history, &[1, 2, 3]), [-1.0, 100.0, 100.0]);
        assert_eq!(MAX_MOVES, 32_768);
    }

    #[test]
    fn moves_of_engine_playouts_are_recorded() {
        let mut history = HistoryHeuristic::new(1, MAX_MOVES);
        let record = |playouts, points| MoveTotals { playouts, points };
        let mut played = MoveHistory::new(2);
        played.moves[0] = vec![record(9, 900)];
        played.moves[1] = vec![record(0, 0), record(4, 100)];
        history.observe_moves(&played);
        assert_eq!(values(&mut history, &[0, 1]), [-1.0, 25.0]);
    }
}
