//! Measures the simulations per second of players.
//!
//! `cargo run --release -p ludorum-players --example rates -- SECONDS GAME,GAME SPEC SPEC …` lets
//! every player search the first move of every game, in three alternating rounds, and prints a JSON
//! array with the median of each. A game is the name of a shipped one or the path of a sheet.
//! The clock starts when the engine is ready.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ludorum_engines::AnyReasoner;
use ludorum_logic::Rules;
use ludorum_players::{PlayError, PlayerSpec, Report};
use ludorum_reasoner::Reasoner;
use serde_json::{Value, json};

const ROUNDS: usize = 3;

fn main() -> ExitCode {
    // As in the `ludorum` command.
    ludorum_memory::install_allocator();
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [seconds, games, specs @ ..] = &words[..] else {
        eprintln!("usage: rates SECONDS GAME,GAME SPEC SPEC …");
        return ExitCode::from(2);
    };
    match table(seconds, games, specs) {
        Ok(table) => {
            println!("{table:#}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn table(seconds: &str, games: &str, specs: &[String]) -> Result<Value, String> {
    let seconds = seconds.parse().map_err(|_| "SECONDS is a number")?;
    let clock = Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())?;
    let specs = specs.iter().map(|text| text.parse::<PlayerSpec>());
    let specs: Vec<PlayerSpec> = specs
        .collect::<Result<_, _>>()
        .map_err(|error| error.to_string())?;
    let mut rows = Vec::new();
    for game in games.split(',') {
        let text = match ludorum_games::find(game) {
            Some(game) => game.text.to_owned(),
            None => std::fs::read_to_string(game).map_err(|error| format!("{game}: {error}"))?,
        };
        let rules = Rules::from_text(&text).map_err(|_| format!("{game} is not valid"))?;
        let rules = Arc::new(rules);
        let mut reports: Vec<Vec<Report>> = vec![Vec::new(); specs.len()];
        for _ in 0..ROUNDS {
            for (spec, reports) in specs.iter().zip(&mut reports) {
                let reasoner = spec.engine().build(&rules);
                let reasoner = reasoner.map_err(|error| error.to_string())?;
                let report = search(reasoner, spec, clock);
                reports.push(report.map_err(|error| error.to_string())?);
            }
        }
        for (spec, reports) in specs.iter().zip(&mut reports) {
            reports.sort_by(|a, b| a.rate().total_cmp(&b.rate()));
            let middle = &reports[ROUNDS / 2];
            let best = middle.moves.first();
            rows.push(json!({
                "game": game,
                "player": spec.to_string(),
                "simulations_per_second": middle.rate().round(),
                "depth": middle.depth,
                "nodes": middle.nodes,
                "bytes": middle.bytes,
                "best": best.map(|best| json!([best.text, best.visits, best.value])),
            }));
        }
    }
    Ok(Value::Array(rows))
}

/// The report of one search from the initial state.
fn search(
    mut reasoner: AnyReasoner,
    spec: &PlayerSpec,
    clock: Duration,
) -> Result<Report, PlayError> {
    reasoner.wait_until_ready();
    // The first role with a choice.
    let state = reasoner.initial()?;
    let mut legal = Vec::new();
    let mut first = 0;
    for role in (0..reasoner.roles().len()).rev() {
        reasoner.legal_moves(&state, role, &mut legal)?;
        if legal.len() > 1 {
            first = role;
        }
    }
    let mut player = spec.player_on(reasoner, first)?;
    Ok(player.play(Instant::now() + clock)?.report)
}
