//! The abstract strategy (Świechowski 2015, section 3.2): a rule for choosing the moves of a role
//! in simulations.
//!
//! A [`Strategy`] belongs to one role. It declares the [`Lookahead`] that it needs, gets a
//! [`DecisionView`], and gives each legal move a [`MoveValue`]. The best move by equation 3.1 is
//! played, a random one of several ([`choose`]). This happens with the probability P of the
//! strategy; otherwise the move is random ([`StrategyKind::probability`]).

use std::cmp::Ordering;
use std::fmt::Debug;
use std::time::Instant;

use ludorum_reasoner::{FluentId, MoveHistory, MoveId, ReasonError, Rng};

use super::fluent_terms::FluentTerms;

/// The strategies of the portfolio.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum StrategyKind {
    Random,
    Goal,
    History,
    Mobility,
    Exploration,
    Symbols,
    Score,
}

impl StrategyKind {
    /// In the order of section 3.3.
    pub(super) const ALL: [Self; 7] = [
        Self::Random,
        Self::Goal,
        Self::History,
        Self::Mobility,
        Self::Exploration,
        Self::Symbols,
        Self::Score,
    ];

    /// The name in the option.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Goal => "goal",
            Self::History => "history",
            Self::Mobility => "mobility",
            Self::Exploration => "exploration",
            Self::Symbols => "symbols",
            Self::Score => "score",
        }
    }

    /// The probability with which the strategy decides about a move (table 3.1).
    pub(super) fn probability(self) -> f64 {
        match self {
            Self::Random => 0.0,
            Self::Goal => 0.7,
            Self::History => 0.6,
            Self::Mobility => 0.65,
            Self::Exploration => 0.8,
            Self::Symbols => 0.85,
            Self::Score => 0.75,
        }
    }
}

/// The lookahead of a strategy: the three variants of figure 3.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Lookahead {
    /// Legal moves only.
    Moves,
    /// The successors of all legal moves as well.
    Successors,
    /// The legal moves in these successors as well.
    SuccessorMoves,
}

/// The input of a strategy when it evaluates moves.
#[derive(Clone, Copy, Debug)]
pub(super) struct DecisionView<'a> {
    pub(super) fluent_terms: &'a FluentTerms,
    /// The legal moves of the role.
    pub(super) legal: &'a [MoveId],
    /// The most recent states of the simulation, the current one last: at most
    /// [`Strategy::history_length`].
    pub(super) recent_states: &'a [Vec<FluentId>],
    /// The successor of each legal move, if the strategy looks ahead.
    pub(super) successors: &'a [Successor],
}

/// The data of a successor state for a strategy.
#[derive(Clone, Debug, Default)]
pub(super) struct Successor {
    /// Its fluents in ascending order; empty if the strategy needs mobility only.
    pub(super) facts: Vec<FluentId>,
    /// The number of legal moves of each role; empty unless the strategy needs it.
    pub(super) mobility: Vec<usize>,
}

/// The value of a move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct MoveValue {
    /// `HVAL` of section 3.2.
    pub(super) value: f64,
    /// `TBVAL` of section 3.2, which decides between equal values.
    pub(super) tie_break: f64,
}

impl MoveValue {
    /// A value without a tie break.
    pub(super) fn plain(value: f64) -> Self {
        Self {
            value,
            tie_break: 0.0,
        }
    }
}

/// A simulation with its result.
#[derive(Clone, Copy, Debug)]
pub(super) struct FinishedSimulation<'a> {
    /// The distinct moves of each role.
    pub(super) moves: &'a [Vec<MoveId>],
    /// The goal of each role, if it has one.
    pub(super) goals: &'a [Option<u8>],
    /// The fluents of the last state.
    pub(super) last: &'a [FluentId],
}

/// A rule for choosing the moves of a role in simulations.
pub(super) trait Strategy: Debug + Send {
    fn kind(&self) -> StrategyKind;

    fn lookahead(&self) -> Lookahead;

    /// Whether simulations can follow it now.
    fn is_ready(&self) -> bool {
        true
    }

    /// The number of recent states that it needs, the current one included.
    fn history_length(&self) -> usize {
        0
    }

    /// Appends the value of each legal move to `move_values`, which is empty.
    fn evaluate(
        &mut self,
        view: &DecisionView<'_>,
        move_values: &mut Vec<MoveValue>,
    ) -> Result<(), ReasonError>;

    /// The score of each move of the role, by number, for a strategy without lookahead. Moves
    /// beyond the list have the score 0. With scores the engine itself can make playouts that
    /// follow the strategy.
    fn scores(&self) -> Option<Vec<f32>> {
        None
    }

    /// Whether it observes the states of all simulations, whatever strategies they follow.
    fn observes_states(&self) -> bool {
        false
    }

    /// Observes a state of a simulation.
    fn observe_state(&mut self, _facts: &[FluentId], _fluent_terms: &FluentTerms) {}

    /// Observes the result of a simulation, whatever strategies it followed.
    fn observe_end(&mut self, _simulation: &FinishedSimulation<'_>, _fluent_terms: &FluentTerms) {}

    /// Observes the moves and results of many playouts of the engine.
    fn observe_moves(&mut self, _history: &MoveHistory) {}

    /// Sets the deadline after which queries end with [`ReasonError::Stopped`].
    fn set_deadline(&mut self, _deadline: Option<Instant>) {}
}

/// The order of move values by equation 3.1: by value, then by tie break.
pub(super) fn compare(a: &MoveValue, b: &MoveValue) -> Ordering {
    let by_value = a.value.total_cmp(&b.value);
    by_value.then(a.tie_break.total_cmp(&b.tie_break))
}

/// The index of the best move by equation 3.1; a random one of several.
pub(super) fn choose(move_values: &[MoveValue], rng: &mut Rng) -> usize {
    let Some(best) = move_values.iter().max_by(|a, b| compare(a, b)) else {
        return 0;
    };
    let is_best = |value: &&MoveValue| compare(value, best).is_eq();
    let count = move_values.iter().filter(is_best).count();
    let which = rng.below(count);
    let places = move_values.iter().enumerate();
    let mut best = places.filter(|(_, value)| is_best(value));
    best.nth(which).map_or(0, |(place, _)| place)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn move_values(pairs: &[(f64, f64)]) -> Vec<MoveValue> {
        let move_values = pairs.iter();
        move_values
            .map(|(value, tie_break)| MoveValue {
                value: *value,
                tie_break: *tie_break,
            })
            .collect()
    }

    /// The number of times that each index is chosen in a thousand choices.
    fn chosen(pairs: &[(f64, f64)]) -> Vec<u32> {
        let mut counts = vec![0; pairs.len()];
        let mut rng = Rng::new(1);
        for _ in 0..1000 {
            counts[choose(&move_values(pairs), &mut rng)] += 1;
        }
        counts
    }

    #[test]
    fn the_value_decides_then_the_tie_break_then_chance() {
        // A lower value loses whatever its tie break.
        assert_eq!(chosen(&[(1.0, 9.0), (2.0, 0.0)]), [0, 1000]);
        assert_eq!(chosen(&[(2.0, 1.0), (2.0, 3.0), (2.0, 2.0)]), [0, 1000, 0]);
        let counts = chosen(&[(2.0, 3.0), (1.0, 3.0), (2.0, 3.0)]);
        assert_eq!(counts[1], 0);
        assert!(counts[0] > 400 && counts[2] > 400, "{counts:?}");
    }

    #[test]
    fn with_values_that_are_not_numbers_a_move_is_still_chosen() {
        assert!(
            choose(
                &move_values(&[(f64::NAN, 0.0), (1.0, 0.0)]),
                &mut Rng::new(1)
            ) < 2
        );
        assert_eq!(choose(&[], &mut Rng::new(1)), 0);
    }

    #[test]
    fn probabilities_are_the_choices_of_table_3_1() {
        let table = [
            (StrategyKind::Goal, 0.7),
            (StrategyKind::History, 0.6),
            (StrategyKind::Mobility, 0.65),
            (StrategyKind::Exploration, 0.8),
            (StrategyKind::Symbols, 0.85),
            (StrategyKind::Score, 0.75),
        ];
        for (kind, probability) in table {
            assert!((kind.probability() - probability).abs() < 1e-12);
        }
    }
}
