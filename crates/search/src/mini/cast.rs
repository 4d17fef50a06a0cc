//! The strategies of one role, and which of them it follows.

use std::sync::Arc;
use std::time::Instant;

use ludorum_reasoner::{MoveId, Rng, Role};

use super::habit::Habit;
use super::select::{Record, Selection};
use super::strategy::{Kind, Sight, Strategy, Worth};
use crate::mcts::StrategyLog;

/// Who may be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// Anybody.
    All,
    /// Who can be followed without looking ahead, by habit at least.
    Habits,
    /// Who looks at moves alone.
    Moves,
    /// Nobody but chance.
    Chance,
}

/// The strategies of a role.
#[derive(Debug)]
pub(super) struct Cast {
    role: Role,
    pub(super) strategies: Vec<Box<dyn Strategy>>,
    /// The one that is followed only if nobody else is ready, if there is one.
    reserve: Option<usize>,
    selection: Box<dyn Selection>,
    records: Vec<Record>,
    /// What each of them tends to choose, if somebody wants to know.
    habits: Option<Vec<Habit>>,
    strategy_log: Arc<StrategyLog>,
}

impl Cast {
    /// Strategies for a role, at least one of them always ready. `reserve` is the place of one that
    /// is followed only if nobody else is ready.
    pub(super) fn new(
        role: Role,
        strategies: Vec<Box<dyn Strategy>>,
        reserve: Option<usize>,
        selection: Box<dyn Selection>,
        strategy_log: Arc<StrategyLog>,
    ) -> Self {
        Self {
            role,
            records: vec![Record::default(); strategies.len()],
            strategies,
            reserve,
            selection,
            habits: None,
            strategy_log,
        }
    }

    /// Lets strategies have habits, by which they can be followed without looking ahead.
    pub(super) fn form_habits(&mut self) {
        self.habits = Some(vec![Habit::default(); self.strategies.len()]);
    }

    /// Takes note of what a strategy says about legal moves.
    pub(super) fn note(&mut self, place: usize, legal: &[MoveId], worths: &[Worth]) {
        if let Some(habits) = &mut self.habits {
            habits[place].note(legal, worths);
        }
    }

    /// How far a strategy sees.
    pub(super) fn sight(&self, place: usize) -> Sight {
        self.strategies[place].sight()
    }

    /// Whether a strategy can be followed without looking ahead.
    pub(super) fn is_swift(&self, place: usize) -> bool {
        self.sight(place) == Sight::Moves || self.habit(place).is_some()
    }

    fn habit(&self, place: usize) -> Option<&Habit> {
        let habit = self.habits.as_ref()?.get(place)?;
        habit.is_ready().then_some(habit)
    }

    /// The chance with which a strategy that is followed without looking ahead decides about a
    /// move.
    pub(super) fn conviction(&self, place: usize) -> f64 {
        let probability = self.kind(place).probability();
        match self.habit(place) {
            Some(habit) if self.sight(place) > Sight::Moves => {
                // It is a kind of history, and to be believed no more than that one.
                let most = Kind::History.probability();
                (probability * habit.reliability()).min(most)
            }
            _ => probability,
        }
    }

    /// For a strategy that can be followed without looking ahead, a score for each move of the
    /// role, by number.
    pub(super) fn scores(&self, place: usize, rng: &mut Rng) -> Vec<f32> {
        let strategy = &self.strategies[place];
        match self.habit(place) {
            Some(habit) if strategy.sight() > Sight::Moves => habit.scores(rng),
            _ => strategy.scores().unwrap_or_default(),
        }
    }

    /// Chooses the strategy of a simulation, by its place: one of those who may be chosen, if there
    /// is one.
    pub(super) fn choose(&mut self, choice: Choice) -> usize {
        let strategies = self.strategies.iter();
        let mut is_ready: Vec<bool> = strategies.map(|strategy| strategy.is_ready()).collect();
        if let Some(reserve) = self.reserve {
            is_ready[reserve] = false;
            is_ready[reserve] = !is_ready.contains(&true);
        }
        let may_be = |place: usize| match choice {
            Choice::All => true,
            Choice::Habits => self.is_swift(place),
            Choice::Moves => self.sight(place) == Sight::Moves,
            Choice::Chance => self.kind(place) == Kind::Random,
        };
        let some = is_ready.iter().enumerate();
        let some: Vec<bool> = some.map(|(place, is)| *is && may_be(place)).collect();
        if some.contains(&true) {
            is_ready = some;
        }
        let place = self.selection.choose(&self.records, &is_ready);
        self.follow_again(place);
        place
    }

    /// One more simulation follows a strategy that was chosen for another.
    pub(super) fn follow_again(&mut self, place: usize) {
        self.records[place].chosen += 1;
    }

    /// Playouts that followed a strategy have given the role a goal on average, 0 to 100. They were
    /// chosen as one simulation.
    #[allow(clippy::cast_precision_loss)] // few
    pub(super) fn earn(&mut self, place: usize, goal: f64, playouts: u64) {
        let record = &mut self.records[place];
        record.chosen += playouts.saturating_sub(1);
        record.ended += playouts;
        record.score += playouts as f64 * goal / 100.0;
        self.strategy_log
            .add(self.role, self.kind(place).name(), 1, goal);
    }

    /// A simulation that was to follow a strategy has come to nothing.
    pub(super) fn give_up(&mut self, place: usize) {
        let record = &mut self.records[place];
        record.chosen = record.chosen.saturating_sub(1);
    }

    pub(super) fn kind(&self, place: usize) -> Kind {
        self.strategies[place].kind()
    }

    /// Whether some strategy wants to see the states of all simulations.
    pub(super) fn is_watching(&self) -> bool {
        self.strategies
            .iter()
            .any(|strategy| strategy.is_watching())
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

    fn cast(strategies: Vec<Box<dyn Strategy>>, reserve: Option<usize>) -> Cast {
        let strategy_log = Arc::default();
        Cast::new(0, strategies, reserve, selection("ucb", 5.0), strategy_log)
    }

    #[test]
    fn the_reserve_is_followed_only_while_nobody_is_ready() {
        let late = SymbolsCounting::new(0, Arc::default());
        let mut waiting = cast(vec![Box::new(Random), Box::new(late)], Some(0));
        assert_eq!(waiting.choose(Choice::All), 0);
        let history = HistoryHeuristic::new(0, 10);
        let mut ready = cast(vec![Box::new(Random), Box::new(history)], Some(0));
        assert_eq!(ready.choose(Choice::All), 1);
    }

    #[test]
    fn who_looks_ahead_is_followed_by_habit_once_there_is_one() {
        let explorer = Exploration { window: 4 };
        let mut cast = cast(vec![Box::new(Random), Box::new(explorer)], None);
        cast.form_habits();
        assert!((0..20).all(|_| cast.choose(Choice::Habits) == 0));
        // It was tried less, so it is its turn if it may look.
        assert_eq!(cast.choose(Choice::All), 1);
        let legal = [MoveId(0), MoveId(1)];
        for _ in 0..100 {
            cast.note(1, &legal, &[Worth::plain(2.0), Worth::plain(1.0)]);
        }
        assert_eq!(cast.choose(Choice::Habits), 1);
        let scores = cast.scores(1, &mut Rng::new(1));
        assert!(scores[0] > scores[1], "{scores:?}");
        assert!(cast.scores(0, &mut Rng::new(1)).is_empty());
    }

    #[test]
    fn habits_are_believed_as_far_as_they_are_reliable_and_no_more_than_the_history() {
        let explorer = Exploration { window: 4 };
        let mut cast = cast(vec![Box::new(Random), Box::new(explorer)], None);
        cast.form_habits();
        let plain = Kind::Exploration.probability();
        assert!((cast.conviction(1) - plain).abs() < 1e-9, "there is none");
        let legal = [MoveId(0), MoveId(1)];
        for round in 0..100 {
            let other = f64::from(round % 2) * 2.0;
            cast.note(1, &legal, &[Worth::plain(1.0), Worth::plain(other)]);
        }
        assert!(cast.conviction(1) < 0.1, "{}", cast.conviction(1));
        for _ in 0..10_000 {
            cast.note(1, &legal, &[Worth::plain(2.0), Worth::plain(1.0)]);
        }
        assert!((cast.conviction(1) - Kind::History.probability()).abs() < 1e-9);
    }

    #[test]
    fn who_has_a_habit_still_looks_where_it_cannot_be_followed() {
        let explorer = Exploration { window: 4 };
        let mut cast = cast(vec![Box::new(Random), Box::new(explorer)], None);
        cast.form_habits();
        let legal = [MoveId(0), MoveId(1)];
        for _ in 0..100 {
            cast.note(1, &legal, &[Worth::plain(2.0), Worth::plain(1.0)]);
        }
        assert!((0..20).all(|_| cast.choose(Choice::Moves) == 0));
        assert_eq!(cast.choose(Choice::Habits), 1);
        assert_eq!(cast.choose(Choice::Chance), 0);
    }

    #[test]
    fn many_playouts_of_a_leaf_count_as_many() {
        let mut cast = cast(vec![Box::new(Random)], None);
        cast.choose(Choice::All);
        cast.earn(0, 25.0, 64);
        assert_eq!((cast.records[0].chosen, cast.records[0].ended), (64, 64));
        assert_eq!(cast.records[0].average(), Some(0.25));
    }

    #[test]
    fn simulations_that_follow_another_count_for_the_selection() {
        let mut cast = cast(vec![Box::new(Random), Box::new(Random)], None);
        let first = cast.choose(Choice::All);
        (0..9).for_each(|_| cast.follow_again(first));
        assert_eq!(cast.records[first].chosen, 10);
        // All ten are under way, so it is the turn of the other.
        assert_ne!(cast.choose(Choice::All), first);
    }

    #[test]
    fn what_is_earned_is_written_down() {
        let mut cast = cast(vec![Box::new(Random)], None);
        let strategy_log = Arc::clone(&cast.strategy_log);
        for goal in [100.0, 50.0] {
            let place = cast.choose(Choice::All);
            cast.earn(place, goal, 1);
        }
        cast.choose(Choice::All);
        cast.give_up(0);
        assert_eq!(cast.records[0].chosen, 2);
        assert_eq!(cast.records[0].average(), Some(0.75));
        let strategies = strategy_log.read();
        assert_eq!(strategies.len(), 1);
        assert_eq!(
            (strategies[0].strategy, strategies[0].simulations),
            ("random", 2)
        );
    }
}
