//! Allocation proportional to the average score or to its square (Świechowski 2015, sections 3.4.1
//! and 3.4.2).

use super::rounds::{Allocation, AverageScore};

/// The minimum score, so that nothing is divided by zero.
const LEAST: f64 = 0.01;
/// The tolerance for floating point errors when rounding down.
const ROUNDING: f64 = 1e-9;

/// Proportional allocation: equations 3.8 to 3.10 with power 1, equation 3.11 with power 2.
#[derive(Debug)]
pub(super) struct Proportional {
    power: i32,
    /// The remainder of each strategy that rounding down left in the round before.
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
    fn allot(&mut self, averages: &[AverageScore]) -> Vec<u32> {
        let score = |average_score: &AverageScore| average_score.average.clamp(LEAST, 1.0);
        let least = averages.iter().map(score).fold(f64::INFINITY, f64::min);
        let last = averages
            .iter()
            .map(|average_score| average_score.place + 1)
            .max();
        self.overflow
            .resize(self.overflow.len().max(last.unwrap_or(0)), 0.0);
        let share = |average_score: &AverageScore| {
            let overflow = &mut self.overflow[average_score.place];
            let exact = (score(average_score) / least + *overflow).powi(self.power);
            let whole = (exact + ROUNDING).floor();
            *overflow = (exact - whole).max(0.0);
            // At most a hundred plus the overflow, or the square of that.
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            let whole = whole as u32;
            whole
        };
        averages.iter().map(share).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn averages(averages: &[f64]) -> Vec<AverageScore> {
        let averages = averages.iter().enumerate();
        averages
            .map(|(place, average)| AverageScore {
                place,
                average: *average,
            })
            .collect()
    }

    #[test]
    fn shares_are_multiples_of_the_least_and_the_rest_is_kept_for_the_next_round() {
        let mut proportional = Proportional::new(1);
        // Q' = (2, 1.5, 1, 3.75).
        let averages = averages(&[0.4, 0.3, 0.2, 0.75]);
        assert_eq!(proportional.allot(&averages), [2, 1, 1, 3]);
        // Q' = (2, 1.5 + 0.5, 1, 3.75 + 0.75).
        assert_eq!(proportional.allot(&averages), [2, 2, 1, 4]);
        // Q' = (2, 1.5, 1, 3.75 + 0.5).
        assert_eq!(proportional.allot(&averages), [2, 1, 1, 4]);
    }

    #[test]
    fn the_example_of_3_4_1_keeps_its_proportions_over_rounds() {
        let ratios = [1.4, 1.1, 1.4, 1.0, 1.2, 1.5, 1.45];
        let averages = averages(&ratios.map(|ratio| ratio / 10.0));
        let mut proportional = Proportional::new(1);
        assert_eq!(proportional.allot(&averages), [1; 7]);
        let mut sums = [1; 7];
        for _ in 1..100 {
            for (sum, count) in sums.iter_mut().zip(proportional.allot(&averages)) {
                *sum += count;
            }
        }
        for (sum, ratio) in sums.iter().zip(ratios) {
            assert!((f64::from(*sum) - 100.0 * ratio).abs() <= 1.001, "{sums:?}");
        }
    }

    #[test]
    fn a_zero_average_counts_as_a_hundredth() {
        let mut proportional = Proportional::new(1);
        assert_eq!(proportional.allot(&averages(&[0.0, 0.5])), [1, 50]);
    }

    #[test]
    fn the_overflow_is_squared_with_the_average() {
        let mut squared = Proportional::new(2);
        // Q' = (1.5, 1): 2.25 and 1.
        let averages = averages(&[0.3, 0.2]);
        assert_eq!(squared.allot(&averages), [2, 1]);
        // Q' = 1.5 + 0.25: 3.0625.
        assert_eq!(squared.allot(&averages), [3, 1]);
    }
}
