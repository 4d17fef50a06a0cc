//! `ludorum duel`: which of two players is stronger.

mod result_table;

use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use clap::ValueHint;
use indicatif::ProgressBar;
use ludorum_players::PlayerSpec;
use ludorum_players::duel::{Duel, DuelProgress, DuelResult, Sprt, SprtVerdict, score_of_elo};
use serde::Serialize;

use crate::engine_options::PlayersEngine;
use crate::outcome::{CommandOutcome, Failure};
use crate::progress;
use crate::sheet_report;
use crate::signals;
use crate::source::GameSource;
use crate::terminal::Terminal;
use crate::value_parsers;

/// Play matches between two players to find out which is stronger.
///
/// All assignments of the roles to the two players are played equally often. The score is that of
/// player A: a win counts 100, a draw 50; the side whose roles get more on average wins a match. In
/// games of one role, both play alone and their goals are compared.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// A shipped name, the path of a sheet, or `-` for standard input.
    #[arg(value_name = "GAME", value_hint = ValueHint::FilePath)]
    game: OsString,

    /// Player A, whose score is reported, with options.
    #[arg(short, long, value_name = "PLAYER")]
    a: PlayerSpec,

    /// Player B, with options.
    #[arg(short, long, value_name = "PLAYER")]
    b: PlayerSpec,

    #[command(flatten)]
    engine: PlayersEngine,

    /// The least number of games; more are played until all role assignments are equally frequent.
    #[arg(long, value_name = "N", default_value = "100")]
    games: NonZeroUsize,

    /// The time for a move.
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "1",
        value_parser = value_parsers::seconds,
        allow_negative_numbers = true
    )]
    seconds: Duration,

    /// The start clock of each player; engines are built before it.
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "0",
        value_parser = value_parsers::seconds,
        allow_negative_numbers = true
    )]
    start_clock: Duration,

    /// The number of matches at once. Players that share cores are slower; for exact clocks leave a
    /// core for each.
    #[arg(long, value_name = "N", default_value = "1")]
    parallel: NonZeroUsize,

    /// The seed of all random choices.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,

    /// The steps after which a match is stopped and counts as a draw.
    #[arg(long, value_name = "STEPS", default_value_t = 1000)]
    limit: u32,

    /// Let players search in each other's time.
    #[arg(long)]
    ponder: bool,

    /// The memory of all players together; a player with its own `memory` option keeps that.
    #[arg(long, value_name = "MIB", default_value_t = 2048)]
    memory: u64,

    #[command(flatten)]
    test: TestOptions,

    /// Print as JSON.
    #[arg(long)]
    json: bool,
}

/// The options of the sequential test.
#[derive(Debug, clap::Args)]
struct TestOptions {
    /// Sequential probability ratio test (Wald 1945): stop as soon as it is decided whether A is
    /// stronger than B by the first or the second number of Elo points, at the latest after
    /// --games.
    #[arg(
        long,
        value_name = "ELO0,ELO1",
        value_parser = pair,
        allow_hyphen_values = true,
        conflicts_with = "sprt_score"
    )]
    sprt: Option<(f64, f64)>,

    /// The same test with two scores.
    #[arg(long, value_name = "SCORE0,SCORE1", value_parser = pair)]
    sprt_score: Option<(f64, f64)>,

    /// The probability of accepting the second number when the first is true.
    #[arg(long, value_name = "SHARE", default_value_t = 0.05)]
    alpha: f64,

    /// The probability of accepting the first number when the second is true.
    #[arg(long, value_name = "SHARE", default_value_t = 0.05)]
    beta: f64,
}

const AFTER_HELP: &str = "\
Examples:
  ludorum duel connect-four --a mcts --b random --games 20 --seconds 0.2
  ludorum duel breakthrough --a mcts:engine=lanes --b mcts:engine=propnet
  ludorum duel reversi --a mcts:c=0.5 --b mcts --parallel 2 --sprt 0,30
  ludorum duel chess --a mcts:simulations=500 --b mcs:simulations=500 --seconds 60
  ludorum duel my-game.kif --a mcts --b minimax --json

`ludorum players` lists the players and their options, `ludorum engines` the engines. --seed sets \
the seeds of the players, different ones in every match.

JSON: {\"game\", \"seconds\", \"interrupted\", \"score\", \"interval\": [LOW, HIGH], \"wilson\": \
[LOW, HIGH], \"games\", \"wins\", \"draws\", \"losses\", \"unfinished\", \"steps\", \"roles\", \
\"a\": {\"spec\", \"goal\": {\"mean\", \"interval\"}, \"answers\", \"choices\", \
\"simulations_per_second\", \"simulations_per_move\", \"depth\", \"seconds_per_move\", \
\"longest_over_ms\", \"late\", \"illegal\", \"errors\", \"blind\", \"complaints\"}, \
\"b\": {...}, \"sprt\", \"matches\": [{\"a_roles\", \"a\", \"b\", \"goals\", \"steps\", \"end\"}], \
\"wall_seconds\"}. `interval` is Student's for the score, `wilson` Wilson's; both contain the true \
score with a probability of 95 %.

Ctrl-C ends the duel with the games played so far; a second Ctrl-C ends the program at once.

Exit codes: 0 success, 1 a requested test did not accept that A is stronger, 2 wrong use \
or bad input, 130 interrupted.";

#[derive(Serialize)]
struct Report<'a> {
    game: &'a str,
    seconds: f64,
    interrupted: bool,
    #[serde(flatten)]
    outcome: &'a DuelResult,
    wall_seconds: f64,
}

pub(crate) fn run(args: &Args, terminal: &mut Terminal) -> Result<CommandOutcome, Failure> {
    let sprt = args.test.sprt()?;
    let source = GameSource::open(&args.game)?;
    let rules = Arc::new(sheet_report::load_rules(&source, terminal)?);
    let duel = Duel {
        games: args.games.get(),
        clock: args.seconds,
        start_clock: args.start_clock,
        parallel: args.parallel.get(),
        seed: args.seed,
        limit: args.limit,
        ponder: args.ponder,
        sprt,
        memory: args.memory,
        ..Duel::new(args.engine.of(&args.a), args.engine.of(&args.b))
    };
    let begin = std::time::Instant::now();
    let bar = progress::bar(0, "{bar:30} {pos}/{len} {elapsed} {wide_msg}");
    bar.set_message("building the engines");
    bar.enable_steady_tick(Duration::from_millis(200));
    let interrupted = signals::set_on_signal(&duel.stop);
    let outcome = duel.run(&rules, |standing| show(&bar, standing));
    bar.finish_and_clear();
    let outcome = outcome.map_err(|error| Failure::input(format!("`{}`: {error}", source.name)))?;
    let is_interrupted = interrupted.load(Ordering::Acquire);
    if is_interrupted && outcome.games == 0 {
        return Err(Failure::Interrupted("before the first game had ended"));
    }
    if args.json {
        terminal.json(&Report {
            game: &source.name,
            seconds: args.seconds.as_secs_f64(),
            interrupted: is_interrupted,
            outcome: &outcome,
            wall_seconds: begin.elapsed().as_secs_f64(),
        })?;
    } else {
        result_table::print(&source.name, &duel, &outcome, terminal)?;
    }
    if is_interrupted {
        return Ok(CommandOutcome::Interrupted);
    }
    let verdict = outcome.sprt.map(|report| report.verdict);
    Ok(match verdict {
        Some(SprtVerdict::Rejected | SprtVerdict::Open) => CommandOutcome::Negative,
        Some(SprtVerdict::Accepted) | None => CommandOutcome::Success,
    })
}

impl TestOptions {
    fn sprt(&self) -> Result<Option<Sprt>, Failure> {
        let elo = self.sprt.map(|(a, b)| (score_of_elo(a), score_of_elo(b)));
        let Some((score0, score1)) = elo.or(self.sprt_score) else {
            return Ok(None);
        };
        let test = Sprt {
            score0,
            score1,
            alpha: self.alpha,
            beta: self.beta,
        };
        if test.is_valid() {
            return Ok(Some(test));
        }
        Err(Failure::input_with_help(
            "this test is not possible",
            "the second number must be above the first, scores between 0 and 100, --alpha and \
             --beta between 0 and 0.5",
        ))
    }
}

/// Parses two numbers with a comma between them.
fn pair(text: &str) -> Result<(f64, f64), String> {
    let numbers = text.split_once(',').and_then(|(first, second)| {
        Some((first.trim().parse().ok()?, second.trim().parse().ok()?))
    });
    numbers.ok_or_else(|| "two numbers with a comma between them are needed, as in 0,30".to_owned())
}

fn show(bar: &ProgressBar, standing: &DuelProgress) {
    tracing::debug!("game {}: score {:.1}", standing.games, standing.score);
    bar.set_length(standing.total as u64);
    bar.set_position(standing.games as u64);
    let llr = standing
        .llr
        .map_or(String::new(), |llr| format!(", LLR {llr:.2}"));
    bar.set_message(format!(
        "score {:.1}: {} won, {} drawn, {} lost{llr}",
        standing.score, standing.wins, standing.draws, standing.losses
    ));
}
