//! Golden playthroughs: one random playout of a game as text, compared with a checked-in file.
//!
//! The first states and the last one are printed in full for human readers. All other states are
//! represented by the key, which identifies the facts, the number of legal moves of each role with
//! a checksum of their texts, and the joint move. The text depends only on the rule sheet.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ludorum_engines::Engine;
use ludorum_games::ShippedGame;
use ludorum_gdl::diagnostic::summary;
use ludorum_logic::Rules;
use ludorum_reasoner::zobrist::fluent_key;
use ludorum_reasoner::{GameWalker, Rng};
use thiserror::Error;

use crate::conform::Observation;

/// Maximum number of steps of the playout.
const MAX_STEPS: usize = 60;
/// Number of states at the start that are printed in full.
const FULL_STATES: usize = 2;

/// The folder of the golden playthroughs in the source tree.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("goldens")
}

/// The error of a playthrough that cannot be made.
#[derive(Debug, Error)]
#[error("{game}: {problem}")]
pub struct GoldenError {
    game: String,
    problem: String,
}

/// Plays the golden playout of a game with an engine and returns its text.
pub fn playthrough(game: &ShippedGame, engine: Engine) -> Result<String, GoldenError> {
    let failed = |problem: String| GoldenError {
        game: game.name.to_owned(),
        problem,
    };
    let rules = Rules::from_text(game.text).map_err(|problems| failed(summary(&problems)))?;
    let mut walker = engine
        .walker(&Arc::new(rules))
        .map_err(|error| failed(error.to_string()))?;
    write(&mut *walker, game.name).map_err(|error| failed(error.to_string()))
}

fn write(walker: &mut dyn GameWalker, name: &str) -> Result<String, ludorum_reasoner::ReasonError> {
    let roles = walker.roles();
    let mut rng = Rng::new(fluent_key(name) as u64);
    let mut text = format!("game {name}\nroles {}\n", roles.join(" "));
    for step in 0.. {
        let seen = Observation::of(walker)?;
        let stuck = seen.legals.iter().any(Vec::is_empty);
        let is_last = seen.terminal || stuck || step == MAX_STEPS;
        let _ = write!(text, "\nstep {step} key {:032x}", seen.key.unwrap_or(0));
        let _ = writeln!(text, "{}", if seen.terminal { " terminal" } else { "" });
        let is_full = step < FULL_STATES || is_last;
        if is_full {
            for fact in &seen.facts {
                let _ = writeln!(text, "  {fact}");
            }
        }
        for (role, moves) in roles.iter().zip(&seen.legals) {
            let sum = fluent_key(&moves.join("\n")) as u32;
            let _ = writeln!(text, "legal {role} {} sum {sum:08x}", moves.len());
            if is_full {
                for legal in moves {
                    let _ = writeln!(text, "  {legal}");
                }
            }
        }
        let goals = (0..roles.len()).map(|role| walker.goal(role).map(|goal| goal.to_string()));
        let goals: Vec<String> = goals.collect::<Result<_, _>>()?;
        let _ = writeln!(text, "goals {}", goals.join(" / "));
        if is_last {
            break;
        }
        let joint: Vec<String> = seen
            .legals
            .iter()
            .map(|moves| moves[rng.below(moves.len())].clone())
            .collect();
        let _ = writeln!(text, "moves {}", joint.join(" / "));
        walker.step(&joint)?;
    }
    Ok(text)
}
