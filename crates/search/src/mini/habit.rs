//! What a strategy tends to choose, as a score for each move.
//!
//! To look ahead costs a hundred times and more what an engine takes that plays many games at once.
//! What strategies say in the few simulations for which there is time is remembered by moves: how
//! many of the others a move was better than, on average. By such scores the engine itself can
//! play, and every strategy gets as many simulations as it earns. That is beyond the thesis, where
//! all simulations were equally slow.

use ludorum_reasoner::{MoveId, Rng};

use super::strategy::{Worth, compare};

/// After so many decisions the scores are worth following.
const ENOUGH: u32 = 64;
/// The score of a move that nobody has judged, which every move has so many times to begin with.
const UNKNOWN: f32 = 0.5;
const DOUBT: f32 = 2.0;
/// Habits are put to the test as soon as so many decisions were seen.
const FIRST: u32 = 16;
/// Scores differ by chance up to this from one batch to the next, as the states would make them
/// differ.
const SPREAD: f64 = 0.2;

/// The habit of a strategy.
#[derive(Clone, Debug, Default)]
pub(super) struct Habit {
    /// For each move, by number, the sum of its scores and how many there were.
    records: Vec<(f32, f32)>,
    decisions: u32,
    /// The scores that its favourites had when the strategy looked, summed up, and how many there
    /// were.
    right: f64,
    tested: u32,
    order: Vec<u32>,
}

impl Habit {
    /// Takes note of what a strategy says about legal moves.
    pub(super) fn note(&mut self, legal: &[MoveId], worths: &[Worth]) {
        if legal.len() < 2 || legal.len() != worths.len() {
            return;
        }
        let favourite = (self.decisions >= FIRST).then(|| self.favourite(legal));
        self.decisions = self.decisions.saturating_add(1);
        let last = legal.iter().map(|id| id.index()).max().unwrap_or(0);
        if self.records.len() <= last {
            self.records.resize(last + 1, (0.0, 0.0));
        }
        let mut order = std::mem::take(&mut self.order);
        order.clear();
        order.extend(0..legal.len() as u32);
        order.sort_unstable_by(|a, b| compare(&worths[*a as usize], &worths[*b as usize]));
        let mut first = 0;
        while first < order.len() {
            let worth = &worths[order[first] as usize];
            let equal = order[first..].iter();
            let equal = equal.take_while(|i| compare(&worths[**i as usize], worth).is_eq());
            let count = equal.count().max(1);
            // Better than all before it, and than half of those that are as good.
            #[allow(clippy::cast_precision_loss)] // numbers of moves
            let score = (first as f32 + (count - 1) as f32 / 2.0) / (legal.len() - 1) as f32;
            for i in &order[first..first + count] {
                if favourite == Some(*i as usize) {
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

    /// The place of the legal move with the highest score.
    fn favourite(&self, legal: &[MoveId]) -> usize {
        let scores = legal.iter().map(|id| self.score(*id));
        let best = scores.enumerate().max_by(|a, b| a.1.total_cmp(&b.1));
        best.map_or(0, |(place, _)| place)
    }

    fn score(&self, id: MoveId) -> f32 {
        let (sum, count) = self.records.get(id.index()).copied().unwrap_or_default();
        (sum + DOUBT * UNKNOWN) / (count + DOUBT)
    }

    /// How well the habit tells what the strategy would say, 0 to 1: as well as chance, or always.
    /// Where worth depends on the state, a habit is nothing to hold on to.
    pub(super) fn reliability(&self) -> f64 {
        if self.tested == 0 {
            return 0.0;
        }
        (2.0 * self.right / f64::from(self.tested) - 1.0).clamp(0.0, 1.0)
    }

    /// Whether enough is known.
    pub(super) fn is_ready(&self) -> bool {
        self.decisions >= ENOUGH
    }

    /// A score for each move, by number.
    #[allow(clippy::cast_possible_truncation)] // a score needs no more
    pub(super) fn scores(&self, rng: &mut Rng) -> Vec<f32> {
        let moves = (0..self.records.len()).map(|number| MoveId(number as u32));
        // Above 0, which is what an engine takes moves for that have no score.
        moves
            .map(|id| 1.0 + self.score(id) + (SPREAD * (rng.next_f64() - 0.5)) as f32)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(habit: &mut Habit, judged: &[(u32, f64)]) {
        let legal: Vec<MoveId> = judged.iter().map(|(id, _)| MoveId(*id)).collect();
        let worths: Vec<Worth> = judged.iter().map(|(_, v)| Worth::plain(*v)).collect();
        habit.note(&legal, &worths);
    }

    #[test]
    fn a_move_scores_the_share_of_others_that_it_is_better_than() {
        let mut habit = Habit::default();
        // 0 of 3 others, half of one that is as good and one, the same, all three.
        note(&mut habit, &[(4, -9.0), (1, 2.0), (2, 2.0), (0, 70.0)]);
        let scores = [(0, 1.0), (1, 0.5), (2, 0.5), (4, 0.0)];
        for (id, score) in scores {
            assert!((habit.records[id].0 - score).abs() < 1e-6, "{id}");
        }
        assert!(
            habit.records[3].1 < 0.5,
            "nobody has said anything about it"
        );
    }

    #[test]
    fn a_move_that_is_better_most_of_the_time_has_the_higher_score() {
        let mut habit = Habit::default();
        for round in 0..100 {
            note(
                &mut habit,
                &[(0, 1.0), (1, if round % 10 == 0 { 2.0 } else { 0.0 })],
            );
        }
        assert!(habit.is_ready());
        let scores = habit.scores(&mut Rng::new(1));
        assert!(scores[0] > scores[1] && scores[1] > 1.0, "{scores:?}");
    }

    #[test]
    fn a_habit_is_as_reliable_as_it_tells_what_the_strategy_says() {
        let reliability = |says: fn(u32) -> f64| {
            let mut habit = Habit::default();
            (0..100).for_each(|round| note(&mut habit, &[(0, 1.0), (1, says(round))]));
            habit.reliability()
        };
        assert!(Habit::default().reliability() < 1e-9, "nothing is known");
        assert!(reliability(|_| 0.0) > 0.99);
        assert!(reliability(|_| 1.0) < 0.01, "all moves are as good");
        assert!(reliability(|round| f64::from(round % 2) * 2.0) < 0.1);
        let most = reliability(|round| if round % 10 == 0 { 2.0 } else { 0.0 });
        assert!(most > 0.7 && most < 0.9, "{most}");
    }

    #[test]
    fn moves_without_alternative_teach_nothing() {
        let mut habit = Habit::default();
        note(&mut habit, &[(0, 1.0)]);
        assert!(habit.records.is_empty() && !habit.is_ready());
    }
}
