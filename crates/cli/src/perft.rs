//! `ludorum perft`: counts the paths of a game by depth.

use std::ffi::OsString;
use std::io::Write as _;
use std::sync::Arc;
use std::time::Duration;

use clap::ValueHint;
use ludorum_engines::Engine;
use ludorum_lab::perft::{PerftDepth, PerftRequest, PerftResult, perft};
use serde::Serialize;

use crate::engine_options;
use crate::outcome::{CommandOutcome, Failure};
use crate::sheet_report;
use crate::source::GameSource;
use crate::terminal::{Terminal, printable};

/// Count the paths of joint moves from the initial state, depth by depth.
///
/// The count of a depth is the number of different sequences of that many joint moves. A terminal
/// state ends its path, and so does a state in which a role has no legal move; it counts at its own
/// depth only. Engines that implement a game correctly give the same counts.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// A shipped name, the path of a sheet, or `-` for standard input.
    #[arg(value_name = "GAME", value_hint = ValueHint::FilePath)]
    game: OsString,

    /// The number of joint moves.
    depth: u32,

    /// The engine, with options as in `prover:cache=64`; `ludorum engines` lists them.
    #[arg(
        long,
        value_name = "ENGINE",
        default_value = "auto",
        value_parser = engine_options::engine()
    )]
    engine: Engine,

    /// Also show the paths of the last depth by their first joint move.
    #[arg(long)]
    divide: bool,

    /// Use a transposition table: a state that is reached again is not expanded again.
    #[arg(long)]
    hash: bool,

    /// Stop after this time with the depths that are complete.
    #[arg(long, value_name = "SECONDS")]
    seconds: Option<f64>,

    /// Print as JSON.
    #[arg(long)]
    json: bool,
}

const AFTER_HELP: &str = "\
Examples:
  ludorum perft tic-tac-toe 9          all lines of play
  ludorum perft chess 3 --divide       by the first move
  ludorum perft connect-four 8 --hash  with a transposition table
  ludorum perft nim 4 --engine propnet:propagation=forward

The states of the last depth are not created: the moves that lead to them are counted; nodes/s is \
paths by time.

JSON: {\"game\", \"engine\", \"depths\": [{\"depth\": 1, \"paths\": 9, \"seconds\": 0.01}], \
\"complete\": true}
and, with --divide, \"divided\": [{\"moves\": [\"(mark 1 1)\", \"noop\"], \"paths\": 8}].

Exit codes: 0 success, 2 wrong use or bad input.";

#[derive(Serialize)]
struct Report<'a> {
    game: &'a str,
    engine: &'static str,
    #[serde(flatten)]
    counted: &'a PerftResult,
}

pub(crate) fn run(args: &Args, terminal: &mut Terminal) -> Result<CommandOutcome, Failure> {
    let source = GameSource::open(&args.game)?;
    let rules = Arc::new(sheet_report::load_rules(&source, terminal)?);
    let limit = args.seconds.map(Duration::try_from_secs_f64).transpose();
    let request = PerftRequest {
        depth: args.depth,
        divide: args.divide,
        hash: args.hash,
        limit: limit.map_err(|_| Failure::input("--seconds takes a number from 0"))?,
    };
    let counted = perft(&rules, args.engine, &request)
        .map_err(|error| Failure::input(format!("`{}`: {error}", source.name)))?;
    if args.json {
        terminal.json(&Report {
            game: &source.name,
            engine: args.engine.name(),
            counted: &counted,
        })?;
        return Ok(CommandOutcome::Success);
    }
    print(&counted, args.depth, terminal)?;
    Ok(CommandOutcome::Success)
}

fn print(counted: &PerftResult, depth: u32, terminal: &mut Terminal) -> std::io::Result<()> {
    let style = terminal.style;
    for branch in &counted.divided {
        let moves = branch.moves.join("  ");
        writeln!(terminal, "{:>20}  {}", branch.paths, printable(&moves))?;
    }
    if !counted.divided.is_empty() {
        writeln!(terminal)?;
    }
    let title = format!(
        "{:>5}  {:>20}  {:>9}  {:>11}",
        "depth", "paths", "time", "nodes/s"
    );
    writeln!(terminal, "{}", style.bold(&title))?;
    for line in &counted.depths {
        let row = format!(
            "{:>5}  {:>20}  {:>9}  {:>11}",
            line.depth,
            line.paths,
            format!("{:.3} s", line.seconds),
            rate(line)
        );
        writeln!(terminal, "{}", row.trim_end())?;
    }
    if !counted.complete {
        let next = counted.depths.len();
        let note = format!("out of time: depth {next} of {depth} was not finished");
        writeln!(terminal, "{}", style.warning(&note))?;
    }
    Ok(())
}

/// Paths per second; empty if the time is too short to measure.
#[allow(clippy::cast_precision_loss)] // a figure for people
fn rate(line: &PerftDepth) -> String {
    if line.seconds < 1e-4 {
        return String::new();
    }
    format!("{:.0}", line.paths as f64 / line.seconds)
}
