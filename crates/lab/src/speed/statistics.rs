//! Medians, and how sure one can be of them.

/// A median with the interval that covers the true one with a probability of at least 95 %, where
/// there are enough values.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Median {
    /// The median.
    pub value: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// How likely the interval may miss the true median.
const RISK: f64 = 0.05;

/// The median of values. The interval goes by ranks, so nothing is assumed about how values are
/// distributed: the true median lies outside the k-th values from both ends with the probability
/// that fewer than k of n coins show heads, twice. With fewer than six values the interval is all
/// of them.
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

/// How many values the interval leaves out at each end.
#[allow(clippy::cast_precision_loss)] // counts of rounds are small
fn ranks_left_out(count: usize) -> usize {
    // As a logarithm: the power itself is 0 for more than a thousand values.
    let mut chance = count as f64 * 0.5_f64.ln();
    let mut sum = chance.exp();
    let mut out = 0;
    // `sum` is the chance that at most `out` of the values are below the true median.
    while 2.0 * sum <= RISK && 2 * (out + 1) < count {
        out += 1;
        chance += ((count - out + 1) as f64 / out as f64).ln();
        sum += chance.exp();
    }
    // The last rank taken is the first whose chance is too large.
    if out > 0 && 2.0 * sum > RISK {
        out - 1
    } else {
        out
    }
}

/// The median of ratios and the like, without an interval.
pub fn middle(values: impl IntoIterator<Item = f64>) -> f64 {
    median(values).value
}

/// The geometric mean of values above 0, if there are any: what ratios are averaged by.
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
        assert!((middle([3.0, 1.0, 2.0]) - 2.0).abs() < 1e-9);
        assert!((middle([4.0, 1.0, 2.0, 3.0]) - 2.5).abs() < 1e-9);
        assert_eq!(median([]), Median::default());
    }

    #[test]
    fn intervals_are_those_of_the_sign_test() {
        // The tables of the sign test: with n values, the k-th from both ends at 95 %.
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
            // About half of n less the square root of n, for many values.
            (10_000, 4_902),
        ] {
            assert_eq!(ranks_left_out(count), k - 1, "{count} values");
        }
    }

    #[test]
    fn twice_and_half_as_fast_are_as_fast_on_average() {
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
