//! The first joint move of a staged playout is uniform over the legal joint moves.

use ludorum_lanes::{StagedLanes, StagedState};
use ludorum_reasoner::{ReasonError, Reasoner, Rng};
use rustc_hash::FxHashMap;

use super::support::{joint_moves, rules, shared, shipped, staged, summary};

/// A state after a random joint move; `None` if there is none.
pub(crate) fn random_successor(
    staged: &mut StagedLanes,
    state: &StagedState,
    rng: &mut Rng,
) -> Option<StagedState> {
    let found = summary(staged, state).ok()?;
    if found.terminal || found.legal.iter().any(Vec::is_empty) {
        return None;
    }
    let joint: Vec<_> = found
        .legal
        .iter()
        .map(|moves| moves[rng.below(moves.len())])
        .collect();
    staged.next(state, &joint).ok()
}

/// Tests that the successors of a state occur as often as uniform joint moves lead to them, with
/// `each` playouts for each joint move. False if the state has no or too many successors.
pub(crate) fn check_state(
    staged: &mut StagedLanes,
    state: &StagedState,
    rng: &mut Rng,
    each: u64,
    limit: usize,
) -> Result<bool, String> {
    let Ok(found) = summary(staged, state) else {
        return Ok(false);
    };
    if found.terminal || found.legal.iter().any(Vec::is_empty) {
        return Ok(false);
    }
    let Some(joints) = joint_moves(&found.legal, limit) else {
        return Ok(false);
    };
    let count = (joints.len() as u64 * each).max(4_000);
    let last = match staged.last_states(state, count, rng, 1) {
        // Candidates are hardly ever accepted.
        Err(ReasonError::Budget(_)) => return Ok(false),
        other => other.map_err(|error| error.to_string())?,
    };
    let pairs: Vec<_> = joints.iter().map(|joint| (state, &joint[..])).collect();
    let successors = staged.next_states(&pairs).map_err(|e| e.to_string())?;
    let mut ways: FxHashMap<StagedState, u64> = FxHashMap::default();
    for successor in successors {
        *ways.entry(last.visible(&successor)).or_default() += 1;
    }
    let total: u64 = last.counts.values().sum();
    if total != count {
        return Err(format!("{total} of {count} playouts"));
    }
    for (other, times) in &last.counts {
        if !ways.contains_key(other) {
            let facts = staged.facts(other).join(" ");
            return Err(format!("{times} playouts went to {facts}"));
        }
    }
    let mut chi_square = 0.0;
    #[allow(clippy::cast_precision_loss)] // small numbers
    for (successor, ways) in &ways {
        let seen = last.counts.get(successor).copied().unwrap_or(0) as f64;
        let share = *ways as f64 / joints.len() as f64;
        let expected = count as f64 * share;
        let deviation = (expected * (1.0 - share)).sqrt();
        if (seen - expected).abs() > 6.0 * deviation + 1.0 {
            let facts = staged.facts(successor).join(" ");
            return Err(format!(
                "{seen} instead of {expected} ± {deviation} playouts of {} joint moves went to {facts}",
                joints.len()
            ));
        }
        chi_square += (seen - expected).powi(2) / expected;
    }
    #[allow(clippy::cast_precision_loss)] // small numbers
    let degrees = ways.len() as f64 - 1.0;
    if degrees > 0.0 {
        // The approximation of Wilson and Hilferty: a standard normal variable.
        let unit = 2.0 / (9.0 * degrees);
        let score = ((chi_square / degrees).cbrt() - (1.0 - unit)) / unit.sqrt();
        if score > 6.0 {
            return Err(format!(
                "chi-square {chi_square} with {degrees} degrees of freedom"
            ));
        }
    }
    Ok(true)
}

/// Tests states of some random playouts: the first, and after that one in `stride`. Returns the number of
/// states tested.
fn check_game(
    name: &str,
    staged: &mut StagedLanes,
    playouts: u32,
    stride: usize,
    each: u64,
) -> u32 {
    let mut tested = 0;
    let mut rng = Rng::new(17);
    for playout in 0..playouts {
        let mut state = staged.initial().expect("a state");
        for step in 0..12 * stride {
            let wanted = if step == 0 {
                playout == 0
            } else {
                step % stride == 0
            };
            if wanted {
                match check_state(staged, &state, &mut rng, each, 4_000) {
                    Ok(done) => tested += u32::from(done),
                    Err(problem) => panic!("{name}, step {step}: {problem}"),
                }
            }
            match random_successor(staged, &state, &mut rng) {
                Some(next) => state = next,
                None => break,
            }
        }
    }
    tested
}

#[test]
fn first_moves_of_shipped_games_are_uniform() {
    for name in [
        "tic-tac-toe",
        "breakthrough-small",
        "knightthrough",
        "battle",
        "amazons-small",
        "clobber",
        "knights-tour",
        "pursuit",
        "chinese-checkers-3",
        "reversi-6x6",
        "bidding-tic-tac-toe",
        "lines-of-action",
    ] {
        let mut staged = staged(&shipped(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        let tested = check_game(name, &mut staged, 1, 5, 60);
        println!("{name}: {tested} states");
        assert!(tested > 0, "{name}");
    }
}

/// Games of the shared collection with many moves.
pub(crate) const LARGE: [&str; 12] = [
    "base/chess",
    "base/amazons",
    "base/amazonsTorus",
    "base/alexChess",
    "base/speedChess",
    "base/slaughter",
    "base/othello-comp2007",
    "base/skirmish",
    "base/checkers",
    "base/battle",
    "base/breakthrough",
    "base/chess_200",
];

fn check_large(names: &[&str], playouts: u32, stride: usize, each: u64) {
    for name in names {
        let Some(text) = shared(name) else {
            continue;
        };
        let mut staged = match staged(&rules(&text)) {
            Ok(staged) => staged,
            Err(error) => {
                println!("{name}: {error}");
                continue;
            }
        };
        let tested = check_game(name, &mut staged, playouts, stride, each);
        println!("{name}: {tested} states");
        assert!(tested > 0, "{name}");
    }
}

#[test]
fn first_moves_of_two_large_games_are_uniform() {
    check_large(&["base/skirmish", "base/speedChess"], 1, 7, 40);
}

#[test]
#[ignore = "takes minutes: cargo test --release -p ludorum-engines --test staged -- --ignored"]
fn first_moves_of_large_games_are_uniform() {
    check_large(&LARGE, 2, 9, 100);
}
