//! Medians with confidence intervals, and geometric means.

/// A median with its confidence interval. With at least six values, the interval covers the true
/// median with a probability of at least 95 %.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Median {
    /// The median.
    pub value: f64,
    /// The lower bound of the interval.
    pub low: f64,
    /// The upper bound of the interval.
    pub high: f64,
}

/// Error probability of the confidence interval.
const ERROR_PROBABILITY: f64 = 0.05;

/// The median with its distribution-free confidence interval, from order statistics. The interval
/// from the k-th smallest to the k-th largest of n values misses the true median with probability 2
/// P(X < k), where X is binomial with n trials and probability 1/2 (sign test). With fewer than six
/// values the interval spans all of them.
pub fn median(values: impl IntoIterator<Item = f64>) -> Median {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    let count = values.len();
    if count == 0 {
        return Median::default();
    }
    let middle = f64::midpoint(values[(count - 1) / 2], values[count / 2]);
    let out = ranks_left_out(count);
    Median {
        value: middle,
        low: values[out],
        high: values[count - 1 - out],
    }
}

/// Number of values outside of the interval at each end.
#[allow(clippy::cast_precision_loss)] // counts of rounds are small
fn ranks_left_out(count: usize) -> usize {
    // In logarithms: 0.5^n underflows to 0 for more than a thousand values.
    let mut chance = count as f64 * 0.5_f64.ln();
    let mut sum = chance.exp();
    let mut out = 0;
    // `sum` is the probability that at most `out` values are below the true median.
    while 2.0 * sum <= ERROR_PROBABILITY && 2 * (out + 1) < count {
        out += 1;
        chance += ((count - out + 1) as f64 / out as f64).ln();
        sum += chance.exp();
    }
    // The loop ends one rank too far when the probability exceeds the limit.
    if out > 0 && 2.0 * sum > ERROR_PROBABILITY {
        out - 1
    } else {
        out
    }
}

/// The median without an interval.
pub fn plain_median(values: impl IntoIterator<Item = f64>) -> f64 {
    median(values).value
}

/// The geometric mean of positive values, the right average for ratios; `None` without values.
pub fn geometric_mean(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0.0);
    for value in values {
        sum += value.ln();
        count += 1.0;
    }
    (count > 0.0).then(|| f64::exp(sum / count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_lies_in_the_middle() {
        assert!((plain_median([3.0, 1.0, 2.0]) - 2.0).abs() < 1e-9);
        assert!((plain_median([4.0, 1.0, 2.0, 3.0]) - 2.5).abs() < 1e-9);
        assert_eq!(median([]), Median::default());
    }

    #[test]
    fn intervals_are_those_of_the_sign_test() {
        // Critical ranks from tables of the sign test at 95 %.
        for (count, k) in [
            (1, 1),
            (5, 1),
            (6, 1),
            (8, 1),
            (9, 2),
            (10, 2),
            (12, 3),
            (15, 4),
            (20, 6),
            (25, 8),
            // For large n, k is about (n - 1.96 sqrt(n)) / 2.
            (10_000, 4_902),
        ] {
            assert_eq!(ranks_left_out(count), k - 1, "{count} values");
        }
    }

    #[test]
    fn the_geometric_mean_of_two_and_one_half_is_one() {
        let mean = geometric_mean([2.0, 0.5, 8.0, 0.125]).unwrap();
        assert!((mean - 1.0).abs() < 1e-9, "{mean}");
        assert_eq!(geometric_mean([]), None);
    }

    #[test]
    fn the_interval_covers_the_median() {
        let values: Vec<f64> = (0..10).map(f64::from).collect();
        let Median { value, low, high } = median(values);
        assert!((low, high) == (1.0, 8.0) && (value - 4.5).abs() < 1e-9);
    }
}
