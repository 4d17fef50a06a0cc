//! What games are compiled to for lanes, how fast they are played, and where the time goes.
//!
//! `cargo run --release -p ludorum-lab --example lanes -- SHEET…` prints a JSON array with an object for each sheet: the figures of the compiled
//! game, state changes a second, nanoseconds of a step of all lanes, and the shares of a step in per cent.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cpu_time::ThreadTime;
use ludorum_lab::collection::Sheet;
use ludorum_logic::Rules;
use ludorum_reason::engine::{BuildError, Settings};
use ludorum_reason::lanes::{Figures, Lanes};
use ludorum_reason::{Dice, Engine, Reasoner};
use serde::Serialize;

/// No playout is longer.
const LIMIT: u32 = 100_000;
/// How long each game is played.
const TIME: Duration = Duration::from_millis(400);

#[derive(Serialize)]
struct Line {
    game: String,
    #[serde(flatten)]
    figures: Figures,
    network_ms: f64,
    init_ms: f64,
    states_per_second: f64,
    average_length: f64,
    step_ns: f64,
    gates_percent: f64,
    draw_percent: f64,
    random_percent: f64,
    results_percent: f64,
}

fn main() -> ExitCode {
    let sheets: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    if sheets.is_empty() {
        eprintln!("usage: lanes SHEET…");
        return ExitCode::from(2);
    }
    let mut lines = Vec::new();
    for sheet in sheets {
        match measure(sheet.clone()) {
            Ok(line) => {
                eprintln!(
                    "{:24} {:9.2} M states/s  {:6} ops  {:6.0}+{:<6.0} ms  {:8.0} ns a step: gates {:.0} draw {:.0} random {:.0} results {:.0}",
                    line.game,
                    line.states_per_second / 1e6,
                    line.figures.operations,
                    line.network_ms,
                    line.init_ms - line.network_ms,
                    line.step_ns,
                    line.gates_percent,
                    line.draw_percent,
                    line.random_percent,
                    line.results_percent
                );
                lines.push(line);
            }
            Err(problem) => eprintln!("{}: {problem}", sheet.display()),
        }
    }
    match serde_json::to_string_pretty(&lines) {
        Ok(text) => {
            println!("{text}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

#[allow(clippy::cast_precision_loss)] // figures for people
fn measure(path: PathBuf) -> Result<Line, String> {
    let game = path
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let sheet = Sheet::File(path);
    let text = sheet.text().map_err(|error| error.to_string())?;
    let rules = Rules::from_text(&text).map_err(|problems| format!("{} errors", problems.len()))?;
    let begin = Instant::now();
    let network = Engine::Lanes
        .network(&Arc::new(rules), &Settings::default())
        .map_err(|error: BuildError| error.to_string())?;
    let network_ms = begin.elapsed().as_secs_f64() * 1e3;
    let mut lanes = Lanes::new(network);
    let init_ms = begin.elapsed().as_secs_f64() * 1e3;
    let figures = lanes.figures();
    let start = lanes.initial().map_err(|error| error.to_string())?;
    let mut dice = Dice::new(1);
    let (mut states, mut playouts) = (0, 0);
    let mut batch = 512;
    let clock = Instant::now();
    let cpu = ThreadTime::now();
    while clock.elapsed() < TIME {
        let starts = std::slice::from_ref(&start);
        for tally in lanes
            .playouts(starts, batch, &mut dice, LIMIT)
            .map_err(|error| error.to_string())?
        {
            states += tally.steps;
            playouts += tally.playouts;
        }
        batch = (2 * batch).min(200_000);
    }
    let rate = states as f64 / cpu.elapsed().as_secs_f64().max(1e-9);
    let profile = lanes
        .profile(&start, (playouts / 4).clamp(512, 200_000) as u32, LIMIT)
        .map_err(|error| error.to_string())?;
    let total = profile.total().as_secs_f64().max(1e-12);
    let share = |time: Duration| 100.0 * time.as_secs_f64() / total;
    Ok(Line {
        game,
        network_ms,
        init_ms,
        states_per_second: rate,
        average_length: states as f64 / playouts.max(1) as f64,
        step_ns: 1e9 * figures.lanes as f64 / rate,
        gates_percent: share(profile.early) + share(profile.main),
        draw_percent: share(profile.draw),
        random_percent: share(profile.random),
        results_percent: share(profile.results),
        figures,
    })
}
