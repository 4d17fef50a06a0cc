//! The strategies of one role, and which of them it follows.

use std::sync::Arc;
use std::time::Instant;

use ludorum_reason::Role;

use super::select::{Record, Selection};
use super::strategy::{Kind, Strategy};
use crate::mcts::Ledger;

/// The strategies of a role.
#[derive(Debug)]
pub(super) struct Cast {
    role: Role,
    pub(super) strategies: Vec<Box<dyn Strategy>>,
    /// The one that is followed only if nobody else is ready, if there is one.
    reserve: Option<usize>,
    selection: Box<dyn Selection>,
    records: Vec<Record>,
    /// What simulations have cost, if that counts.
    costs: Option<Vec<Cost>>,
    ledger: Arc<Ledger>,
}

/// The time that a strategy has taken.
#[derive(Clone, Copy, Debug, Default)]
struct Cost {
    simulations: u32,
    seconds: f64,
}

impl Cost {
    /// The time of a simulation; none before there was one.
    fn mean(&self) -> Option<f64> {
        (self.simulations > 0).then(|| self.seconds / f64::from(self.simulations))
    }
}

impl Cast {
    /// Strategies for a role, at least one of them always ready. `reserve` is the place of one that is followed only if nobody else is ready.
    pub(super) fn new(
        role: Role,
        strategies: Vec<Box<dyn Strategy>>,
        reserve: Option<usize>,
        selection: Box<dyn Selection>,
        ledger: Arc<Ledger>,
    ) -> Self {
        Self {
            role,
            records: vec![Record::default(); strategies.len()],
            strategies,
            reserve,
            selection,
            costs: None,
            ledger,
        }
    }

    /// Shares out time instead of simulations: a simulation counts for as many as the cheapest strategy makes in its time. That is beyond the thesis, whose
    /// strategies differed less in speed.
    pub(super) fn share_time(&mut self) {
        self.costs = Some(vec![Cost::default(); self.strategies.len()]);
    }

    /// A strategy has taken its part of the time of a simulation.
    pub(super) fn spend(&mut self, place: usize, seconds: f64) {
        if let Some(costs) = &mut self.costs {
            costs[place].simulations = costs[place].simulations.saturating_add(1);
            costs[place].seconds += seconds;
        }
    }

    /// The records, with the number of simulations by what they cost.
    fn weighted(&self, costs: &[Cost]) -> Vec<Record> {
        let means = costs.iter().filter_map(Cost::mean);
        let least = means
            .filter(|mean| *mean > 0.0)
            .fold(f64::INFINITY, f64::min);
        let records = self.records.iter().zip(costs);
        records
            .map(|(record, cost)| {
                let ratio = cost.mean().map_or(1.0, |mean| (mean / least).max(1.0));
                #[allow(clippy::cast_precision_loss, clippy::cast_sign_loss)] // far below 2^52
                let chosen = (record.chosen as f64 * ratio) as u64;
                Record { chosen, ..*record }
            })
            .collect()
    }

    /// Chooses the strategy of a simulation, by its place.
    pub(super) fn choose(&mut self) -> usize {
        let strategies = self.strategies.iter();
        let mut is_ready: Vec<bool> = strategies.map(|strategy| strategy.is_ready()).collect();
        if let Some(reserve) = self.reserve {
            is_ready[reserve] = false;
            is_ready[reserve] = !is_ready.contains(&true);
        }
        let place = match &self.costs {
            Some(costs) => self.selection.choose(&self.weighted(costs), &is_ready),
            None => self.selection.choose(&self.records, &is_ready),
        };
        self.records[place].chosen += 1;
        place
    }

    /// A simulation that followed a strategy has given the role a goal, 0 to 100.
    pub(super) fn earn(&mut self, place: usize, goal: f64) {
        let record = &mut self.records[place];
        record.ended += 1;
        record.score += goal / 100.0;
        self.ledger.add(self.role, self.kind(place).name(), 1, goal);
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
    use crate::mini::strategies::history::HistoryHeuristic;
    use crate::mini::strategies::random::Random;
    use crate::mini::strategies::symbols::SymbolsCounting;

    fn cast(strategies: Vec<Box<dyn Strategy>>, reserve: Option<usize>) -> Cast {
        let ledger = Arc::default();
        Cast::new(0, strategies, reserve, selection("ucb", 5.0), ledger)
    }

    #[test]
    fn the_reserve_is_followed_only_while_nobody_is_ready() {
        let late = SymbolsCounting::new(0, Arc::default());
        let mut waiting = cast(vec![Box::new(Random), Box::new(late)], Some(0));
        assert_eq!(waiting.choose(), 0);
        let history = HistoryHeuristic::new(0, 10);
        let mut ready = cast(vec![Box::new(Random), Box::new(history)], Some(0));
        assert_eq!(ready.choose(), 1);
    }

    #[test]
    fn a_strategy_that_takes_four_times_as_long_counts_four_times_if_time_is_shared() {
        let history = HistoryHeuristic::new(0, 10);
        let mut cast = cast(vec![Box::new(Random), Box::new(history)], None);
        cast.share_time();
        for _ in 0..5000 {
            let place = cast.choose();
            // Both earn the same.
            cast.earn(place, 50.0);
            cast.spend(place, [1.0, 4.0][place]);
        }
        let [cheap, dear] = [0, 1].map(|place| cast.records[place].chosen);
        assert!(
            cheap > 39 * dear / 10 && cheap < 41 * dear / 10,
            "{cheap} {dear}"
        );
    }

    #[test]
    fn what_is_earned_is_written_down() {
        let mut cast = cast(vec![Box::new(Random)], None);
        let ledger = Arc::clone(&cast.ledger);
        for goal in [100.0, 50.0] {
            let place = cast.choose();
            cast.earn(place, goal);
        }
        cast.choose();
        cast.give_up(0);
        assert_eq!(cast.records[0].chosen, 2);
        assert_eq!(cast.records[0].average(), Some(0.75));
        let earnings = ledger.read();
        assert_eq!(earnings.len(), 1);
        assert_eq!(
            (earnings[0].strategy, earnings[0].simulations),
            ("random", 2)
        );
    }
}
