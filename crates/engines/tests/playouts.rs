//! Fast playouts are unbiased: their lengths and results match those of plain random playouts.

use std::sync::Arc;

use ludorum_engines::{AnyReasoner, Engine};
use ludorum_logic::Rules;
use ludorum_reasoner::{PlayoutEnd, Reasoner, Rng};

/// Sums over many playouts: of steps and of each role's goals, with their squares.
struct Sums {
    count: f64,
    sums: Vec<(f64, f64)>,
}

fn play(mut reasoner: AnyReasoner, seed: u64) -> Sums {
    let start = reasoner.initial().expect("a state");
    let mut rng = Rng::new(seed);
    let mut sums = vec![(0.0, 0.0); 1 + reasoner.roles().len()];
    let count = 200;
    for _ in 0..count {
        let playout = reasoner.playout(&start, &mut rng, 1_000).expect("a game");
        assert_eq!(playout.end, PlayoutEnd::Terminal);
        let goals = playout
            .goals
            .iter()
            .map(|goal| goal.value().expect("a goal"));
        let figures = std::iter::once(f64::from(playout.steps)).chain(goals.map(f64::from));
        for ((sum, squares), figure) in sums.iter_mut().zip(figures) {
            *sum += figure;
            *squares += figure * figure;
        }
    }
    Sums {
        count: f64::from(count),
        sums,
    }
}

#[test]
fn playouts_of_all_engines_have_the_same_means() {
    for name in [
        "tic-tac-toe",
        "connect-four",
        "nim",
        "breakthrough-small",
        "knights-tour",
        "bidding-tic-tac-toe",
        "pursuit",
        "chinese-checkers-3",
        "dots-and-boxes",
        "sheep-and-wolf",
    ] {
        let game = ludorum_games::find(name).expect("a shipped game");
        let rules = Arc::new(Rules::from_text(game.text).expect("rules"));
        let reference = play(Engine::PROVER.build(&rules).expect("the prover"), 1);
        for engine in Engine::variants() {
            let other = play(engine.build(&rules).expect("an engine"), 2);
            for (i, (a, b)) in reference.sums.iter().zip(&other.sums).enumerate() {
                let mean = |sums: &(f64, f64), count: f64| sums.0 / count;
                let variance =
                    |sums: &(f64, f64), count: f64| sums.1 / count - mean(sums, count).powi(2);
                let error = (variance(a, reference.count) / reference.count
                    + variance(b, other.count) / other.count)
                    .sqrt();
                let difference = (mean(a, reference.count) - mean(b, other.count)).abs();
                // Seeds are fixed, so the result is reproducible.
                assert!(
                    difference <= 4.0 * error + 1e-9,
                    "{name}, {engine}, figure {i}: {difference} is more than chance ({error})"
                );
            }
        }
    }
}

#[test]
fn playouts_from_any_state_leave_the_engine_consistent() {
    let mixed = |mut reasoner: AnyReasoner| {
        let start = reasoner.initial().expect("a state");
        let mut rng = Rng::new(5);
        let mut state = start.clone();
        let mut moves = Vec::new();
        for _ in 0..12 {
            let roles = reasoner.roles().len();
            let mut joint = Vec::new();
            for role in 0..roles {
                reasoner
                    .legal_moves(&state, role, &mut moves)
                    .expect("moves");
                joint.push(moves[rng.below(moves.len())]);
            }
            // Playouts in between, two from each state, must not affect the queries.
            for from in [&start, &state, &state, &start, &start] {
                reasoner.playout(from, &mut rng, 500).expect("a game");
            }
            let mut again = Vec::new();
            for (role, action) in joint.iter().enumerate() {
                reasoner
                    .legal_moves(&state, role, &mut again)
                    .expect("moves");
                assert!(again.contains(action));
            }
            let next = reasoner.next(&state, &joint).expect("a legal joint move");
            reasoner.playout(&next, &mut rng, 500).expect("a game");
            assert_eq!(reasoner.next(&state, &joint).expect("the same"), next);
            state = next;
            if reasoner.is_terminal(&state).expect("an answer") {
                state = start.clone();
            }
        }
    };
    for name in [
        "tic-tac-toe",
        "hex",
        "connect-four",
        "pursuit",
        "reversi-6x6",
    ] {
        let game = ludorum_games::find(name).expect("a shipped game");
        let rules = Arc::new(Rules::from_text(game.text).expect("rules"));
        for engine in Engine::variants() {
            mixed(engine.build(&rules).expect("an engine"));
        }
    }
}
