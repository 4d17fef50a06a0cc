//! The strategies of one role and the selection among them.

use std::sync::Arc;
use std::time::Instant;

use ludorum_reasoner::{MoveId, Rng, Role};

use super::move_preferences::MovePreferences;
use super::select::{Selection, StrategyRecord};
use super::strategy::{Lookahead, MoveValue, Strategy, StrategyKind};
use crate::mcts::StrategyLog;

/// The strategies that may be selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Candidates {
    /// All that are ready.
    All,
    /// Those that can be followed without lookahead, by their move scores at least.
    WithoutLookahead,
    /// Those that use the legal moves only, without lookahead.
    MovesOnly,
    /// The strategy Random only.
    RandomOnly,
}

/// The strategies of a role.
#[derive(Debug)]
pub(super) struct RoleStrategies {
    role: Role,
    pub(super) strategies: Vec<Box<dyn Strategy>>,
    /// The strategy that is followed only if no other is ready, if there is one.
    fallback: Option<usize>,
    selection: Box<dyn Selection>,
    records: Vec<StrategyRecord>,
    /// The move scores of each strategy, if they are learned.
    preferences: Option<Vec<MovePreferences>>,
    strategy_log: Arc<StrategyLog>,
}

impl RoleStrategies {
    /// Strategies for a role, of which at least one is always ready. `fallback` is the index of one
    /// that is followed only if no other is ready.
    pub(super) fn new(
        role: Role,
        strategies: Vec<Box<dyn Strategy>>,
        fallback: Option<usize>,
        selection: Box<dyn Selection>,
        strategy_log: Arc<StrategyLog>,
    ) -> Self {
        Self {
            role,
            records: vec![StrategyRecord::default(); strategies.len()],
            strategies,
            fallback,
            selection,
            preferences: None,
            strategy_log,
        }
    }

    /// Starts to learn move scores, by which strategies with lookahead can be followed without it.
    pub(super) fn enable_preferences(&mut self) {
        self.preferences = Some(vec![MovePreferences::default(); self.strategies.len()]);
    }

    /// Updates the move scores of a strategy with its values of legal moves.
    pub(super) fn note(&mut self, place: usize, legal: &[MoveId], move_values: &[MoveValue]) {
        if let Some(preferences) = &mut self.preferences {
            preferences[place].note(legal, move_values);
        }
    }

    /// The lookahead that a strategy needs.
    pub(super) fn lookahead(&self, place: usize) -> Lookahead {
        self.strategies[place].lookahead()
    }

    /// Whether a strategy can be followed without lookahead.
    pub(super) fn is_batched(&self, place: usize) -> bool {
        self.lookahead(place) == Lookahead::Moves || self.preferences(place).is_some()
    }

    fn preferences(&self, place: usize) -> Option<&MovePreferences> {
        let preferences = self.preferences.as_ref()?.get(place)?;
        preferences.is_ready().then_some(preferences)
    }

    /// The probability with which a strategy that is followed without lookahead decides about a
    /// move.
    pub(super) fn decision_probability(&self, place: usize) -> f64 {
        let probability = self.kind(place).probability();
        match self.preferences(place) {
            Some(preferences) if self.lookahead(place) > Lookahead::Moves => {
                // Move scores are a kind of history heuristic and get at most its probability.
                let most = StrategyKind::History.probability();
                (probability * preferences.reliability()).min(most)
            }
            _ => probability,
        }
    }

    /// The score of each move of the role, by number, for a strategy that can be followed without
    /// lookahead.
    pub(super) fn scores(&self, place: usize, rng: &mut Rng) -> Vec<f32> {
        let strategy = &self.strategies[place];
        match self.preferences(place) {
            Some(preferences) if strategy.lookahead() > Lookahead::Moves => preferences.scores(rng),
            _ => strategy.scores().unwrap_or_default(),
        }
    }

    /// Selects the strategy of a simulation among the candidates, or among all that are ready if no
    /// candidate is.
    pub(super) fn choose(&mut self, choice: Candidates) -> usize {
        let strategies = self.strategies.iter();
        let mut is_ready: Vec<bool> = strategies.map(|strategy| strategy.is_ready()).collect();
        if let Some(fallback) = self.fallback {
            is_ready[fallback] = false;
            is_ready[fallback] = !is_ready.contains(&true);
        }
        let may_be = |place: usize| match choice {
            Candidates::All => true,
            Candidates::WithoutLookahead => self.is_batched(place),
            Candidates::MovesOnly => self.lookahead(place) == Lookahead::Moves,
            Candidates::RandomOnly => self.kind(place) == StrategyKind::Random,
        };
        let some = is_ready.iter().enumerate();
        let some: Vec<bool> = some.map(|(place, is)| *is && may_be(place)).collect();
        if some.contains(&true) {
            is_ready = some;
        }
        let place = self.selection.choose(&self.records, &is_ready);
        self.select_again(place);
        place
    }

    /// Counts one more simulation for a strategy that was selected before.
    pub(super) fn select_again(&mut self, place: usize) {
        self.records[place].chosen += 1;
    }

    /// Credits a strategy with the mean goal, 0 to 100, of playouts that were selected as one
    /// simulation.
    #[allow(clippy::cast_precision_loss)] // few
    pub(super) fn credit(&mut self, place: usize, goal: f64, playouts: u64) {
        let record = &mut self.records[place];
        record.chosen += playouts.saturating_sub(1);
        record.ended += playouts;
        record.score += playouts as f64 * goal / 100.0;
        self.strategy_log
            .add(self.role, self.kind(place).name(), 1, goal);
    }

    /// Takes back the selection of a simulation that was not made.
    pub(super) fn take_back(&mut self, place: usize) {
        let record = &mut self.records[place];
        record.chosen = record.chosen.saturating_sub(1);
    }

    pub(super) fn kind(&self, place: usize) -> StrategyKind {
        self.strategies[place].kind()
    }

    /// Whether a strategy observes the states of all simulations.
    pub(super) fn observes_states(&self) -> bool {
        self.strategies
            .iter()
            .any(|strategy| strategy.observes_states())
    }

    pub(super) fn set_deadline(&mut self, deadline: Option<Instant>) {
        for strategy in &mut self.strategies {
            strategy.set_deadline(deadline);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mini::select::selection;
    use crate::mini::strategies::exploration::Exploration;
    use crate::mini::strategies::history::HistoryHeuristic;
    use crate::mini::strategies::random::Random;
    use crate::mini::strategies::symbols::SymbolsCounting;

    fn role_strategies(
        strategies: Vec<Box<dyn Strategy>>,
        fallback: Option<usize>,
    ) -> RoleStrategies {
        let strategy_log = Arc::default();
        RoleStrategies::new(0, strategies, fallback, selection("ucb", 5.0), strategy_log)
    }

    #[test]
    fn the_fallback_is_followed_only_while_no_other_strategy_is_ready() {
        let late = SymbolsCounting::new(0, Arc::default());
        let mut waiting = role_strategies(vec![Box::new(Random), Box::new(late)], Some(0));
        assert_eq!(waiting.choose(Candidates::All), 0);
        let history = HistoryHeuristic::new(0, 10);
        let mut ready = role_strategies(vec![Box::new(Random), Box::new(history)], Some(0));
        assert_eq!(ready.choose(Candidates::All), 1);
    }

    #[test]
    fn strategies_with_lookahead_are_followed_by_scores_once_these_are_ready() {
        let explorer = Exploration { window: 4 };
        let mut entry = role_strategies(vec![Box::new(Random), Box::new(explorer)], None);
        entry.enable_preferences();
        assert!((0..20).all(|_| entry.choose(Candidates::WithoutLookahead) == 0));
        // It was tried less often, so it is selected if lookahead is allowed.
        assert_eq!(entry.choose(Candidates::All), 1);
        let legal = [MoveId(0), MoveId(1)];
        for _ in 0..100 {
            entry.note(1, &legal, &[MoveValue::plain(2.0), MoveValue::plain(1.0)]);
        }
        assert_eq!(entry.choose(Candidates::WithoutLookahead), 1);
        let scores = entry.scores(1, &mut Rng::new(1));
        assert!(scores[0] > scores[1], "{scores:?}");
        assert!(entry.scores(0, &mut Rng::new(1)).is_empty());
    }

    #[test]
    fn scores_are_followed_by_their_reliability_and_at_most_as_often_as_the_history() {
        let explorer = Exploration { window: 4 };
        let mut entry = role_strategies(vec![Box::new(Random), Box::new(explorer)], None);
        entry.enable_preferences();
        let plain = StrategyKind::Exploration.probability();
        assert!(
            (entry.decision_probability(1) - plain).abs() < 1e-9,
            "there is none"
        );
        let legal = [MoveId(0), MoveId(1)];
        for round in 0..100 {
            let other = f64::from(round % 2) * 2.0;
            entry.note(1, &legal, &[MoveValue::plain(1.0), MoveValue::plain(other)]);
        }
        assert!(
            entry.decision_probability(1) < 0.1,
            "{}",
            entry.decision_probability(1)
        );
        for _ in 0..10_000 {
            entry.note(1, &legal, &[MoveValue::plain(2.0), MoveValue::plain(1.0)]);
        }
        assert!((entry.decision_probability(1) - StrategyKind::History.probability()).abs() < 1e-9);
    }

    #[test]
    fn a_strategy_with_move_scores_is_no_candidate_for_moves_only() {
        let explorer = Exploration { window: 4 };
        let mut entry = role_strategies(vec![Box::new(Random), Box::new(explorer)], None);
        entry.enable_preferences();
        let legal = [MoveId(0), MoveId(1)];
        for _ in 0..100 {
            entry.note(1, &legal, &[MoveValue::plain(2.0), MoveValue::plain(1.0)]);
        }
        assert!((0..20).all(|_| entry.choose(Candidates::MovesOnly) == 0));
        assert_eq!(entry.choose(Candidates::WithoutLookahead), 1);
        assert_eq!(entry.choose(Candidates::RandomOnly), 0);
    }

    #[test]
    fn many_playouts_of_a_leaf_count_as_many() {
        let mut entry = role_strategies(vec![Box::new(Random)], None);
        entry.choose(Candidates::All);
        entry.credit(0, 25.0, 64);
        assert_eq!((entry.records[0].chosen, entry.records[0].ended), (64, 64));
        assert_eq!(entry.records[0].average(), Some(0.25));
    }

    #[test]
    fn simulations_that_follow_another_count_for_the_selection() {
        let mut entry = role_strategies(vec![Box::new(Random), Box::new(Random)], None);
        let first = entry.choose(Candidates::All);
        (0..9).for_each(|_| entry.select_again(first));
        assert_eq!(entry.records[first].chosen, 10);
        // All ten are pending, so the other one is selected.
        assert_ne!(entry.choose(Candidates::All), first);
    }

    #[test]
    fn results_are_written_to_the_strategy_log() {
        let mut entry = role_strategies(vec![Box::new(Random)], None);
        let strategy_log = Arc::clone(&entry.strategy_log);
        for goal in [100.0, 50.0] {
            let place = entry.choose(Candidates::All);
            entry.credit(place, goal, 1);
        }
        entry.choose(Candidates::All);
        entry.take_back(0);
        assert_eq!(entry.records[0].chosen, 2);
        assert_eq!(entry.records[0].average(), Some(0.75));
        let strategies = strategy_log.read();
        assert_eq!(strategies.len(), 1);
        assert_eq!(
            (strategies[0].strategy, strategies[0].simulations),
            ("random", 2)
        );
    }
}
