//! Measures how well puzzles are solved.
//!
//! `cargo run --release -p ludorum-players --example puzzles -- SECONDS SPEC PUZZLE PUZZLE …`
//! searches every puzzle for at most SECONDS and prints a line of JSON for each, then one with the
//! average. A puzzle is the name of a shipped one or the path of a sheet; SPEC is `solo` with
//! options. The time for building the engine counts towards the clock. Every line is
//! verified by replaying it on the prover.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use ludorum_logic::Rules;
use ludorum_players::{PlayerSpec, Solution, solve};
use ludorum_prover::Prover;
use ludorum_reasoner::{ReasonError, Reasoner};
use serde_json::json;

fn main() -> ExitCode {
    // As in the `ludorum` command.
    ludorum_memory::install_allocator();
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [seconds, spec, puzzles @ ..] = &words[..] else {
        eprintln!("usage: puzzles SECONDS SPEC PUZZLE PUZZLE …");
        return ExitCode::from(2);
    };
    match run(seconds, spec, puzzles) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(seconds: &str, spec: &str, puzzles: &[String]) -> Result<(), String> {
    let seconds = seconds.parse().map_err(|_| "SECONDS is a number")?;
    let clock = Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())?;
    let spec: PlayerSpec = spec.parse().map_err(|error| format!("{error}"))?;
    let mut sum = 0.0;
    let mut maximal = 0;
    for puzzle in puzzles {
        let text = match ludorum_games::find(puzzle) {
            Some(game) => game.text.to_owned(),
            None => {
                std::fs::read_to_string(puzzle).map_err(|error| format!("{puzzle}: {error}"))?
            }
        };
        let rules = Rules::from_text(&text).map_err(|_| format!("{puzzle} is not valid"))?;
        let rules = Arc::new(rules);
        let with_name = |error: &dyn std::fmt::Display| format!("{puzzle}: {error}");
        let solution = solve(&rules, &spec, clock, &Arc::default()).map_err(|e| with_name(&e))?;
        let value = replay(&rules, &solution).map_err(|e| with_name(&e))?;
        if value != solution.value {
            return Err(format!("{puzzle}: the line gives {value:?}: {solution:?}"));
        }
        sum += f64::from(value.unwrap_or(0));
        maximal += u32::from(solution.is_proven());
        println!(
            "{}",
            json!({
                "puzzle": puzzle,
                "value": value,
                "ceiling": solution.ceiling,
                "proof": solution.proof,
                "moves": solution.line.len(),
                "method": solution.method,
                "found_after": solution.found_after,
                "seconds": solution.seconds,
                "simulations": solution.simulations,
            })
        );
    }
    let count = u32::try_from(puzzles.len()).unwrap_or(u32::MAX).max(1);
    println!(
        "{}",
        json!({ "puzzles": puzzles.len(), "proven": maximal, "average": sum / f64::from(count) })
    );
    Ok(())
}

/// The goal value of the line when the prover replays it; `None` if it does not end the game.
fn replay(rules: &Arc<Rules>, solution: &Solution) -> Result<Option<u8>, ReasonError> {
    let mut prover = Prover::new(Arc::clone(rules))?;
    let mut state = prover.initial()?;
    for text in &solution.line {
        let Some(id) = prover.find_move(0, text) else {
            return Ok(None);
        };
        state = prover.next(&state, &[id])?;
    }
    if !prover.is_terminal(&state)? {
        return Ok(None);
    }
    Ok(prover.goal(&state, 0)?.value())
}
