//! Maximum-likelihood fit of the Bradley-Terry model (Bradley and Terry 1952) by Newton's method
//! with step halving. Hunter 2004 describes the model's likelihood and a slower iteration for the
//! same maximum.

/// Elo points per unit of the natural scale, on which the winning probability is `1 / (1 +
/// exp(-difference))`.
pub(super) const ELO: f64 = 400.0 / std::f64::consts::LN_10;

/// The 97.5 % quantile of the normal distribution.
const NORMAL_QUANTILE: f64 = 1.959_964;

/// Iteration limit. Newton's method converges quadratically, so it is never reached.
const MAX_ITERATIONS: usize = 100;

/// All comparisons of two players.
#[derive(Clone, Debug)]
pub(super) struct Pair {
    a: usize,
    b: usize,
    /// The number of comparisons.
    pub(super) count: f64,
    /// The points of the first player.
    pub(super) points: f64,
}

impl Pair {
    pub(super) fn new((a, b): (usize, usize)) -> Self {
        Self {
            a,
            b,
            count: 0.0,
            points: 0.0,
        }
    }
}

/// The strength of a player on the natural scale.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Strength {
    pub(super) value: f64,
    /// Half the width of the confidence interval.
    pub(super) half: f64,
}

/// The strengths of all players; each pair must occur once.
pub(super) fn fit(players: usize, mut pairs: Vec<Pair>) -> Vec<Strength> {
    add_draws(players, &mut pairs);
    let mut strengths = vec![Strength::default(); players];
    for group in groups(players, &pairs) {
        let mut place = vec![usize::MAX; players];
        for (i, player) in group.iter().enumerate() {
            place[*player] = i;
        }
        let inside = pairs.iter().filter(|pair| place[pair.a] != usize::MAX);
        let inside: Vec<Pair> = inside
            .map(|pair| Pair {
                a: place[pair.a],
                b: place[pair.b],
                ..*pair
            })
            .collect();
        for (player, strength) in group.iter().zip(fit_group(group.len(), &inside)) {
            strengths[*player] = strength;
        }
    }
    strengths
}

/// Regularisation: adds about one draw for each player, spread over the opponents in proportion to
/// the comparisons.
fn add_draws(players: usize, pairs: &mut [Pair]) {
    let mut counts = vec![0.0; players];
    for pair in &*pairs {
        counts[pair.a] += pair.count;
        counts[pair.b] += pair.count;
    }
    for pair in pairs {
        let draws = pair.count * f64::midpoint(1.0 / counts[pair.a], 1.0 / counts[pair.b]);
        pair.count += draws;
        pair.points += draws / 2.0;
    }
}

/// The connected components of the comparison graph.
fn groups(players: usize, pairs: &[Pair]) -> Vec<Vec<usize>> {
    let mut near = vec![Vec::new(); players];
    for pair in pairs {
        near[pair.a].push(pair.b);
        near[pair.b].push(pair.a);
    }
    let mut seen = vec![false; players];
    let mut groups = Vec::new();
    for first in 0..players {
        if std::mem::replace(&mut seen[first], true) {
            continue;
        }
        let mut group = vec![first];
        let mut next = 0;
        while let Some(player) = group.get(next).copied() {
            next += 1;
            for other in &near[player] {
                if !std::mem::replace(&mut seen[*other], true) {
                    group.push(*other);
                }
            }
        }
        group.sort_unstable();
        groups.push(group);
    }
    groups
}

#[allow(clippy::cast_precision_loss)] // numbers of players
fn fit_group(players: usize, pairs: &[Pair]) -> Vec<Strength> {
    let mut values = vec![0.0; players];
    let mut likelihood = log_likelihood(&values, pairs);
    for _ in 0..MAX_ITERATIONS {
        let mut slope = vec![0.0; players];
        for pair in pairs {
            let over = pair.points - pair.count * chance(values[pair.a] - values[pair.b]);
            slope[pair.a] += over;
            slope[pair.b] -= over;
        }
        if slope.iter().all(|s| s.abs() < 1e-11) {
            break;
        }
        let mut step = slope;
        factor(curvature(&values, pairs)).solve(&mut step);
        // Step halving: a full Newton step may overshoot.
        let mut part = 1.0;
        let (found, reached) = loop {
            let moved = values.iter().zip(&step).map(|(v, s)| v + part * s);
            let moved: Vec<f64> = moved.collect();
            let reached = log_likelihood(&moved, pairs);
            if reached >= likelihood || part < 1e-6 {
                break (moved, reached);
            }
            part /= 2.0;
        };
        let gained = reached - likelihood;
        (values, likelihood) = (found, reached);
        if gained.abs() < 1e-15 && part < 1e-6 {
            break;
        }
    }
    let factored = factor(curvature(&values, pairs));
    let strength = |i: usize| {
        let mut column = vec![0.0; players];
        column[i] = 1.0;
        factored.solve(&mut column);
        // Subtracts the share of the average in the inverse, see `curvature`.
        let variance = column[i] - 1.0 / players as f64;
        Strength {
            value: values[i],
            half: NORMAL_QUANTILE * variance.max(0.0).sqrt(),
        }
    };
    (0..players).map(strength).collect()
}

fn chance(difference: f64) -> f64 {
    1.0 / (1.0 + (-difference).exp())
}

fn log_likelihood(values: &[f64], pairs: &[Pair]) -> f64 {
    // ln(1 + exp(x)) without an overflow.
    let softplus = |x: f64| x.max(0.0) + (-x.abs()).exp().ln_1p();
    let each = pairs.iter().map(|pair| {
        let x = values[pair.a] - values[pair.b];
        -pair.points * softplus(-x) - (pair.count - pair.points) * softplus(x)
    });
    each.sum()
}

/// The negated Hessian of the log-likelihood. Only differences of strengths matter, so the vector
/// of ones is in its null space. Adding `1 / n` to all entries makes it invertible, changes nothing
/// elsewhere and keeps the average.
#[allow(clippy::cast_precision_loss)] // numbers of players
fn curvature(values: &[f64], pairs: &[Pair]) -> Vec<Vec<f64>> {
    let n = values.len();
    let mut matrix = vec![vec![1.0 / n as f64; n]; n];
    for pair in pairs {
        let p = chance(values[pair.a] - values[pair.b]);
        let weight = pair.count * p * (1.0 - p);
        matrix[pair.a][pair.a] += weight;
        matrix[pair.b][pair.b] += weight;
        matrix[pair.a][pair.b] -= weight;
        matrix[pair.b][pair.a] -= weight;
    }
    matrix
}

/// The lower triangular factor of a Cholesky decomposition.
struct Factored(Vec<Vec<f64>>);

/// The Cholesky decomposition of a positive definite matrix.
fn factor(mut matrix: Vec<Vec<f64>>) -> Factored {
    for i in 0..matrix.len() {
        for j in 0..=i {
            let product: f64 = (0..j).map(|k| matrix[i][k] * matrix[j][k]).sum();
            let rest = matrix[i][j] - product;
            matrix[i][j] = if i == j {
                // Positive except for rounding errors.
                rest.max(1e-12).sqrt()
            } else {
                rest / matrix[j][j]
            };
        }
    }
    Factored(matrix)
}

impl Factored {
    /// Solves the system for a right-hand side, in place.
    fn solve(&self, side: &mut [f64]) {
        let rows = &self.0;
        for i in 0..side.len() {
            let known: f64 = (0..i).map(|k| rows[i][k] * side[k]).sum();
            side[i] = (side[i] - known) / rows[i][i];
        }
        for i in (0..side.len()).rev() {
            let known: f64 = (i + 1..side.len()).map(|k| rows[k][i] * side[k]).sum();
            side[i] = (side[i] - known) / rows[i][i];
        }
    }
}
