//! Allocation proportional to the average score, or to its square (sections 3.4.1 and 3.4.2).

use super::rounds::{Allocation, Standing};

/// The least score, so that nothing is divided by zero.
const LEAST: f64 = 0.01;
/// What is this near to a whole number is one, but for the last digits.
const ROUNDING: f64 = 1e-9;

/// Equations 3.8 to 3.10 with the power 1, 3.11 with the power 2.
#[derive(Debug)]
pub(super) struct Proportional {
    power: i32,
    /// For each strategy what was lost to whole numbers in the round before.
    overflow: Vec<f64>,
}

impl Proportional {
    pub(super) fn new(power: i32) -> Self {
        Self {
            power,
            overflow: Vec::new(),
        }
    }
}

impl Allocation for Proportional {
    fn allot(&mut self, standings: &[Standing]) -> Vec<u32> {
        let score = |standing: &Standing| standing.average.clamp(LEAST, 1.0);
        let least = standings.iter().map(score).fold(f64::INFINITY, f64::min);
        let last = standings.iter().map(|standing| standing.place + 1).max();
        self.overflow
            .resize(self.overflow.len().max(last.unwrap_or(0)), 0.0);
        let share = |standing: &Standing| {
            let overflow = &mut self.overflow[standing.place];
            let exact = (score(standing) / least + *overflow).powi(self.power);
            let whole = (exact + ROUNDING).floor();
            *overflow = (exact - whole).max(0.0);
            // At most a hundred, with the overflow a little more, or the square of that.
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            let whole = whole as u32;
            whole
        };
        standings.iter().map(share).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standings(averages: &[f64]) -> Vec<Standing> {
        let averages = averages.iter().enumerate();
        averages
            .map(|(place, average)| Standing {
                place,
                average: *average,
            })
            .collect()
    }

    #[test]
    fn shares_are_multiples_of_the_least_and_the_rest_is_kept_for_the_next_round() {
        let mut proportional = Proportional::new(1);
        // Q' = (2, 1.5, 1, 3.75).
        let standings = standings(&[0.4, 0.3, 0.2, 0.75]);
        assert_eq!(proportional.allot(&standings), [2, 1, 1, 3]);
        // Q' = (2, 1.5 + 0.5, 1, 3.75 + 0.75).
        assert_eq!(proportional.allot(&standings), [2, 2, 1, 4]);
        // Q' = (2, 1.5, 1, 3.75 + 0.5).
        assert_eq!(proportional.allot(&standings), [2, 1, 1, 4]);
    }

    #[test]
    fn the_example_of_3_4_1_keeps_its_proportions_over_rounds() {
        let ratios = [1.4, 1.1, 1.4, 1.0, 1.2, 1.5, 1.45];
        let standings = standings(&ratios.map(|ratio| ratio / 10.0));
        let mut proportional = Proportional::new(1);
        assert_eq!(proportional.allot(&standings), [1; 7]);
        let mut sums = [1; 7];
        for _ in 1..100 {
            for (sum, count) in sums.iter_mut().zip(proportional.allot(&standings)) {
                *sum += count;
            }
        }
        for (sum, ratio) in sums.iter().zip(ratios) {
            assert!((f64::from(*sum) - 100.0 * ratio).abs() <= 1.001, "{sums:?}");
        }
    }

    #[test]
    fn a_score_of_nothing_counts_as_a_hundredth() {
        let mut proportional = Proportional::new(1);
        assert_eq!(proportional.allot(&standings(&[0.0, 0.5])), [1, 50]);
    }

    #[test]
    fn squares_are_allotted_with_the_overflow_in_them() {
        let mut squared = Proportional::new(2);
        // Q' = (1.5, 1): 2.25 and 1.
        let standings = standings(&[0.3, 0.2]);
        assert_eq!(squared.allot(&standings), [2, 1]);
        // Q' = 1.5 + 0.25: 3.0625.
        assert_eq!(squared.allot(&standings), [3, 1]);
    }
}
