//! `ludorum bench`: the speed of engines.

mod game_selection;
mod plot_file;
mod signature;
mod speed_table;

use std::io::Write as _;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::ValueHint;
use clap::builder::{RangedU64ValueParser, TypedValueParser};
use ludorum_lab::speed::baseline::Baseline;
use ludorum_lab::speed::table::SpeedRow;
use ludorum_lab::speed::{SpeedOptions, SpeedStage, machine, measure};

use crate::engine_options::EngineOption;
use crate::outcome::{CommandOutcome, Failure};
use crate::progress;
use crate::terminal::Terminal;

/// Measure how fast engines play random games from the initial state.
///
/// All engines of a game are built first; then they play in turns, one short round each, so that a
/// slow phase of the machine slows all of them. Rates are medians of the rounds, per CPU second of
/// the playing threads; the interval contains the true median with a probability of 95 %.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Args {
    #[command(flatten)]
    games: game_selection::GameSelection,

    #[command(flatten)]
    engine: EngineOption,

    /// How long each engine plays each game, over all rounds.
    #[arg(long, value_name = "SECONDS", default_value_t = 2.0)]
    seconds: f64,

    /// The number of rounds; with fewer than six, the interval goes from the slowest to the fastest
    /// round.
    #[arg(
        long,
        value_name = "N",
        default_value_t = SpeedOptions::default().rounds,
        value_parser = count(MOST_ROUNDS)
    )]
    rounds: NonZeroUsize,

    /// The number of threads that play at once.
    #[arg(
        long,
        value_name = "N",
        default_value_t = NonZeroUsize::MIN,
        value_parser = count(MOST_THREADS)
    )]
    threads: NonZeroUsize,

    /// The seed of the random moves.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,

    /// Compare with an earlier run (JSON or CSV) or with the figures of another system (CSV). Games
    /// are matched by name; a note is added where their average lengths differ.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    baseline: Option<PathBuf>,

    /// Draw a bar chart into an SVG file.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    plot: Option<PathBuf>,

    /// Print one number that changes only when the answers of engines change, and measure nothing.
    /// Playouts are not part of it, because engines may draw random moves differently.
    #[arg(long, conflicts_with_all = [
        "seconds", "rounds", "threads", "seed", "baseline", "plot", "csv", "markdown",
    ])]
    signature: bool,

    #[command(flatten)]
    format: Format,
}

/// The template of progress bars.
const PROGRESS: &str = "{bar:30} {pos}/{len} {elapsed} {wide_msg}";
/// The most rounds.
const MOST_ROUNDS: u64 = 1_000_000;
/// The most threads.
const MOST_THREADS: u64 = 1024;

/// A value parser for numbers from 1 to `most`.
fn count(most: u64) -> impl TypedValueParser<Value = NonZeroUsize> {
    let number = RangedU64ValueParser::<usize>::new().range(1..=most);
    number.try_map(NonZeroUsize::try_from)
}

/// The options for the output format.
#[derive(Debug, clap::Args)]
#[group(multiple = false)]
struct Format {
    /// Print as JSON.
    #[arg(long)]
    json: bool,

    /// Print as CSV.
    #[arg(long)]
    csv: bool,

    /// Print a Markdown table.
    #[arg(long)]
    markdown: bool,
}

const AFTER_HELP: &str = "\
Examples:
  ludorum bench tic-tac-toe connect-four             all engines, 2 seconds each
  ludorum bench breakthrough --engine propnet        one engine
  ludorum bench nim --engine prover,prover:cache=64  without and with a cache of 64 MiB
  ludorum bench nim --engine propnet:propagation=forward,lanes:passes=paper
                                                     engines with options
  ludorum bench --tag puzzle --engine auto           all shipped games with a tag
  ludorum bench --all --engine auto --json           all shipped games, as JSON
  ludorum bench chess --threads 4                    four threads at once
  ludorum bench hex --baseline yesterday.json        compared with an earlier run
  ludorum bench hex --markdown --plot hex.svg        a Markdown table and a bar chart
  ludorum bench --signature                          one number for the answers of all engines

A baseline is the JSON or CSV of an earlier run, compared engine by engine, or any CSV file with \
the columns `game` and `states_per_cpu_s`; of several rows of a game the fastest counts. Games \
are matched by the letters and digits of their names. If the baseline has a column \
`average_length`, a note reports games that are more than 10 % longer or shorter here over at \
least 200 playouts: their rules probably differ.

JSON: an array of {\"game\", \"engine\", \"threads\", \"init_ms\", \"states_per_second\", \
\"states_per_second_low\", \"states_per_second_high\", \"playouts_per_second\", \
\"states_per_wall_second\", \"average_length\", \"states\", \"playouts\", \"rounds\", \
\"cpu_seconds\", \"wall_seconds\", \"peak_memory_bytes\", \"components\", \"cache\", \"choice\", \
\"baseline\", \"ratio\", \"baseline_length\", \"note\", \"machine\", \"date\", \"version\"}; \
where an engine cannot play a game, {\"game\", \"engine\", \"error\", ...}. With --signature: \
{\"signature\", \"games\": [{\"game\", \"engine\", \"signature\"}]}.

Exit codes: 0 success, 1 some engine could not play some game or signatures differ, 2 wrong use \
or bad input.";

pub(crate) fn run(args: &Args, terminal: &mut Terminal) -> Result<CommandOutcome, Failure> {
    let engines = args.engine.engines();
    let effort = args.effort()?;
    let games = args.games.open(args.signature, terminal)?;
    if args.signature {
        return signature::run(&games, &engines, args.format.json, terminal);
    }
    let baseline = args.baseline.as_deref().map(Baseline::read).transpose();
    let baseline = baseline.map_err(|error| Failure::input(error.to_string()))?;
    args.plot
        .as_deref()
        .map(plot_file::check_writable)
        .transpose()?;
    let steps = games.len() * engines.len() * (1 + effort.rounds.get());
    let bar = progress::bar(steps, PROGRESS);
    let mut lines = Vec::with_capacity(games.len() * engines.len());
    for (name, rules) in &games {
        let results = measure(rules, &engines, &effort, |stage| {
            let what = match stage {
                SpeedStage::Making(engine) => format!("{name}, making {engine}"),
                SpeedStage::Playing(engine) => format!("{name}, {engine}"),
            };
            bar.set_message(what);
            bar.inc(1);
        });
        for (engine, result) in engines.iter().zip(results) {
            lines.push(SpeedRow::new(name, *engine, result, baseline.as_ref()));
        }
    }
    bar.finish_and_clear();
    if args.format.json {
        terminal.json(&lines)?;
    } else if args.format.csv {
        terminal.write_all(ludorum_lab::speed::table::csv(&lines).as_bytes())?;
    } else if args.format.markdown {
        let page = ludorum_lab::speed::table::markdown(&lines, baseline.as_ref());
        terminal.write_all(page.as_bytes())?;
    } else {
        speed_table::print(&lines, baseline.as_ref(), terminal)?;
        let load = machine::load().map_or(String::new(), |load| format!("; load {load:.1}"));
        writeln!(terminal, "\n{}{load}", machine::description())?;
    }
    // Flush first: the table is printed even if the plot cannot be written.
    terminal.flush()?;
    if let Some(path) = &args.plot {
        plot_file::draw(path, &lines, baseline.as_ref())?;
    }
    let failed = lines.iter().any(|line| line.speed().is_none());
    Ok(if failed {
        CommandOutcome::Negative
    } else {
        CommandOutcome::Success
    })
}

impl Args {
    fn effort(&self) -> Result<SpeedOptions, Failure> {
        Ok(SpeedOptions {
            time: Duration::try_from_secs_f64(self.seconds)
                .map_err(|_| Failure::input("--seconds takes a number from 0"))?,
            rounds: self.rounds,
            threads: self.threads,
            seed: self.seed,
            ..SpeedOptions::default()
        })
    }
}
