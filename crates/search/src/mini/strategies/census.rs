//! The learning phase of Statistical Symbols Counting (section 3.3.6): how often features occur in
//! simulations that are won and in others.
//!
//! A feature is the number of facts with a name (`TableRows`), or of those with a symbol in a place
//! (`ColumnSymbols`). Its weight is the difference of its mean in won and in lost simulations,
//! divided by its largest value (Equation 3.7). Features that have the same value in the same step
//! of all simulations say nothing and are left out, and so are those that hardly differ.

use std::sync::Arc;

use ludorum_reasoner::{FluentId, Role};
use rustc_hash::FxHashMap;

use crate::mini::lexicon::{Fact, Lexicon, Word};

/// Features with weights up to this are left out: ε of the thesis.
const EPSILON: f64 = 0.001;
/// The most features; a sheet with more of them is too large for a light heuristic.
const MOST_FEATURES: usize = 1 << 14;
/// In later steps nothing is compared: what differs has differed long before.
const MOST_STEPS: usize = 512;

/// A quantity of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Feature {
    /// The facts with a name.
    TableRows(Word),
    /// The facts with a name and a symbol as one of their arguments.
    ColumnSymbols(Word, u32, Word),
}

impl Feature {
    /// The features that a fact counts for.
    pub(crate) fn of(fact: &Fact) -> impl Iterator<Item = Self> + '_ {
        let columns = fact.args.iter().enumerate();
        let columns =
            columns.map(|(place, symbol)| Self::ColumnSymbols(fact.name, place as u32, *symbol));
        std::iter::once(Self::TableRows(fact.name)).chain(columns)
    }
}

/// What a simulation has shown so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sample {
    /// The sum of each feature over all states.
    sums: Vec<u64>,
    states: u64,
}

/// The sum of means over simulations.
#[derive(Clone, Debug, Default)]
struct Outcomes {
    simulations: u64,
    sums: Vec<f64>,
}

impl Outcomes {
    fn add(&mut self, sample: &Sample) {
        self.simulations += 1;
        if self.sums.len() < sample.sums.len() {
            self.sums.resize(sample.sums.len(), 0.0);
        }
        for (sum, of_sample) in self.sums.iter_mut().zip(&sample.sums) {
            *sum += ratio(*of_sample, sample.states);
        }
    }

    /// The mean of a feature over simulations; one that never occurred is 0.
    #[allow(clippy::cast_precision_loss)] // far below 2^52
    fn mean(&self, feature: usize) -> f64 {
        let sum = self.sums.get(feature).copied().unwrap_or(0.0);
        sum / self.simulations.max(1) as f64
    }
}

#[allow(clippy::cast_precision_loss)] // far below 2^52
fn ratio(sum: u64, count: u64) -> f64 {
    sum as f64 / count.max(1) as f64
}

/// What is counted in all simulations.
#[derive(Debug)]
pub(crate) struct Census {
    numbers: FxHashMap<Feature, u32>,
    /// For each fluent the features that it counts for.
    known: Vec<Option<Box<[u32]>>>,
    /// `MaxValue` of each feature.
    most: Vec<u32>,
    /// The features that have had the same value in the same step of all simulations so far.
    constant: Vec<u32>,
    /// What the first simulation that came to a step showed there.
    first: Vec<Option<Vec<u32>>>,
    /// For each role: simulations that were won, and the others.
    won: Vec<Outcomes>,
    lost: Vec<Outcomes>,
    counts: Vec<u32>,
}

impl Census {
    pub(crate) fn new(roles: usize) -> Self {
        Self {
            numbers: FxHashMap::default(),
            known: Vec::new(),
            most: Vec::new(),
            constant: Vec::new(),
            first: Vec::new(),
            won: vec![Outcomes::default(); roles],
            lost: vec![Outcomes::default(); roles],
            counts: Vec::new(),
        }
    }

    /// Counts a state of a simulation, so many steps from the beginning of the match.
    pub(crate) fn count(
        &mut self,
        sample: &mut Sample,
        step: u32,
        facts: &[FluentId],
        lexicon: &Lexicon,
    ) {
        for id in facts {
            if self.known.get(id.index()).is_none_or(Option::is_none) {
                self.meet(*id, lexicon);
            }
        }
        self.counts.clear();
        self.counts.resize(self.most.len(), 0);
        for features in facts
            .iter()
            .filter_map(|id| self.known[id.index()].as_ref())
        {
            for feature in features {
                self.counts[*feature as usize] += 1;
            }
        }
        sample.states += 1;
        sample.sums.resize(self.most.len(), 0);
        for (feature, count) in self.counts.iter().enumerate() {
            sample.sums[feature] += u64::from(*count);
            self.most[feature] = self.most[feature].max(*count);
        }
        self.compare(step as usize);
    }

    /// Compares what was counted with what was seen in the same step before.
    fn compare(&mut self, step: usize) {
        if step >= MOST_STEPS {
            return;
        }
        if self.first.len() <= step {
            self.first.resize(step + 1, None);
        }
        let Some(first) = &self.first[step] else {
            self.first[step] = Some(self.counts.clone());
            return;
        };
        let counts = &self.counts;
        // What was not known when the step was first seen was not there.
        let before = |feature: u32| first.get(feature as usize).copied().unwrap_or(0);
        let is_same = |feature: &u32| before(*feature) == counts[*feature as usize];
        self.constant.retain(is_same);
    }

    /// Takes note of the features of a fluent.
    fn meet(&mut self, id: FluentId, lexicon: &Lexicon) {
        let mut features = Vec::new();
        for feature in lexicon.fact(id).into_iter().flat_map(Feature::of) {
            let number = self.numbers.len();
            if number >= MOST_FEATURES && !self.numbers.contains_key(&feature) {
                continue;
            }
            let number = *self.numbers.entry(feature).or_insert_with(|| {
                self.most.push(0);
                self.constant.push(number as u32);
                number as u32
            });
            features.push(number);
        }
        if self.known.len() <= id.index() {
            self.known.resize(id.index() + 1, None);
        }
        self.known[id.index()] = Some(features.into());
    }

    /// A simulation has ended. A role has won if it has more than every other.
    pub(crate) fn end(&mut self, sample: &Sample, goals: &[Option<u8>]) {
        if sample.states == 0 {
            return;
        }
        for role in 0..self.won.len() {
            let Some(Some(goal)) = goals.get(role) else {
                continue;
            };
            let mut others = goals.iter().enumerate().filter(|(other, _)| *other != role);
            if others.all(|(_, other)| other.is_none_or(|other| other < *goal)) {
                self.won[role].add(sample);
            } else {
                self.lost[role].add(sample);
            }
        }
    }

    /// Equation 3.7 for a feature; none if it says nothing.
    fn weight(&self, feature: usize, role: Role) -> Option<f64> {
        let (won, lost) = (&self.won[role], &self.lost[role]);
        let most = self.most[feature];
        if won.simulations == 0 || lost.simulations == 0 || most == 0 {
            return None;
        }
        let weight = (won.mean(feature) - lost.mean(feature)) / f64::from(most);
        (weight.abs() > EPSILON).then_some(weight)
    }

    /// The evaluation function of each role.
    pub(crate) fn evaluations(&self) -> Vec<Evaluation> {
        let mut is_constant = vec![false; self.most.len()];
        for feature in &self.constant {
            is_constant[*feature as usize] = true;
        }
        let evaluation = |role| {
            let features = self.numbers.iter();
            let varying = features.filter(|(_, number)| !is_constant[**number as usize]);
            let weights = varying.filter_map(|(feature, number)| {
                let weight = self.weight(*number as usize, role)?;
                Some((*feature, weight))
            });
            Evaluation(Arc::new(weights.collect()))
        };
        (0..self.won.len()).map(evaluation).collect()
    }
}

/// The weights of features for a role.
#[derive(Clone, Debug, Default)]
pub(crate) struct Evaluation(Arc<FxHashMap<Feature, f64>>);

impl Evaluation {
    /// Whether all states would be the same to it.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What a fact adds to the value of a state: a feature is a number of facts, so the sum over
    /// facts is the sum over features.
    pub(crate) fn worth(&self, fact: &Fact) -> f64 {
        let weights = Feature::of(fact).filter_map(|feature| self.0.get(&feature));
        weights.sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mini::lexicon::lexicon;

    const FACTS: [&str; 6] = [
        "(piece a white)",
        "(piece b white)",
        "(piece a black)",
        "(step 1)",
        "(step 2)",
        "(piece b black)",
    ];

    /// A census of simulations, each with its states and goals.
    fn census(simulations: &[(&[&[u32]], [u8; 2])], lexicon: &Lexicon) -> Census {
        let mut census = Census::new(2);
        for (states, goals) in simulations {
            let mut sample = Sample::default();
            for (step, state) in states.iter().enumerate() {
                let facts: Vec<FluentId> = state.iter().copied().map(FluentId).collect();
                census.count(&mut sample, step as u32, &facts, lexicon);
            }
            census.end(&sample, &goals.map(Some));
        }
        census
    }

    #[test]
    fn weights_are_as_worked_out_by_hand() {
        let lexicon = lexicon(&FACTS);
        let won: &[&[u32]] = &[&[0, 3], &[0, 1, 4]];
        let lost: &[&[u32]] = &[&[0, 3], &[2, 4]];
        let census = census(&[(won, [100, 0]), (lost, [0, 100])], &lexicon);
        let [white, black] = &census.evaluations()[..] else {
            panic!("two roles");
        };
        let worth = |evaluation: &Evaluation, id: u32| {
            evaluation.worth(lexicon.fact(FluentId(id)).unwrap())
        };
        // Means over states, won and lost, and the most in a state: pieces 3/2, 1, 2: weight 1/4.
        // First `a` 1, 1, 1: 0. First `b` 1/2, 0, 1: 1/2. Second `white` 3/2, 1/2, 2: 1/2. Second
        // `black` 0, 1/2, 1: -1/2. `(piece a white)` is worth 1/4 + 0 + 1/2, `(piece b white)` 1/4
        // + 1/2 + 1/2, `(piece a black)` 1/4 + 0 - 1/2.
        for (id, expected) in [(0, 0.75), (1, 1.25), (2, -0.25)] {
            assert!((worth(white, id) - expected).abs() < 1e-9, "{id}");
            // What one wins by, the other loses by.
            assert!((worth(black, id) + expected).abs() < 1e-9, "{id}");
        }
    }

    #[test]
    fn what_is_the_same_in_the_same_step_of_all_simulations_is_left_out() {
        let lexicon = lexicon(&FACTS);
        // The counter differs from step to step, but not between simulations; the longer ones are
        // won.
        let won: &[&[u32]] = &[&[0, 3], &[0, 4]];
        let lost: &[&[u32]] = &[&[0, 3]];
        let census = census(&[(won, [100, 0]), (lost, [0, 100])], &lexicon);
        assert!(
            census
                .weight(census.numbers[&Feature::TableRows(Word(0))] as usize, 0)
                .is_none()
        );
        let step = lexicon.fact(FluentId(4)).unwrap();
        let symbol = Feature::of(step).nth(1).unwrap();
        // It would have a weight:
        assert!(census.weight(census.numbers[&symbol] as usize, 0).is_some());
        // and has none.
        assert!(census.evaluations()[0].is_empty());
    }

    #[test]
    fn a_draw_is_lost_by_both_and_without_wins_there_is_nothing_to_compare() {
        let lexicon = lexicon(&FACTS);
        let states: &[&[u32]] = &[&[0, 3], &[1, 4]];
        let others: &[&[u32]] = &[&[2, 3], &[5, 4]];
        let census = census(&[(states, [50, 50]), (others, [50, 50])], &lexicon);
        assert_eq!(census.won[0].simulations, 0);
        assert_eq!(census.lost[1].simulations, 2);
        assert!(census.evaluations().iter().all(Evaluation::is_empty));
    }
}
