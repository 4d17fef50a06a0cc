//! Means of lengths and goals of staged playouts are those of another engine.

use ludorum_engines::Engine;
use ludorum_reasoner::{ReasonError, Reasoner, Rng};

use super::support::{rules, shared, staged};
use super::uniform::LARGE;

/// The mean and its squared error, by figure: the steps, the playouts that a limit or a role without a
/// move ended, then the goal of each role.
type Means = Vec<(f64, f64)>;

/// The means over `batches` times `each` playouts.
#[allow(clippy::cast_precision_loss)] // small numbers
pub(crate) fn means(
    reasoner: &mut impl Reasoner,
    batches: u32,
    each: u32,
    limit: u32,
) -> Result<Means, ReasonError> {
    let start = reasoner.initial()?;
    let mut rng = Rng::new(3);
    let mut figures: Vec<Vec<f64>> = Vec::new();
    for _ in 0..batches {
        let totals = reasoner
            .playouts(&[&start], each, &mut rng, limit)?
            .remove(0);
        assert_eq!(totals.playouts, u64::from(each));
        let counts = [totals.steps, totals.limited, totals.stuck];
        let all = counts.iter().chain(&totals.points).chain(&totals.scored);
        for (i, sum) in all.enumerate() {
            if figures.len() == i {
                figures.push(Vec::new());
            }
            figures[i].push(*sum as f64 / f64::from(each));
        }
    }
    let means = figures.iter().map(|values| {
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let squares = values.iter().map(|value| (value - mean).powi(2));
        (mean, squares.sum::<f64>() / (count - 1.0) / count)
    });
    Ok(means.collect())
}

/// Whether two lists of means are equal but for chance.
pub(crate) fn same(right: &Means, found: &Means) -> Result<(), String> {
    for (i, ((a, e), (b, f))) in right.iter().zip(found).enumerate() {
        let error = (e + f).sqrt();
        // The error itself is an estimate.
        if (a - b).abs() > 6.0 * error + 1e-3 {
            return Err(format!("figure {i}: {a} and {b}, error {error}"));
        }
    }
    Ok(())
}

/// Compares the means of two engines.
fn compare(name: &str, text: &str, engine: Engine, batches: u32, sizes: [u32; 2], limit: u32) {
    let rules = rules(text);
    let mut own = match staged(&rules) {
        Ok(staged) => staged,
        Err(error) => {
            println!("{name}: {error}");
            return;
        }
    };
    let mut other = engine.build(&rules).expect("an engine");
    let found = means(&mut own, batches, sizes[0], limit).expect("playouts");
    let right = means(&mut other, batches, sizes[1], limit).expect("playouts");
    let steps = (found[0].0, right[0].0);
    println!("{name}: {} and {} steps", steps.0, steps.1);
    if let Err(problem) = same(&right, &found) {
        panic!("{name}, {problem}");
    }
}

#[test]
fn means_of_shipped_games_are_equal() {
    for name in [
        "tic-tac-toe",
        "breakthrough-small",
        "knightthrough",
        "battle",
        "amazons-small",
        "clobber",
        "pursuit",
        "chinese-checkers-3",
        "reversi-6x6",
        "bidding-tic-tac-toe",
        "knights-tour",
    ] {
        let text = ludorum_games::find(name).expect("a shipped game").text;
        compare(name, text, Engine::LANES, 40, [500, 500], 500);
    }
}

#[test]
#[ignore = "takes minutes: cargo test --release -p ludorum-engines --test staged -- --ignored"]
fn means_of_large_games_are_equal() {
    for name in LARGE {
        if let Some(text) = shared(name) {
            compare(name, &text, Engine::ORAND, 30, [1_000, 8], 200);
        }
    }
}
