//! The speed of an engine next to that of another system, game by game.
//!
//! `cargo run --release -p ludorum-lab --example peers -- CSV GAMES ENGINE [SECONDS]` reads a table with the columns `game` (the first) and
//! `states_per_cpu_s` and the sheets `GAMES/game.kif`, and prints a JSON array with the ratio for each game, and on standard error the median.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use ludorum_lab::collection::Sheet;
use ludorum_lab::speed::{Effort, Speed, speed};
use ludorum_logic::Rules;
use ludorum_reason::Engine;
use serde::Serialize;

/// The column that holds the other system's speed.
const COLUMN: &str = "states_per_cpu_s";

#[derive(Serialize)]
struct Line {
    game: String,
    peer: f64,
    #[serde(flatten)]
    speed: Speed,
    ratio: f64,
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match &words[..] {
        [csv, games, engine] => run(csv, games, engine, 2.0),
        [csv, games, engine, seconds] => match seconds.parse() {
            Ok(seconds) => run(csv, games, engine, seconds),
            Err(_) => usage(),
        },
        _ => usage(),
    }
}

fn usage() -> ExitCode {
    eprintln!("usage: peers CSV GAMES ENGINE [SECONDS]");
    ExitCode::from(2)
}

fn run(csv: &str, games: &str, engine: &str, seconds: f64) -> ExitCode {
    let engine: Engine = match engine.parse() {
        Ok(engine) => engine,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    let Ok(text) = std::fs::read_to_string(csv) else {
        eprintln!("cannot read `{csv}`");
        return ExitCode::from(2);
    };
    let mut rows = text.lines();
    let header = rows.next().unwrap_or_default();
    let Some(column) = header.split(',').position(|name| name == COLUMN) else {
        eprintln!("`{csv}` has no column `{COLUMN}`");
        return ExitCode::from(2);
    };
    let mut lines = Vec::new();
    for row in rows {
        let cells: Vec<&str> = row.split(',').collect();
        let (Some(game), Some(Ok(peer))) = (
            cells.first(),
            cells.get(column).map(|cell| cell.parse::<f64>()),
        ) else {
            continue;
        };
        match measure(
            &Path::new(games).join(format!("{game}.kif")),
            engine,
            seconds,
        ) {
            Ok(speed) => {
                let ratio = speed.states_per_second / peer;
                eprintln!(
                    "{game}: {:.0} / {peer:.0} = {ratio:.1}",
                    speed.states_per_second
                );
                lines.push(Line {
                    game: (*game).to_owned(),
                    peer,
                    speed,
                    ratio,
                });
            }
            Err(problem) => eprintln!("{game}: {problem}"),
        }
    }
    match serde_json::to_string_pretty(&lines) {
        Ok(text) => println!("{text}"),
        Err(error) => eprintln!("{error}"),
    }
    let mut ratios: Vec<f64> = lines.iter().map(|line| line.ratio).collect();
    ratios.sort_by(f64::total_cmp);
    if let Some(median) = ratios.get(ratios.len() / 2) {
        eprintln!("median of {} games: {median:.1}", ratios.len());
    }
    ExitCode::SUCCESS
}

fn measure(sheet: &Path, engine: Engine, seconds: f64) -> Result<Speed, String> {
    let text = Sheet::File(sheet.to_owned());
    let text = text.text().map_err(|error| error.to_string())?;
    let rules = Rules::from_text(&text).map_err(|problems| format!("{} errors", problems.len()))?;
    let effort = Effort {
        time: Duration::from_secs_f64(seconds),
        ..Effort::default()
    };
    speed(&Arc::new(rules), engine, &effort).map_err(|error| error.to_string())
}
