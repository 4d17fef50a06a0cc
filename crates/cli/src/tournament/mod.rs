//! `ludorum tournament`: plays tournaments and prints their standings.

mod plan_file;
mod schedule;
mod standings;

use std::io::Write as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::ValueHint;
use ludorum_match::CancellationToken;
use ludorum_match::archive::Archive;
use ludorum_match::tournament::{Results, Standings, TournamentPlan};
use ludorum_match::tournament_runner::{Progress, TournamentError, TournamentRunner};

use crate::archive::ArchiveOption;
use crate::outcome::{CommandOutcome, Failure};
use crate::progress;
use crate::report::counted;
use crate::signals;
use crate::terminal::Terminal;
use crate::value_parsers;
pub(crate) use standings::elo;

/// Play a tournament and print its standings.
///
/// The file names the players, the games and the format. Everything is kept in the archive, and
/// every accepted move is in it before the players receive it: a tournament that was paused with
/// Ctrl-C or killed is continued by the same command. If moves depend only on the seed and the step
/// (`random`, `legal`, `one-ply`, and `mcs` with a number of simulations on an engine that does not
/// change), the result is the same as without a break.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// The file that describes the tournament.
    #[arg(value_name = "FILE.toml", value_hint = ValueHint::FilePath)]
    file: PathBuf,

    #[command(flatten)]
    archive: ArchiveOption,

    /// How long to wait for a remote player before a match; after three attempts the tournament
    /// stops.
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "20",
        value_parser = value_parsers::seconds
    )]
    patience: Duration,

    /// Only show the schedule, as far as it is known before the first match.
    #[arg(long, conflicts_with = "status")]
    dry_run: bool,

    /// Only show the standings so far.
    #[arg(long)]
    status: bool,

    /// Print as JSON.
    #[arg(long)]
    json: bool,
}

const AFTER_HELP: &str = "\
Examples:
  ludorum tournament cup.toml                      play, or continue
  ludorum tournament cup.toml --dry-run            the schedule
  ludorum tournament cup.toml --status             the standings so far
  ludorum tournament cup.toml --archive cup.sqlite --json > standings.json
  ludorum archive list --tournament cup            its matches

A file:
  name = \"cup\"
  seed = 1                      # the seed of all random choices
  kind = \"round-robin\"          # or swiss, knock-out, ladder
  rounds = 1                    # a knock-out has as many as it takes
  repeats = 1                   # how often each assignment of roles is played
  replays = 2                   # knock-out: how often a tie is played again
  start = 10                    # start clock and play clock in seconds
  play = 5
  parallel = 4                  # the most matches at once ...
  cpus = 8                      # ... and the CPUs that their players may use
  forfeit_after = 3             # errors that lose a match
  max_steps = 1000              # steps after which a match is a draw

  [[games]]
  game = \"connect-four\"         # a shipped name, or a path from this file

  [[games]]
  game = \"breakthrough\"
  play = 10

  [[players]]
  name = \"tree\"
  player = \"mcts:threads=2\"

  [[players]]
  name = \"guest\"
  player = \"http://localhost:9147\"
  cpus = 1                      # what it uses on this machine
  matches = 1                   # what it plays at once

A remote player is asked whether it is available before each match. If it is not, or takes no \
match, the match is tried again later and is not counted; in the end the tournament stops, and \
the same command continues it.

Two players who meet play all assignments of roles that mix them, in every game. A match is worth \
one point, shared in proportion to the goals; puzzles are played alone and compared. Ratings are \
Elo points around 0 with intervals of 95 %.

JSON: {\"name\", \"seed\", \"kind\", \"finished\", \"rounds\", \"rounds_over\", \"matches\", \
\"matches_planned\", \"rows\": [{\"rank\", \"player\", \"spec\", \"matches\", \"wins\", \"draws\", \
\"losses\", \"points\", \"score\", \"goal\", \"standing\", \"errors\", \"forfeits\", \
\"rating\": {\"elo\", \"low\", \"high\", ...}}], \"games\": [{\"game\", \"start_clock\", \
\"play_clock\", \"ratings\"}]}; with --dry-run [{\"round\", \"id\", \"game\", \"seed\", \
\"seats\": [{\"role\", \"player\"}]}].

Exit codes: 0 everything was played, 1 it was paused or, with --status, is not over, 2 wrong use \
or bad input, or a player is not available.";

/// The interval at which the live standings are drawn.
const REFRESH: Duration = Duration::from_millis(500);

pub(crate) fn run(args: &Args, terminal: &mut Terminal) -> Result<CommandOutcome, Failure> {
    let plan = plan_file::read(&args.file, terminal)?;
    if args.dry_run {
        schedule::print(&plan, args.json, terminal)?;
        return Ok(CommandOutcome::Success);
    }
    let (table, unfinished) = if args.status {
        status(&plan, &args.archive)?
    } else {
        (play(plan, args)?, 0)
    };
    if args.json {
        terminal.json(&table)?;
    } else {
        let text = standings::text(&table, &terminal.style);
        terminal.write_all(text.as_bytes())?;
        if unfinished > 0 {
            let matches = counted(unfinished, "match has", "matches have");
            writeln!(terminal, "\n{matches} begun and can be continued.")?;
        }
        if !table.finished && !args.status {
            let line = "Paused. The same command continues it.";
            writeln!(terminal, "\n{}", terminal.style.warning(line))?;
        }
    }
    Ok(if table.finished {
        CommandOutcome::Success
    } else {
        CommandOutcome::Negative
    })
}

/// The standings in the archive, and the number of matches that have begun but not ended.
fn status(plan: &TournamentPlan, option: &ArchiveOption) -> Result<(Standings, usize), Failure> {
    let archive = option.open()?;
    let found = archive.find_tournament(plan).map_err(Failure::from)?;
    let (results, begun) = match found {
        Some(tournament) => archive.results(tournament).map_err(Failure::from)?,
        None => (Results::new(), std::collections::BTreeSet::default()),
    };
    Ok((Standings::new(plan, &results), begun.len()))
}

fn play(plan: TournamentPlan, args: &Args) -> Result<Standings, Failure> {
    let archive: Archive = args.archive.create()?;
    let runner = TournamentRunner::new(plan, archive).map_err(Failure::from)?;
    let runner = runner.with_availability_timeout(args.patience);
    let runtime = signals::runtime()?;
    let cancel = CancellationToken::new();
    let bar = progress::bar(0, "{bar:30} {pos}/{len} {elapsed} {prefix}\n{msg}");
    bar.enable_steady_tick(REFRESH);
    let plan = runner.plan();
    let mut drawn: Option<Instant> = None;
    let show_progress = |progress: &Progress<'_>| {
        bar.set_position(progress.results.len() as u64);
        if bar.is_hidden() || drawn.is_some_and(|drawn| drawn.elapsed() < REFRESH) {
            return;
        }
        drawn = Some(Instant::now());
        let table = Standings::new(plan, progress.results);
        bar.set_length(table.matches_planned as u64);
        let running = counted(progress.running, "match", "matches");
        bar.set_prefix(format!("{running} being played"));
        bar.set_message(standings::live(&table));
    };
    let table = runtime.block_on(async {
        signals::cancel_on_signal(cancel.clone());
        runner.run(&cancel, show_progress).await
    });
    bar.finish_and_clear();
    // Players that are still searching must not keep the process alive.
    runtime.shutdown_background();
    table.map_err(|error| match error {
        TournamentError::Archive(error) => error.into(),
        TournamentError::Absent { .. } => Failure::input_with_help(
            error.to_string(),
            "start it, or find out what it is busy with; what was played is kept, and the same \
             command continues it",
        ),
        error => Failure::input(error.to_string()),
    })
}
