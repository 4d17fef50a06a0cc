//! Static allocation (section 3.4.3): so many simulations for each rank.

use super::rounds::{Allocation, Standing};

/// The simulations of the best strategy, the second best, and so on.
const BY_RANK: [u32; 7] = [22, 11, 7, 4, 3, 2, 1];

/// Allots by rank alone.
#[derive(Debug)]
pub(super) struct Ranked;

impl Allocation for Ranked {
    fn allot(&mut self, standings: &[Standing]) -> Vec<u32> {
        let mut order: Vec<usize> = (0..standings.len()).collect();
        order.sort_by(|a, b| standings[*b].average.total_cmp(&standings[*a].average));
        let mut counts = vec![0; standings.len()];
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
        let all: Vec<Standing> = averages
            .iter()
            .enumerate()
            .map(|(place, average)| Standing {
                place,
                average: *average,
            })
            .collect();
        assert_eq!(Ranked.allot(&all), [4, 3, 2, 1, 7, 22, 11]);
        assert_eq!(Ranked.allot(&all[..6]), [7, 4, 3, 2, 11, 22]);
        assert_eq!(Ranked.allot(&all).iter().sum::<u32>(), 50);
    }
}
