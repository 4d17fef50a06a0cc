//! The sequential probability ratio test (Wald 1945), generalised to results with draws.

use serde::Serialize;

/// The minimum count of a result, so that logarithms exist.
const MIN_COUNT: f64 = 1e-3;

/// The two hypotheses about the score, and the error rates.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Sprt {
    /// The score of A, 0 to 100, under the null hypothesis.
    pub score0: f64,
    /// The score of A under the alternative hypothesis.
    pub score1: f64,
    /// The probability of accepting the alternative when the null hypothesis is true.
    pub alpha: f64,
    /// The probability of rejecting the alternative when it is true.
    pub beta: f64,
}

/// The expected score, 0 to 100, at a difference in Elo points.
pub fn score_of_elo(elo: f64) -> f64 {
    100.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// The decision of the test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SprtVerdict {
    /// None yet.
    Open,
    /// The null hypothesis is accepted.
    Rejected,
    /// The alternative hypothesis is accepted.
    Accepted,
}

/// The test with its statistics.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SprtReport {
    /// The hypotheses.
    #[serde(flatten)]
    pub test: Sprt,
    /// The log-likelihood ratio of the alternative to the null hypothesis.
    pub llr: f64,
    /// The null hypothesis is accepted at or below this ratio.
    pub lower: f64,
    /// The alternative is accepted at or above this ratio.
    pub upper: f64,
    /// The decision.
    pub verdict: SprtVerdict,
}

impl Sprt {
    /// Whether the hypotheses differ and the error rates are possible.
    pub fn is_valid(&self) -> bool {
        let is_share = |p: f64| p > 0.0 && p < 0.5;
        0.0 < self.score0
            && self.score0 < self.score1
            && self.score1 < 100.0
            && is_share(self.alpha)
            && is_share(self.beta)
    }

    /// The test after some results.
    #[allow(clippy::cast_precision_loss)] // counts of games
    pub fn report(&self, wins: usize, draws: usize, losses: usize) -> SprtReport {
        let counts = [losses, draws, wins].map(|count| (count as f64).max(MIN_COUNT));
        let llr =
            likelihood(&counts, self.score1 / 100.0) - likelihood(&counts, self.score0 / 100.0);
        let lower = (self.beta / (1.0 - self.alpha)).ln();
        let upper = ((1.0 - self.beta) / self.alpha).ln();
        SprtReport {
            test: *self,
            llr,
            lower,
            upper,
            verdict: if llr >= upper {
                SprtVerdict::Accepted
            } else if llr <= lower {
                SprtVerdict::Rejected
            } else {
                SprtVerdict::Open
            },
        }
    }
}

/// The maximum log-likelihood of losses, draws and wins given the mean score: the observed
/// frequency p of a result r becomes p / (1 + x (r - score)), with the x that gives that mean.
fn likelihood(counts: &[f64; 3], score: f64) -> f64 {
    let total: f64 = counts.iter().sum();
    let results = [0.0, 0.5, 1.0];
    let excess = |x: f64| -> f64 {
        let terms = counts.iter().zip(results);
        terms
            .map(|(count, r)| count / total * (r - score) / (1.0 + x * (r - score)))
            .sum()
    };
    // All frequencies are positive between these bounds, and the excess falls monotonically.
    let (mut low, mut high) = (-1.0 / (1.0 - score), 1.0 / score);
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        if excess(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    let x = f64::midpoint(low, high);
    let terms = counts.iter().zip(results);
    terms
        .map(|(count, r)| count * (count / total / (1.0 + x * (r - score))).ln())
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEST: Sprt = Sprt {
        score0: 50.0,
        score1: 55.0,
        alpha: 0.05,
        beta: 0.05,
    };

    #[test]
    fn elo_points_are_scores() {
        assert!((score_of_elo(0.0) - 50.0).abs() < 1e-9);
        assert!((score_of_elo(400.0) - 1000.0 / 11.0).abs() < 1e-9);
    }

    #[test]
    fn without_draws_the_ratio_is_that_of_the_binomial_test() {
        let report = TEST.report(20, 0, 0);
        assert!((report.llr - 20.0 * 1.1f64.ln()).abs() < 0.02, "{report:?}");
        assert_eq!(report.verdict, SprtVerdict::Open);
        assert_eq!(TEST.report(40, 0, 0).verdict, SprtVerdict::Accepted);
        assert_eq!(TEST.report(0, 0, 40).verdict, SprtVerdict::Rejected);
    }

    #[test]
    fn one_game_or_a_score_between_the_hypotheses_decides_nothing() {
        for (wins, draws, losses) in [(1, 0, 0), (0, 0, 1), (0, 1, 0), (105, 0, 95)] {
            let report = TEST.report(wins, draws, losses);
            assert_eq!(report.verdict, SprtVerdict::Open, "{report:?}");
        }
    }

    #[test]
    fn draws_make_the_same_score_more_certain() {
        let plain = TEST.report(60, 0, 40).llr;
        let drawn = TEST.report(20, 80, 0).llr;
        assert!(drawn > plain, "{drawn} {plain}");
    }

    #[test]
    fn impossible_hypotheses_and_error_rates_are_invalid() {
        assert!(TEST.is_valid());
        for (score0, score1, alpha) in [(60.0, 50.0, 0.05), (0.0, 50.0, 0.05), (50.0, 55.0, 0.6)] {
            let test = Sprt {
                score0,
                score1,
                alpha,
                ..TEST
            };
            assert!(!test.is_valid());
        }
    }
}
