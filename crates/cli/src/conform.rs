//! `ludorum conform`: compares engines with recorded playouts and with each other.

use std::borrow::Cow;
use std::ffi::OsString;
use std::io::{self, Write as _};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::ValueHint;
use ludorum_lab::collection::{self, GameCase, SheetSource};
use ludorum_lab::conform::{ConformanceOptions, ConformanceResult, ConformanceVerdict, check};
use ludorum_lab::thread_pool;

use crate::engine_options::EngineOption;
use crate::outcome::{CommandOutcome, Failure};
use crate::progress;
use crate::source::{GameSource, Origin};
use crate::terminal::{OutputStyle, Terminal, printable, shortened};

/// The default folder of traces.
const TRACES: &str = "../shared/traces";
/// The default folder of rule sheets.
const GAMES: &str = "../shared/games";

/// Compare engines with recorded playouts and with each other.
///
/// The trace of each game is replayed: initial state, facts, legal moves, terminal, goals and next
/// state must be as recorded, for states reached by moves and for states made from facts. Then all
/// engines follow the same random playouts and must agree on everything. Without traces, only the
/// random playouts are done, in the games that ship.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// Only these games: names as in the table (`base/chess` or `chess`), shipped names, or paths
    /// of sheets.
    #[arg(value_name = "GAMES", value_hint = ValueHint::FilePath)]
    games: Vec<OsString>,

    #[command(flatten)]
    engine: EngineOption,

    /// The folder of the sheets: COLLECTION/GAME.kif.
    #[arg(
        long = "games",
        value_name = "DIR",
        default_value = GAMES,
        value_hint = ValueHint::DirPath
    )]
    sheets: PathBuf,

    /// The folder of the traces: COLLECTION/GAME.json.gz.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    traces: Option<PathBuf>,

    /// Use the games that ship, without traces.
    #[arg(long, conflicts_with = "traces")]
    shipped: bool,

    /// The number of random playouts of each game.
    #[arg(long, value_name = "N", default_value_t = 2)]
    playouts: usize,

    /// The most steps of a random playout.
    #[arg(long, value_name = "N", default_value_t = 200)]
    steps: usize,

    /// The time of each engine for each game; the rest is skipped.
    #[arg(long, value_name = "SECONDS", default_value_t = 20.0)]
    seconds_per_game: f64,

    /// The number of games at a time; as many as there are cores if not given.
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroUsize>,

    /// The seed of the random playouts.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,

    /// Print as JSON.
    #[arg(long)]
    json: bool,
}

const AFTER_HELP: &str = "\
Examples:
  ludorum conform                              all games that have traces, all engines
  ludorum conform --engine prover chess        one engine, one game
  ludorum conform --engine propnet:propagation=forward,prover:cache=8
                                               engines with options, compared with the first
  ludorum conform --engine variants            every propagation, without and with a cache
  ludorum conform --shipped --playouts 10      the shipped games, engines against each other
  ludorum conform --traces t --games g --json  other traces, as JSON

JSON: an array with one object for each game and engine:
  [{\"game\": \"base/chess\", \"engine\": \"prover\", \"states\": 90, \"seconds\": 0.5, \"verdict\": \"agrees\"}]
The verdict is \"agrees\" (with \"note\" if random playouts were left out), \"skipped\" (with \
\"reason\") or \"differs\" with a \"reproduction\": {\"found_in\", \"from\" (facts, or null for \
the initial state), \"moves\", \"differences\"}.

Exit codes: 0 no difference, 1 some engine differs, 2 wrong use or bad input.";

pub(crate) fn run(args: &Args, terminal: &mut Terminal) -> Result<CommandOutcome, Failure> {
    let cases = cases(args)?;
    let options = ConformanceOptions {
        engines: args.engine.engines(),
        playouts: args.playouts,
        steps: args.steps,
        budget: Duration::try_from_secs_f64(args.seconds_per_game)
            .map_err(|_| Failure::input("--seconds-per-game takes a number from 0"))?,
        seed: args.seed,
    };
    let start = Instant::now();
    let bar = progress::bar(cases.len(), "{bar:30} {pos}/{len} {elapsed} {msg}");
    let rows: Vec<ConformanceResult> = thread_pool::run(
        &cases,
        args.jobs.unwrap_or_else(thread_pool::cores),
        |case| check(case, &options),
        |case, _| {
            bar.set_message(case.name.clone());
            bar.inc(1);
        },
    )
    .into_iter()
    .flatten()
    .collect();
    bar.finish_and_clear();
    if args.json {
        terminal.json(&rows)?;
    } else {
        table(&rows, terminal)?;
        reproductions(&rows, terminal)?;
        summary(&rows, cases.len(), start.elapsed(), terminal)?;
        if cases.iter().all(|case| case.trace.is_none()) {
            let note = if options.engines.len() > 1 {
                "no traces: engines were only compared with each other"
            } else {
                "no traces and one engine: it was only compared with itself, by moves and from \
                 facts"
            };
            writeln!(terminal, "{}", terminal.style.warning(note))?;
        }
    }
    let differs =
        |row: &ConformanceResult| matches!(row.verdict, ConformanceVerdict::Differs { .. });
    Ok(if rows.iter().any(differs) {
        CommandOutcome::Negative
    } else {
        CommandOutcome::Success
    })
}

/// The games to compare on.
fn cases(args: &Args) -> Result<Vec<GameCase>, Failure> {
    let folder = args.traces.as_deref().unwrap_or(Path::new(TRACES));
    let all = if args.shipped || (args.traces.is_none() && !folder.is_dir()) {
        collection::shipped()
    } else {
        collection::traced(&args.sheets, folder).map_err(|error| {
            Failure::input(format!(
                "cannot read the traces in `{}`: {error}",
                folder.display()
            ))
        })?
    };
    if args.games.is_empty() {
        if all.is_empty() {
            return Err(Failure::input_with_help(
                format!("there are no traces in `{}`", folder.display()),
                "traces are files COLLECTION/GAME.json.gz in that folder",
            ));
        }
        return Ok(all);
    }
    let mut chosen = Vec::new();
    for word in &args.games {
        let known = |case: &&GameCase| {
            let last = case.name.rsplit('/').next();
            word.to_str()
                .is_some_and(|word| word == case.name || Some(word) == last)
        };
        let before = chosen.len();
        chosen.extend(all.iter().filter(known).cloned());
        if chosen.len() == before {
            let source = GameSource::open(word)?;
            let text = match source.origin {
                Origin::Shipped => source.text,
                _ => Cow::Owned(source.text.into_owned()),
            };
            chosen.push(GameCase {
                name: source.name,
                sheet: SheetSource::Text(text),
                trace: None,
            });
        }
    }
    Ok(chosen)
}

fn table(rows: &[ConformanceResult], terminal: &mut Terminal) -> io::Result<()> {
    let style = terminal.style;
    let widest = |text: fn(&ConformanceResult) -> usize, title: &str| {
        let widest = rows.iter().map(text).max().unwrap_or(0);
        widest.max(title.len())
    };
    let game = widest(|row| row.game.chars().count(), "game");
    let engine = widest(|row| row.engine.name().len(), "engine");
    let title = format!(
        "{:game$}  {:engine$}  {:>8}  {:>8}  verdict",
        "game", "engine", "states", "time"
    );
    writeln!(terminal, "{}", style.bold(&title))?;
    for row in rows {
        writeln!(
            terminal,
            "{:game$}  {:engine$}  {:>8}  {:>8}  {}",
            printable(&row.game),
            row.engine.name(),
            row.states,
            format!("{:.2} s", row.time.as_secs_f64()),
            verdict(&row.verdict, &style)
        )?;
    }
    Ok(())
}

fn verdict(verdict: &ConformanceVerdict, style: &OutputStyle) -> String {
    match verdict {
        ConformanceVerdict::Agrees { note: None } => style.success("agrees"),
        ConformanceVerdict::Agrees { note: Some(note) } => {
            format!("{} ({})", style.success("agrees"), printable(note))
        }
        ConformanceVerdict::Skipped { reason } => {
            let reason = shortened(reason, 200);
            style.warning(&format!("skipped: {}", printable(&reason)))
        }
        ConformanceVerdict::Differs { .. } => style.error("DIFFERS"),
    }
}

fn reproductions(rows: &[ConformanceResult], terminal: &mut Terminal) -> io::Result<()> {
    let style = terminal.style;
    for row in rows {
        if let ConformanceVerdict::Differs { reproduction } = &row.verdict {
            let title = format!("{} with {} differs", printable(&row.game), row.engine);
            writeln!(terminal, "\n{}", style.error(&title))?;
            writeln!(terminal, "{}", printable(&reproduction.to_string()))?;
        }
    }
    Ok(())
}

fn summary(
    rows: &[ConformanceResult],
    games: usize,
    time: Duration,
    terminal: &mut Terminal,
) -> io::Result<()> {
    let count = |wanted: fn(&ConformanceVerdict) -> bool| {
        rows.iter().filter(|r| wanted(&r.verdict)).count()
    };
    let states: usize = rows.iter().map(|row| row.states).sum();
    writeln!(
        terminal,
        "\n{games} {}: {} agree, {} differ, {} skipped; {states} states in {:.1} s",
        if games == 1 { "game" } else { "games" },
        count(|v| matches!(v, ConformanceVerdict::Agrees { .. })),
        count(|v| matches!(v, ConformanceVerdict::Differs { .. })),
        count(|v| matches!(v, ConformanceVerdict::Skipped { .. })),
        time.as_secs_f64()
    )?;
    for row in rows {
        if let ConformanceVerdict::Skipped { reason } = &row.verdict {
            let (game, reason) = (printable(&row.game), shortened(reason, 200));
            writeln!(
                terminal,
                "  skipped {game} with {}: {}",
                row.engine,
                printable(&reason)
            )?;
        }
    }
    Ok(())
}
