//! Confidence intervals at 95 %.

/// The 97.5 % quantile of the normal distribution.
const NORMAL_QUANTILE: f64 = 1.959_964;

/// The 97.5 % quantiles of Student's distribution with 1, 2, ... degrees of freedom.
const STUDENT_QUANTILES: [f64; 30] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
    2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
    2.052, 2.048, 2.045, 2.042,
];

/// The Wilson score interval (Wilson 1927) of a share, of which `hits` out of `count` were seen; a
/// draw is half a hit.
#[allow(clippy::cast_precision_loss)] // counts of games
pub(super) fn wilson(hits: f64, count: usize) -> (f64, f64) {
    if count == 0 {
        return (0.0, 1.0);
    }
    let n = count as f64;
    let share = hits / n;
    let z2 = NORMAL_QUANTILE * NORMAL_QUANTILE;
    let middle = share + z2 / (2.0 * n);
    let half = NORMAL_QUANTILE * (share * (1.0 - share) / n + z2 / (4.0 * n * n)).sqrt();
    let scale = 1.0 + z2 / n;
    (
        ((middle - half) / scale).max(0.0),
        ((middle + half) / scale).min(1.0),
    )
}

/// The mean of values between 0 and 100 and its Student interval (Student 1908). A single value
/// gives the whole range.
#[allow(clippy::cast_precision_loss)] // counts of games
pub(super) fn student(values: impl Iterator<Item = f64> + Clone) -> (f64, (f64, f64)) {
    let count = values.clone().count();
    if count == 0 {
        return (0.0, (0.0, 100.0));
    }
    let n = count as f64;
    let mean = values.clone().sum::<f64>() / n;
    if count == 1 {
        return (mean, (0.0, 100.0));
    }
    let variance = values.map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let half = student_quantile(count - 1) * (variance / n).sqrt();
    (mean, ((mean - half).max(0.0), (mean + half).min(100.0)))
}

#[allow(clippy::cast_precision_loss)] // counts of games
fn student_quantile(freedom: usize) -> f64 {
    if let Some(quantile) = STUDENT_QUANTILES.get(freedom.wrapping_sub(1)) {
        return *quantile;
    }
    // The first terms of the Cornish-Fisher expansion (Cornish and Fisher 1938), exact to five
    // digits for more than 30 degrees of freedom.
    let (z, n) = (NORMAL_QUANTILE, freedom as f64);
    z + (z.powi(3) + z) / (4.0 * n)
        + (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / (96.0 * n * n)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, expected: f64, by: f64) {
        assert!((found - expected).abs() < by, "{found}, not {expected}");
    }

    #[test]
    fn wilson_intervals_match_published_values() {
        let (low, high) = wilson(50.0, 100);
        near(low, 0.403_83, 1e-4);
        near(high, 0.596_17, 1e-4);
        let (low, high) = wilson(10.0, 10);
        near(low, 0.722_47, 1e-4);
        near(high, 1.0, 1e-9);
    }

    #[test]
    fn student_quantiles_are_continuous_at_the_expansion() {
        near(student_quantile(31), 2.039_5, 1e-4);
        near(student_quantile(100), 1.984_0, 1e-4);
        near(student_quantile(1_000_000), NORMAL_QUANTILE, 1e-4);
    }

    #[test]
    fn student_intervals_match_published_values() {
        let values = [100.0, 0.0, 50.0, 100.0];
        let (mean, (low, high)) = student(values.into_iter());
        near(mean, 62.5, 1e-9);
        // The deviation is 47.87, so the half width is 3.182 * 47.87 / 2.
        near(low, 0.0, 1e-9);
        near(high, 100.0, 1e-9);
        let (mean, (low, high)) = student([40.0, 60.0].into_iter().cycle().take(100));
        near(mean, 50.0, 1e-9);
        near(high - low, 2.0 * 1.984 * 1.005, 1e-2);
    }

    #[test]
    fn no_value_and_one_value_give_the_whole_range() {
        assert_eq!(student(std::iter::empty()).1, (0.0, 100.0));
        assert_eq!(student(std::iter::once(70.0)), (70.0, (0.0, 100.0)));
        assert_eq!(wilson(0.0, 0), (0.0, 1.0));
    }
}
