//! The abstract strategy (section 3.2 of the thesis): a way to choose a role's moves in
//! simulations.
//!
//! A [`Strategy`] belongs to one role. It says how far it has to see ([`Sight`]), is shown a
//! [`Scene`], and gives each legal move a [`Worth`]; the best move by Equation 3.1 is played, any
//! of them if there are several ([`choose`]). That happens with the strategy's probability P,
//! otherwise chance decides ([`Kind::probability`]).

use std::cmp::Ordering;
use std::fmt::Debug;
use std::time::Instant;

use ludorum_reasoner::{FluentId, MoveHistory, MoveId, ReasonError, Rng};

use super::lexicon::Lexicon;

/// The strategies that there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Random,
    Goal,
    History,
    Mobility,
    Exploration,
    Symbols,
    Score,
}

impl Kind {
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

    /// The name to choose it by.
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

    /// The chance with which the strategy decides about a move: the choices of Table 3.1.
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

/// How far a strategy has to see: the three variants of Figure 3.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Sight {
    /// The legal moves.
    Moves,
    /// The states after each of them as well.
    Successors,
    /// The legal moves in these states as well.
    SuccessorMoves,
}

/// What a strategy is shown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scene<'a> {
    pub(super) lexicon: &'a Lexicon,
    /// The legal moves of the role.
    pub(super) legal: &'a [MoveId],
    /// The last states of the simulation, the current one last: as many as the strategy
    /// [remembers](Strategy::memory), or fewer.
    pub(super) trail: &'a [Vec<FluentId>],
    /// The state after each legal move, if the strategy sees so far.
    pub(super) successors: &'a [Successor],
}

/// A state that a move may lead to.
#[derive(Clone, Debug, Default)]
pub(super) struct Successor {
    /// Its fluents, ascending; empty if the strategy looks at moves alone.
    pub(super) facts: Vec<FluentId>,
    /// How many legal moves each role has there; empty unless the strategy sees so far.
    pub(super) mobility: Vec<usize>,
}

/// How good a move is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Worth {
    /// `HVAL`.
    pub(super) value: f64,
    /// `TBVAL`, which decides between equal values.
    pub(super) tie_break: f64,
}

impl Worth {
    /// A value without anything to break ties by.
    pub(super) fn plain(value: f64) -> Self {
        Self {
            value,
            tie_break: 0.0,
        }
    }
}

/// A simulation that has come to its end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ended<'a> {
    /// For each role what it played, each move once.
    pub(super) moves: &'a [Vec<MoveId>],
    /// For each role its goal, if it has one.
    pub(super) goals: &'a [Option<u8>],
    /// The fluents of the last state.
    pub(super) last: &'a [FluentId],
}

/// A way to choose the moves of a role.
pub(super) trait Strategy: Debug + Send {
    fn kind(&self) -> Kind;

    fn sight(&self) -> Sight;

    /// Whether simulations can follow it now.
    fn is_ready(&self) -> bool {
        true
    }

    /// How many states of a simulation it wants to know, the current one included.
    fn memory(&self) -> usize {
        0
    }

    /// Puts the worth of each legal move into `worths`, which is empty.
    fn judge(&mut self, scene: &Scene<'_>, worths: &mut Vec<Worth>) -> Result<(), ReasonError>;

    /// For a strategy that looks at nothing but moves: a score for each move of the role, by
    /// number; moves without one have the score 0. Then the engine itself can play many simulations
    /// at once.
    fn scores(&self) -> Option<Vec<f32>> {
        None
    }

    /// Whether it wants to see the states of all simulations, whoever they follow.
    fn is_watching(&self) -> bool {
        false
    }

    /// A state of a simulation.
    fn context(&mut self, _facts: &[FluentId], _lexicon: &Lexicon) {}

    /// A simulation has ended, whoever it followed.
    fn learn(&mut self, _simulation: &Ended<'_>, _lexicon: &Lexicon) {}

    /// The same for many simulations that the engine has played at once.
    fn learn_history(&mut self, _history: &MoveHistory) {}

    /// Questions that are still open at this moment end with [`ReasonError::Stopped`].
    fn set_deadline(&mut self, _deadline: Option<Instant>) {}
}

/// Equation 3.1.
pub(super) fn compare(a: &Worth, b: &Worth) -> Ordering {
    let by_value = a.value.total_cmp(&b.value);
    by_value.then(a.tie_break.total_cmp(&b.tie_break))
}

/// The place of the best move by Equation 3.1; chance decides among several.
pub(super) fn choose(worths: &[Worth], rng: &mut Rng) -> usize {
    let Some(best) = worths.iter().max_by(|a, b| compare(a, b)) else {
        return 0;
    };
    let is_best = |worth: &&Worth| compare(worth, best).is_eq();
    let count = worths.iter().filter(is_best).count();
    let which = rng.below(count);
    let places = worths.iter().enumerate();
    let mut best = places.filter(|(_, worth)| is_best(worth));
    best.nth(which).map_or(0, |(place, _)| place)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worths(pairs: &[(f64, f64)]) -> Vec<Worth> {
        let worths = pairs.iter();
        worths
            .map(|(value, tie_break)| Worth {
                value: *value,
                tie_break: *tie_break,
            })
            .collect()
    }

    /// How often each place is chosen in a thousand choices.
    fn chosen(pairs: &[(f64, f64)]) -> Vec<u32> {
        let mut counts = vec![0; pairs.len()];
        let mut rng = Rng::new(1);
        for _ in 0..1000 {
            counts[choose(&worths(pairs), &mut rng)] += 1;
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
    fn values_that_are_no_numbers_leave_a_choice_all_the_same() {
        assert!(choose(&worths(&[(f64::NAN, 0.0), (1.0, 0.0)]), &mut Rng::new(1)) < 2);
        assert_eq!(choose(&[], &mut Rng::new(1)), 0);
    }

    #[test]
    fn probabilities_are_the_choices_of_table_3_1() {
        let table = [
            (Kind::Goal, 0.7),
            (Kind::History, 0.6),
            (Kind::Mobility, 0.65),
            (Kind::Exploration, 0.8),
            (Kind::Symbols, 0.85),
            (Kind::Score, 0.75),
        ];
        for (kind, probability) in table {
            assert!((kind.probability() - probability).abs() < 1e-12);
        }
    }
}
