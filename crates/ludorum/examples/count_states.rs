//! Loads a game of one's own and counts its states, level by level.
//!
//! `cargo run --release --package ludorum --example count_states -- my-game.kif`

use std::collections::HashSet;

use ludorum::{Error, Game, MoveId};

/// Two robots on a line of five fields that step left, right or stay, and may not share a field.
const RULES: &str = "
    (role left) (role right)
    (init (at left 1)) (init (at right 5))
    (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
    (<= (next-to ?x ?y) (succ ?x ?y)) (<= (next-to ?x ?y) (succ ?y ?x))
    (<= (legal ?r stay) (role ?r))
    (<= (legal ?r (go ?y)) (true (at ?r ?x)) (next-to ?x ?y))
    (<= (next (at ?r ?y)) (does ?r (go ?y)))
    (<= (next (at ?r ?x)) (does ?r stay) (true (at ?r ?x)))
    (<= met (true (at left ?x)) (true (at right ?x)))
    (<= terminal met)
    (<= (goal ?r 100) (role ?r) met)
    (<= (goal ?r 0) (role ?r) (not met))";

/// At most this many states are kept.
const MAX_STATES: usize = 100_000;

fn main() -> Result<(), Error> {
    let game = match std::env::args().nth(1) {
        Some(path) => Game::from_path(path)?,
        None => Game::from_text("robots", RULES)?,
    };
    for problem in game.diagnostics() {
        println!("{}: {}", problem.code, problem.message);
    }
    let mut engine = game.engine("auto")?;
    let start = engine.initial()?;
    let mut seen = HashSet::from([engine.key(&start)]);
    let mut level = vec![start];
    for depth in 0.. {
        println!("depth {depth}: {} new states", level.len());
        let mut next_level = Vec::new();
        let summaries = engine.summaries(&level)?;
        for (state, summary) in level.iter().zip(summaries) {
            if summary.terminal {
                continue;
            }
            for joint_move in joint_moves(&summary.legal) {
                let next = engine.next(state, &joint_move)?;
                if seen.insert(engine.key(&next)) {
                    next_level.push(next);
                }
            }
        }
        if next_level.is_empty() || seen.len() > MAX_STATES {
            break;
        }
        level = next_level;
    }
    println!("{} states in all", seen.len());
    Ok(())
}

/// All combinations of one legal move for each role.
fn joint_moves(legal: &[Vec<MoveId>]) -> Vec<Vec<MoveId>> {
    let mut all = vec![Vec::new()];
    for moves in legal {
        let extend = |joint: &Vec<MoveId>| {
            let joint = joint.clone();
            moves.iter().map(move |id| [&joint[..], &[*id]].concat())
        };
        all = all.iter().flat_map(extend).collect();
    }
    all
}
