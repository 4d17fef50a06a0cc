//! Move scores learned from the decisions of a strategy with lookahead.
//!
//! A decision with lookahead costs as much as a hundred playouts or more of an engine that plays
//! many games at once. So decisions are made in a small part of the simulations only. The score of
//! a move is the mean share of alternatives that it was better than. The engine itself can make
//! guided playouts with such scores, and every strategy gets as many simulations as it earns. This
//! goes beyond Świechowski 2015, where all simulations were equally slow.

use ludorum_reasoner::{MoveId, Rng};

use super::strategy::{MoveValue, compare};

/// The number of decisions after which scores are used.
const READY_AFTER: u32 = 64;
/// The prior score of a move.
const UNKNOWN: f32 = 0.5;
const PRIOR_WEIGHT: f32 = 2.0;
/// The number of decisions after which the reliability of the scores is measured.
const FIRST: u32 = 16;
/// The width of the random noise that is added to scores for each batch. It stands for the
/// dependence on the state, which scores lack.
const SPREAD: f64 = 0.2;

/// The move scores of a strategy.
#[derive(Clone, Debug, Default)]
pub(super) struct MovePreferences {
    /// For each move number the sum and the count of its scores.
    records: Vec<(f32, f32)>,
    decisions: u32,
    /// The sum of the shares that the move with the highest score reached in later decisions.
    right: f64,
    tested: u32,
    order: Vec<u32>,
}

impl MovePreferences {
    /// Updates the scores with a decision of the strategy.
    pub(super) fn note(&mut self, legal: &[MoveId], move_values: &[MoveValue]) {
        if legal.len() < 2 || legal.len() != move_values.len() {
            return;
        }
        let best_by_score = (self.decisions >= FIRST).then(|| self.best_by_score(legal));
        self.decisions = self.decisions.saturating_add(1);
        let last = legal.iter().map(|id| id.index()).max().unwrap_or(0);
        if self.records.len() <= last {
            self.records.resize(last + 1, (0.0, 0.0));
        }
        let mut order = std::mem::take(&mut self.order);
        order.clear();
        order.extend(0..legal.len() as u32);
        order
            .sort_unstable_by(|a, b| compare(&move_values[*a as usize], &move_values[*b as usize]));
        let mut first = 0;
        while first < order.len() {
            let value = &move_values[order[first] as usize];
            let equal = order[first..].iter();
            let equal = equal.take_while(|i| compare(&move_values[**i as usize], value).is_eq());
            let count = equal.count().max(1);
            // A move is better than all before it, and ties count one half.
            #[allow(clippy::cast_precision_loss)] // numbers of moves
            let score = (first as f32 + (count - 1) as f32 / 2.0) / (legal.len() - 1) as f32;
            for i in &order[first..first + count] {
                if best_by_score == Some(*i as usize) {
                    self.right += f64::from(score);
                    self.tested += 1;
                }
                let record = &mut self.records[legal[*i as usize].index()];
                record.0 += score;
                record.1 += 1.0;
            }
            first += count;
        }
        self.order = order;
    }

    /// The index of the legal move with the highest score.
    fn best_by_score(&self, legal: &[MoveId]) -> usize {
        let scores = legal.iter().map(|id| self.score(*id));
        let best = scores.enumerate().max_by(|a, b| a.1.total_cmp(&b.1));
        best.map_or(0, |(place, _)| place)
    }

    fn score(&self, id: MoveId) -> f32 {
        let (sum, count) = self.records.get(id.index()).copied().unwrap_or_default();
        (sum + PRIOR_WEIGHT * UNKNOWN) / (count + PRIOR_WEIGHT)
    }

    /// How well the scores predict the decisions of the strategy, from 0 (no better than chance) to
    /// 1 (always right). They predict badly where the value of a move depends on the state.
    pub(super) fn reliability(&self) -> f64 {
        if self.tested == 0 {
            return 0.0;
        }
        (2.0 * self.right / f64::from(self.tested) - 1.0).clamp(0.0, 1.0)
    }

    /// Whether enough decisions were seen.
    pub(super) fn is_ready(&self) -> bool {
        self.decisions >= READY_AFTER
    }

    /// The score of each move, by number.
    #[allow(clippy::cast_possible_truncation)] // a score needs no more
    pub(super) fn scores(&self, rng: &mut Rng) -> Vec<f32> {
        let moves = (0..self.records.len()).map(|number| MoveId(number as u32));
        // Scores are above 0, because engines give 0 to moves without a score.
        moves
            .map(|id| 1.0 + self.score(id) + (SPREAD * (rng.next_f64() - 0.5)) as f32)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(preferences: &mut MovePreferences, judged: &[(u32, f64)]) {
        let legal: Vec<MoveId> = judged.iter().map(|(id, _)| MoveId(*id)).collect();
        let move_values: Vec<MoveValue> =
            judged.iter().map(|(_, v)| MoveValue::plain(*v)).collect();
        preferences.note(&legal, &move_values);
    }

    #[test]
    fn a_move_scores_the_share_of_others_that_it_is_better_than() {
        let mut preferences = MovePreferences::default();
        // Better than none of three, one and a half (one worse, one tie), the same, all three.
        note(
            &mut preferences,
            &[(4, -9.0), (1, 2.0), (2, 2.0), (0, 70.0)],
        );
        let scores = [(0, 1.0), (1, 0.5), (2, 0.5), (4, 0.0)];
        for (id, score) in scores {
            assert!((preferences.records[id].0 - score).abs() < 1e-6, "{id}");
        }
        assert!(
            preferences.records[3].1 < 0.5,
            "the move was in no decision"
        );
    }

    #[test]
    fn a_move_that_is_better_most_of_the_time_has_the_higher_score() {
        let mut preferences = MovePreferences::default();
        for round in 0..100 {
            note(
                &mut preferences,
                &[(0, 1.0), (1, if round % 10 == 0 { 2.0 } else { 0.0 })],
            );
        }
        assert!(preferences.is_ready());
        let scores = preferences.scores(&mut Rng::new(1));
        assert!(scores[0] > scores[1] && scores[1] > 1.0, "{scores:?}");
    }

    #[test]
    fn reliability_is_how_well_scores_predict_the_strategy() {
        let reliability = |says: fn(u32) -> f64| {
            let mut preferences = MovePreferences::default();
            (0..100).for_each(|round| note(&mut preferences, &[(0, 1.0), (1, says(round))]));
            preferences.reliability()
        };
        assert!(
            MovePreferences::default().reliability() < 1e-9,
            "nothing is known"
        );
        assert!(reliability(|_| 0.0) > 0.99);
        assert!(reliability(|_| 1.0) < 0.01, "all moves are as good");
        assert!(reliability(|round| f64::from(round % 2) * 2.0) < 0.1);
        let most = reliability(|round| if round % 10 == 0 { 2.0 } else { 0.0 });
        assert!(most > 0.7 && most < 0.9, "{most}");
    }

    #[test]
    fn forced_moves_do_not_change_scores() {
        let mut preferences = MovePreferences::default();
        note(&mut preferences, &[(0, 1.0)]);
        assert!(preferences.records.is_empty() && !preferences.is_ready());
    }
}
