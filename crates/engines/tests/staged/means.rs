//! Means of lengths and goals of staged playouts are those of another engine.

use ludorum_engines::Engine;
use ludorum_reasoner::{Reasoner, Rng};

use super::support::{rules, shared, shipped, staged};
use super::uniform::LARGE;

/// The mean and its squared error, by figure: the steps, then the goal of each role.
type Means = Vec<(f64, f64)>;

#[allow(clippy::cast_precision_loss)] // small numbers
fn means(reasoner: &mut impl Reasoner, batches: u32, each: u32, limit: u32) -> Means {
    let start = reasoner.initial().expect("a state");
    let mut rng = Rng::new(3);
    let roles = reasoner.roles().len();
    let mut figures: Vec<Vec<f64>> = vec![Vec::new(); 1 + roles];
    for _ in 0..batches {
        let totals = reasoner
            .playouts(&[&start], each, &mut rng, limit)
            .unwrap_or_else(|error| panic!("{error}"))
            .remove(0);
        assert_eq!(totals.playouts, u64::from(each));
        figures[0].push(totals.steps as f64 / f64::from(each));
        for role in 0..roles {
            figures[1 + role].push(totals.points[role] as f64 / f64::from(each));
        }
    }
    figures
        .iter()
        .map(|values| {
            let count = values.len() as f64;
            let mean = values.iter().sum::<f64>() / count;
            let squares = values.iter().map(|value| (value - mean).powi(2));
            (mean, squares.sum::<f64>() / (count - 1.0) / count)
        })
        .collect()
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
    let found = means(&mut own, batches, sizes[0], limit);
    let right = means(&mut other, batches, sizes[1], limit);
    println!("{name}: {found:?} and {right:?}");
    for (i, ((a, e), (b, f))) in found.iter().zip(&right).enumerate() {
        let error = (e + f).sqrt();
        // Few batches underestimate the error now and then.
        assert!(
            (a - b).abs() <= 5.0 * error + 1e-9,
            "{name}, figure {i}: {a} and {b}, error {error}"
        );
    }
}

#[test]
fn means_of_shipped_games_are_equal() {
    for name in [
        "tic-tac-toe",
        "breakthrough-small",
        "checkers",
        "battle",
        "amazons-small",
        "skirmish",
        "pursuit",
        "chinese-checkers-3",
        "reversi-6x6",
        "bidding-tic-tac-toe",
        "knights-tour",
    ] {
        let text = ludorum_games::find(name).expect("a shipped game").text;
        let _ = shipped(name);
        compare(name, text, Engine::LANES, 40, [500, 500], 500);
    }
}

#[test]
#[ignore = "minutes"]
fn means_of_large_games_are_equal() {
    for name in LARGE {
        if let Some(text) = shared(name) {
            compare(name, &text, Engine::ORAND, 30, [1_000, 8], 200);
        }
    }
}
