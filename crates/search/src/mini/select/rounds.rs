//! Rounds of simulations that are planned in advance.

use std::collections::VecDeque;
use std::fmt::Debug;

use super::{Selection, StrategyRecord};

/// The number of simulations that each strategy gets before its average counts.
const FIRST: u64 = 10;

/// A strategy with its average score.
#[derive(Clone, Copy, Debug)]
pub(super) struct AverageScore {
    /// Its index among all strategies.
    pub(super) place: usize,
    /// Its average score.
    pub(super) average: f64,
}

/// A rule that divides a round.
pub(super) trait Allocation: Debug + Send {
    /// The number of simulations for each of the strategies, in their order.
    fn allot(&mut self, averages: &[AverageScore]) -> Vec<u32>;
}

/// Selection by rounds of an allocation.
#[derive(Debug)]
pub(super) struct Rounds<A> {
    allocation: A,
    /// The rest of the current round.
    plan: VecDeque<usize>,
}

impl<A: Allocation> Rounds<A> {
    pub(super) fn new(allocation: A) -> Self {
        Self {
            allocation,
            plan: VecDeque::new(),
        }
    }

    fn plan(&mut self, records: &[StrategyRecord], is_ready: &[bool]) {
        let ready: Vec<usize> = (0..records.len())
            .filter(|place| is_ready[*place])
            .collect();
        let missing = |place: &usize| FIRST.saturating_sub(records[*place].chosen) as u32;
        let mut counts: Vec<u32> = ready.iter().map(missing).collect();
        if counts.iter().all(|count| *count == 0) {
            let average_score = |place: &usize| AverageScore {
                place: *place,
                average: records[*place].average().unwrap_or(0.0),
            };
            let averages: Vec<AverageScore> = ready.iter().map(average_score).collect();
            counts = self.allocation.allot(&averages);
        }
        self.plan.extend(spread(&counts).map(|i| ready[i]));
    }
}

impl<A: Allocation> Selection for Rounds<A> {
    fn choose(&mut self, records: &[StrategyRecord], is_ready: &[bool]) -> usize {
        // Strategies that are no longer ready are skipped.
        while let Some(place) = self.plan.pop_front() {
            if is_ready[place] {
                return place;
            }
        }
        self.plan(records, is_ready);
        let first = is_ready.iter().position(|is_ready| *is_ready);
        self.plan.pop_front().or(first).unwrap_or(0)
    }
}

/// An order in which each index occurs as often as its count says, evenly spaced: occurrence k of n
/// is in the middle of part k of n equal parts.
fn spread(counts: &[u32]) -> impl Iterator<Item = usize> {
    let mut order: Vec<(f64, usize)> = Vec::new();
    for (place, count) in counts.iter().enumerate() {
        let middle = |k: u32| (f64::from(k) + 0.5) / f64::from(*count);
        order.extend((0..*count).map(|k| (middle(k), place)));
    }
    order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    order.into_iter().map(|(_, place)| place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_that_of_the_example_in_3_4_1() {
        // SA = (1, 5, 2): S2, S3, S2, S1, S2, S2, S3, S2.
        let order: Vec<usize> = spread(&[1, 5, 2]).collect();
        assert_eq!(order, [1, 2, 1, 0, 1, 1, 2, 1]);
    }

    #[derive(Debug)]
    struct Twice;

    impl Allocation for Twice {
        fn allot(&mut self, averages: &[AverageScore]) -> Vec<u32> {
            vec![2; averages.len()]
        }
    }

    #[test]
    fn every_strategy_has_ten_simulations_before_the_first_allocation() {
        let mut rounds = Rounds::new(Twice);
        let mut records = [StrategyRecord::default(); 7];
        for _ in 0..70 {
            records[rounds.choose(&records, &[true; 7])].chosen += 1;
        }
        assert!(records.iter().all(|record| record.chosen == 10));
        for _ in 0..14 {
            records[rounds.choose(&records, &[true; 7])].chosen += 1;
        }
        assert!(records.iter().all(|record| record.chosen == 12));
    }
}
