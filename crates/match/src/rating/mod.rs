/*!
Ratings from pairwise results: [`rate`].

The model is that of Bradley and Terry 1952 on the Elo scale: a player with rating `x` beats one
with rating `y` with probability `1 / (1 + 10^((y - x) / 400))`. A [`Comparison`] is the share of
the points that one player took from another; a draw counts one half, and goal values other than 0,
50 and 100 count by their share.

# Regularisation
A player that has won everything would have an infinite rating. Each player is therefore given about
one fictitious draw, spread over its opponents in proportion to the comparisons. Between two players
it is exactly one draw, and the difference of their ratings is `400 log10(p / (1 - p))` with `p =
(points + 1/2) / (comparisons + 1)`.

# Interpretation
The average of a group of players that are connected by matches is 0; ratings of different groups
cannot be compared. Intervals contain the true rating relative to that average with a probability of
95 %, by the curvature of the likelihood. Draws vary less than wins and losses, so with many draws
the intervals are too wide.
*/

mod fit;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Limit on rated players: the work grows with the cube of their number.
pub const MAX_PLAYERS: usize = 1000;

/// The result of two players against each other in a match.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// A player.
    pub a: String,
    /// The other player.
    pub b: String,
    /// The share of the points of player `a`, from 0 to 1.
    pub share: f64,
}

/// The rating of a player.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rating {
    /// The player.
    pub player: String,
    /// The rating in Elo points; 0 is the average.
    pub elo: f64,
    /// The lower end of the 95 % interval.
    pub low: f64,
    /// The upper end of the 95 % interval.
    pub high: f64,
    /// The number of comparisons.
    pub comparisons: usize,
    /// The points taken in them.
    pub points: f64,
}

/// Rates all players, best first. Comparisons of a player with itself are ignored. The result is
/// empty for more than [`MAX_PLAYERS`] players.
pub fn rate(comparisons: &[Comparison]) -> Vec<Rating> {
    let is_valid = |c: &&Comparison| c.a != c.b && (0.0..=1.0).contains(&c.share);
    let valid: Vec<&Comparison> = comparisons.iter().filter(is_valid).collect();
    let names: BTreeMap<&str, usize> = {
        let names = valid.iter().flat_map(|c| [c.a.as_str(), c.b.as_str()]);
        let mut names: Vec<&str> = names.collect();
        names.sort_unstable();
        names.dedup();
        names.into_iter().enumerate().map(|(i, n)| (n, i)).collect()
    };
    if names.len() > MAX_PLAYERS {
        return Vec::new();
    }
    let mut pairs: BTreeMap<(usize, usize), fit::Pair> = BTreeMap::new();
    let mut totals = vec![(0usize, 0.0); names.len()];
    for comparison in valid {
        let (a, b) = (names[comparison.a.as_str()], names[comparison.b.as_str()]);
        for (player, share) in [(a, comparison.share), (b, 1.0 - comparison.share)] {
            totals[player].0 += 1;
            totals[player].1 += share;
        }
        let (key, share) = if a < b {
            ((a, b), comparison.share)
        } else {
            ((b, a), 1.0 - comparison.share)
        };
        let pair = pairs.entry(key).or_insert_with(|| fit::Pair::new(key));
        pair.count += 1.0;
        pair.points += share;
    }
    let strengths = fit::fit(names.len(), pairs.into_values().collect());
    let mut ratings: Vec<Rating> = names
        .into_iter()
        .map(|(name, i)| Rating {
            player: name.to_owned(),
            elo: strengths[i].value * fit::ELO,
            low: (strengths[i].value - strengths[i].half) * fit::ELO,
            high: (strengths[i].value + strengths[i].half) * fit::ELO,
            comparisons: totals[i].0,
            points: totals[i].1,
        })
        .collect();
    ratings.sort_by(|x, y| y.elo.total_cmp(&x.elo));
    ratings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comparison(a: &str, b: &str, share: f64) -> Comparison {
        Comparison {
            a: a.to_owned(),
            b: b.to_owned(),
            share,
        }
    }

    fn some(a: &str, b: &str, wins: usize, draws: usize, losses: usize) -> Vec<Comparison> {
        let shares = [(1.0, wins), (0.5, draws), (0.0, losses)];
        let each = shares.into_iter().flat_map(|(share, count)| {
            std::iter::repeat_with(move || comparison(a, b, share)).take(count)
        });
        each.collect()
    }

    fn elo(ratings: &[Rating], player: &str) -> f64 {
        ratings.iter().find(|r| r.player == player).unwrap().elo
    }

    fn near(found: f64, expected: f64, by: f64) {
        assert!((found - expected).abs() < by, "{found}, not {expected}");
    }

    #[test]
    fn two_players_differ_by_the_closed_form() {
        for (wins, draws, losses) in [(7, 0, 3), (10, 0, 0), (3, 5, 2), (0, 1, 0), (0, 0, 100)] {
            let ratings = rate(&some("x", "y", wins, draws, losses));
            #[allow(clippy::cast_precision_loss)]
            let (n, points) = (
                (wins + draws + losses) as f64,
                wins as f64 + draws as f64 / 2.0,
            );
            let p = (points + 0.5) / (n + 1.0);
            let apart = 400.0 * (p / (1.0 - p)).log10();
            near(elo(&ratings, "x") - elo(&ratings, "y"), apart, 1e-6);
            near(elo(&ratings, "x") + elo(&ratings, "y"), 0.0, 1e-6);
            // The difference has the variance 1 / ((n + 1) p (1 - p)), each rating a quarter of it.
            let half = 0.5 * 1.959_964 / ((n + 1.0) * p * (1.0 - p)).sqrt() * fit::ELO;
            near((ratings[0].high - ratings[0].low) / 2.0, half, 1e-6);
        }
    }

    #[test]
    fn seven_of_ten_is_a_difference_of_130_points() {
        // p = 7.5 / 11, so 400 log10(7.5 / 3.5) = 132.397.
        let ratings = rate(&some("x", "y", 7, 0, 3));
        near(ratings[0].elo, 66.198_6, 1e-3);
        assert_eq!(ratings[0].player, "x");
        assert_eq!(ratings[0].comparisons, 10);
    }

    #[test]
    fn a_cycle_of_wins_makes_all_players_equal() {
        let mut all = some("x", "y", 5, 0, 0);
        all.extend(some("y", "z", 5, 0, 0));
        all.extend(some("z", "x", 5, 0, 0));
        for rating in rate(&all) {
            near(rating.elo, 0.0, 1e-6);
            assert!(rating.low < -50.0 && rating.high > 50.0);
        }
    }

    #[test]
    fn ratings_of_three_players_agree_with_a_manual_calculation() {
        let mut all = some("x", "y", 3, 0, 1);
        all.extend(some("y", "z", 3, 0, 1));
        let ratings = rate(&all);
        // x and y: 4 comparisons and (4/4 + 4/8) / 2 = 0.75 draws, so p = 3.375 / 4.75. A chain has
        // no cycle, so each link is fitted exactly.
        let apart = 400.0 * (3.375_f64 / 1.375).log10();
        near(elo(&ratings, "x"), apart, 1e-6);
        near(elo(&ratings, "y"), 0.0, 1e-6);
        near(elo(&ratings, "z"), -apart, 1e-6);
    }

    #[test]
    fn a_perfect_score_has_a_finite_rating_that_grows_with_matches() {
        let short = rate(&some("x", "y", 5, 0, 0));
        let long = rate(&some("x", "y", 500, 0, 0));
        assert!(short[0].elo < long[0].elo && long[0].elo < 2000.0);
        assert!(long[0].high.is_finite() && long[0].low > 0.0);
    }

    #[test]
    fn goal_shares_count_as_fractional_points() {
        let shares = rate(&[comparison("x", "y", 0.75), comparison("x", "y", 0.25)]);
        near(shares[0].elo, 0.0, 1e-6);
        let better = rate(&[comparison("x", "y", 0.75)]);
        near(better[0].elo, 200.0 * (1.25_f64 / 0.75).log10(), 1e-6);
    }

    #[test]
    fn unconnected_groups_have_an_average_each() {
        let mut all = some("a", "b", 3, 0, 1);
        all.extend(some("y", "z", 0, 1, 9));
        let ratings = rate(&all);
        near(elo(&ratings, "a") + elo(&ratings, "b"), 0.0, 1e-6);
        near(elo(&ratings, "y") + elo(&ratings, "z"), 0.0, 1e-6);
    }

    #[test]
    fn empty_and_invalid_comparisons_give_no_ratings() {
        assert!(rate(&[]).is_empty());
        assert!(rate(&[comparison("x", "x", 1.0), comparison("x", "y", f64::NAN)]).is_empty());
    }
}
