//! `ludorum bench`: how fast engines play.

use std::ffi::OsString;
use std::io::Write as _;
use std::sync::Arc;
use std::time::Duration;

use clap::ValueHint;
use indicatif::{ProgressBar, ProgressStyle};
use ludorum_lab::speed::{Speed, speed};
use serde::Serialize;

use crate::diagnosis;
use crate::engines::EngineOption;
use crate::outcome::{Answer, Failure};

use crate::source::GameSource;
use crate::terminal::{Terminal, printable};

/// Measure how fast engines play random games from the initial state.
///
/// Rates are per CPU second of the one thread that plays, so that other work on the machine counts as little as can be; still, compare
/// figures of one run with each other rather than with those of another day.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// Shipped names, paths of sheets, or `-` for standard input.
    #[arg(value_name = "GAME", required = true, value_hint = ValueHint::FilePath)]
    games: Vec<OsString>,

    #[command(flatten)]
    engine: EngineOption,

    /// How long each engine plays each game.
    #[arg(long, value_name = "SECONDS", default_value_t = 2.0)]
    seconds: f64,

    /// The seed of the random moves.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,

    /// Print as JSON.
    #[arg(long)]
    json: bool,
}

const AFTER_HELP: &str = "\
Examples:
  ludorum bench tic-tac-toe connect-four            all engines, 2 seconds each
  ludorum bench breakthrough --engine propnet       one engine
  ludorum bench chess --seconds 10 --json           for a machine to read

JSON: an array of {\"game\", \"engine\", \"threads\", \"init_ms\", \"states_per_second\", \"playouts_per_second\",
\"average_length\", \"states\", \"playouts\", \"cpu_seconds\", \"wall_seconds\", \"peak_memory_bytes\", \"components\"}; where an engine
cannot play a game, {\"game\", \"engine\", \"error\"}.

Exit codes: 0 fine, 1 some engine could not play some game, 2 wrong use or bad input.";

#[derive(Serialize)]
struct Line {
    game: String,
    engine: &'static str,
    #[serde(flatten)]
    result: Outcome,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Outcome {
    Played(Speed),
    Failed { error: String },
}

pub(crate) fn run(args: &Args, terminal: &mut Terminal) -> Result<Answer, Failure> {
    let time = Duration::try_from_secs_f64(args.seconds)
        .map_err(|_| Failure::input("--seconds takes a number from 0"))?;
    let engines = args.engine.engines();
    let mut games = Vec::with_capacity(args.games.len());
    for game in &args.games {
        let source = GameSource::open(game)?;
        let rules = Arc::new(diagnosis::rules(&source, terminal)?);
        games.push((source.name, rules));
    }
    let bar = ProgressBar::new((games.len() * engines.len()) as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {wide_msg}") {
        bar.set_style(style);
    }
    let mut lines = Vec::with_capacity(games.len() * engines.len());
    for (name, rules) in &games {
        for engine in &engines {
            bar.set_message(format!("{name}, {engine}"));
            let result = match speed(rules, *engine, time, args.seed) {
                Ok(speed) => Outcome::Played(speed),
                Err(error) => Outcome::Failed {
                    error: error.to_string(),
                },
            };
            lines.push(Line {
                game: name.clone(),
                engine: engine.name(),
                result,
            });
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    if args.json {
        terminal.json(&lines)?;
    } else {
        table(&lines, terminal)?;
    }
    let failed = |line: &Line| matches!(line.result, Outcome::Failed { .. });
    Ok(if lines.iter().any(failed) {
        Answer::No
    } else {
        Answer::Yes
    })
}

fn table(lines: &[Line], terminal: &mut Terminal) -> std::io::Result<()> {
    let look = terminal.look;
    let width = lines.iter().map(|line| line.game.chars().count()).max();
    let width = width.unwrap_or(0).clamp(4, 40);
    let title = format!(
        "{:<width$}  {:<16}  {:>9}  {:>12}  {:>12}  {:>7}  {:>10}  {:>9}",
        "game", "engine", "init", "states/s", "playouts/s", "length", "components", "memory"
    );
    writeln!(terminal, "{}", look.strong(&title))?;
    for line in lines {
        let name = printable(&line.game);
        match &line.result {
            Outcome::Played(speed) => {
                let components = speed.components.map_or("-".to_owned(), |n| n.to_string());
                let memory = speed.peak_memory_bytes.map_or("-".to_owned(), |bytes| {
                    format!("{} MiB", bytes.div_ceil(1 << 20))
                });
                writeln!(
                    terminal,
                    "{name:<width$}  {:<16}  {:>6.1} ms  {:>12.0}  {:>12.1}  {:>7.1}  {components:>10}  {memory:>9}",
                    line.engine,
                    speed.init_ms,
                    speed.states_per_second,
                    speed.playouts_per_second,
                    speed.average_length,
                )?;
            }
            Outcome::Failed { error } => {
                writeln!(
                    terminal,
                    "{name:<width$}  {:<16}  {}",
                    line.engine,
                    look.warning(&printable(error))
                )?;
            }
        }
    }
    Ok(())
}
