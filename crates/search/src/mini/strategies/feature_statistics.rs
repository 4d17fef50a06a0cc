//! Feature counts of Statistical Symbols Counting (Świechowski 2015, section 3.3.6): how often
//! features occur in won simulations and in others.
//!
//! A feature is the number of facts with a name (`TableRows`), or of those with a symbol in one
//! argument (`ColumnSymbols`). Its weight is the difference of its mean in won and in lost
//! simulations, divided by its largest value (equation 3.7). Features that have the same value in
//! the same step of all simulations are left out, and so are features that hardly differ.

use std::sync::Arc;

use ludorum_reasoner::{FluentId, Role};
use rustc_hash::FxHashMap;

use crate::mini::fluent_terms::{FluentTerm, FluentTerms, SymbolId};

/// Features with smaller weights are left out: epsilon in section 3.3.6.
const EPSILON: f64 = 0.001;
/// The maximum number of features.
const MAX_FEATURES: usize = 1 << 14;
/// Steps beyond this are not compared between simulations.
const MAX_STEPS: usize = 512;

/// A feature: a number that is counted in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Feature {
    /// The number of facts with a name.
    TableRows(SymbolId),
    /// The number of facts with a name and a symbol as one of their arguments.
    ColumnSymbols(SymbolId, u32, SymbolId),
}

impl Feature {
    /// The features that a fact increases.
    pub(crate) fn of(fact: &FluentTerm) -> impl Iterator<Item = Self> + '_ {
        let columns = fact.args.iter().enumerate();
        let columns =
            columns.map(|(place, symbol)| Self::ColumnSymbols(fact.name, place as u32, *symbol));
        std::iter::once(Self::TableRows(fact.name)).chain(columns)
    }
}

/// The feature sums of one simulation.
#[derive(Clone, Debug, Default)]
pub(crate) struct SimulationFeatures {
    /// The sum of each feature over all states.
    sums: Vec<u64>,
    states: u64,
}

/// The sum over simulations of the mean of each feature.
#[derive(Clone, Debug, Default)]
struct Outcomes {
    simulations: u64,
    sums: Vec<f64>,
}

impl Outcomes {
    fn add(&mut self, sample: &SimulationFeatures) {
        self.simulations += 1;
        if self.sums.len() < sample.sums.len() {
            self.sums.resize(sample.sums.len(), 0.0);
        }
        for (sum, of_sample) in self.sums.iter_mut().zip(&sample.sums) {
            *sum += ratio(*of_sample, sample.states);
        }
    }

    /// The mean of a feature over simulations; 0 for one that never occurred.
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

/// The feature counts of all simulations.
#[derive(Debug)]
pub(crate) struct FeatureStatistics {
    numbers: FxHashMap<Feature, u32>,
    /// The features that each fluent increases, by fluent number.
    known: Vec<Option<Box<[u32]>>>,
    /// The largest value of each feature, `MaxValue` in equation 3.7.
    most: Vec<u32>,
    /// The features with the same value in the same step of all simulations so far.
    constant: Vec<u32>,
    /// The feature values of the first simulation that reached each step.
    first: Vec<Option<Vec<u32>>>,
    /// For each role the won simulations and the others.
    won: Vec<Outcomes>,
    lost: Vec<Outcomes>,
    counts: Vec<u32>,
}

impl FeatureStatistics {
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

    /// Counts the features of a state of a simulation at a step of the match.
    pub(crate) fn count(
        &mut self,
        sample: &mut SimulationFeatures,
        step: u32,
        facts: &[FluentId],
        fluent_terms: &FluentTerms,
    ) {
        for id in facts {
            if self.known.get(id.index()).is_none_or(Option::is_none) {
                self.intern(*id, fluent_terms);
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

    /// Compares the current counts with those of the first simulation at the same step.
    fn compare(&mut self, step: usize) {
        if step >= MAX_STEPS {
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
        // A feature that was unknown when the step was first reached did not occur there.
        let before = |feature: u32| first.get(feature as usize).copied().unwrap_or(0);
        let is_same = |feature: &u32| before(*feature) == counts[*feature as usize];
        self.constant.retain(is_same);
    }

    /// Determines the features of a fluent.
    fn intern(&mut self, id: FluentId, fluent_terms: &FluentTerms) {
        let mut features = Vec::new();
        for feature in fluent_terms.fact(id).into_iter().flat_map(Feature::of) {
            let number = self.numbers.len();
            if number >= MAX_FEATURES && !self.numbers.contains_key(&feature) {
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

    /// Adds a simulation that has ended. A role has won if its goal is higher than every other.
    pub(crate) fn end(&mut self, sample: &SimulationFeatures, goals: &[Option<u8>]) {
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

    /// The weight of a feature by equation 3.7; `None` if it is not informative.
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
    /// Whether it gives the same value to all states.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The contribution of a fact to the value of a state. A feature is a number of facts, so the
    /// sum over facts is the sum over features.
    pub(crate) fn value(&self, fact: &FluentTerm) -> f64 {
        let weights = Feature::of(fact).filter_map(|feature| self.0.get(&feature));
        weights.sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mini::fluent_terms::fluent_terms;

    const FACTS: [&str; 6] = [
        "(piece a white)",
        "(piece b white)",
        "(piece a black)",
        "(step 1)",
        "(step 2)",
        "(piece b black)",
    ];

    /// The counts of simulations, each given by its states and goals.
    fn feature_statistics(
        simulations: &[(&[&[u32]], [u8; 2])],
        fluent_terms: &FluentTerms,
    ) -> FeatureStatistics {
        let mut feature_statistics = FeatureStatistics::new(2);
        for (states, goals) in simulations {
            let mut sample = SimulationFeatures::default();
            for (step, state) in states.iter().enumerate() {
                let facts: Vec<FluentId> = state.iter().copied().map(FluentId).collect();
                feature_statistics.count(&mut sample, step as u32, &facts, fluent_terms);
            }
            feature_statistics.end(&sample, &goals.map(Some));
        }
        feature_statistics
    }

    #[test]
    fn weights_match_a_calculation_by_hand() {
        let fluent_terms = fluent_terms(&FACTS);
        let won: &[&[u32]] = &[&[0, 3], &[0, 1, 4]];
        let lost: &[&[u32]] = &[&[0, 3], &[2, 4]];
        let feature_statistics =
            feature_statistics(&[(won, [100, 0]), (lost, [0, 100])], &fluent_terms);
        let [white, black] = &feature_statistics.evaluations()[..] else {
            panic!("two roles");
        };
        let value = |evaluation: &Evaluation, id: u32| {
            evaluation.value(fluent_terms.fact(FluentId(id)).unwrap())
        };
        // Means over states of won and lost simulations, and maxima. Pieces: 3/2, 1, 2, so weight
        // 1/4. First `a`: 1, 1, 1, so 0. First `b`: 1/2, 0, 1, so 1/2. Second `white`: 3/2, 1/2, 2,
        // so 1/2. Second `black`: 0, 1/2, 1, so -1/2. `(piece a white)` has 1/4 + 0 + 1/2, `(piece
        // b white)` 1/4 + 1/2 + 1/2, `(piece a black)` 1/4 + 0 - 1/2.
        for (id, expected) in [(0, 0.75), (1, 1.25), (2, -0.25)] {
            assert!((value(white, id) - expected).abs() < 1e-9, "{id}");
            // The weights of the two roles are opposite.
            assert!((value(black, id) + expected).abs() < 1e-9, "{id}");
        }
    }

    #[test]
    fn features_equal_in_the_same_step_of_all_simulations_are_left_out() {
        let fluent_terms = fluent_terms(&FACTS);
        // The counter differs between steps, but not between simulations; the longer ones are won.
        let won: &[&[u32]] = &[&[0, 3], &[0, 4]];
        let lost: &[&[u32]] = &[&[0, 3]];
        let feature_statistics =
            feature_statistics(&[(won, [100, 0]), (lost, [0, 100])], &fluent_terms);
        assert!(
            feature_statistics
                .weight(
                    feature_statistics.numbers[&Feature::TableRows(SymbolId(0))] as usize,
                    0
                )
                .is_none()
        );
        let step = fluent_terms.fact(FluentId(4)).unwrap();
        let symbol = Feature::of(step).nth(1).unwrap();
        // By equation 3.7 it has a weight.
        assert!(
            feature_statistics
                .weight(feature_statistics.numbers[&symbol] as usize, 0)
                .is_some()
        );
        // It is left out, because it is the same in the same step of all simulations.
        assert!(feature_statistics.evaluations()[0].is_empty());
    }

    #[test]
    fn a_draw_counts_as_lost_by_both_and_without_wins_no_feature_has_a_weight() {
        let fluent_terms = fluent_terms(&FACTS);
        let states: &[&[u32]] = &[&[0, 3], &[1, 4]];
        let others: &[&[u32]] = &[&[2, 3], &[5, 4]];
        let feature_statistics =
            feature_statistics(&[(states, [50, 50]), (others, [50, 50])], &fluent_terms);
        assert_eq!(feature_statistics.won[0].simulations, 0);
        assert_eq!(feature_statistics.lost[1].simulations, 2);
        assert!(
            feature_statistics
                .evaluations()
                .iter()
                .all(Evaluation::is_empty)
        );
    }
}
