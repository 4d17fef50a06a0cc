//! Static allocation by rank (Świechowski 2015, section 3.4.3).

use super::rounds::{Allocation, AverageScore};

/// The number of simulations for the best strategy, the second best, and so on.
const BY_RANK: [u32; 7] = [22, 11, 7, 4, 3, 2, 1];

/// Allocation by rank alone.
#[derive(Debug)]
pub(super) struct RankAllocation;

impl Allocation for RankAllocation {
    fn allot(&mut self, averages: &[AverageScore]) -> Vec<u32> {
        let mut order: Vec<usize> = (0..averages.len()).collect();
        order.sort_by(|a, b| averages[*b].average.total_cmp(&averages[*a].average));
        let mut counts = vec![0; averages.len()];
        for (rank, i) in order.into_iter().enumerate() {
            counts[i] = BY_RANK.get(rank).copied().unwrap_or(1);
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_go_by_rank_and_a_missing_strategy_leaves_the_last_one_out() {
        let averages = [0.4, 0.3, 0.25, 0.2, 0.5, 0.75, 0.6];
        let all: Vec<AverageScore> = averages
            .iter()
            .enumerate()
            .map(|(place, average)| AverageScore {
                place,
                average: *average,
            })
            .collect();
        assert_eq!(RankAllocation.allot(&all), [4, 3, 2, 1, 7, 22, 11]);
        assert_eq!(RankAllocation.allot(&all[..6]), [7, 4, 3, 2, 11, 22]);
        assert_eq!(RankAllocation.allot(&all).iter().sum::<u32>(), 50);
    }
}
