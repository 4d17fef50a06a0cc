//! `ludorum duel`: which of two players is better.

mod table;

use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use clap::ValueHint;
use indicatif::{ProgressBar, ProgressStyle};
use ludorum_search::Spec;
use ludorum_search::duel::{Duel, Outcome, Sprt, SprtVerdict, Standing, score_of_elo};
use serde::Serialize;

use crate::clock;
use crate::diagnosis;
use crate::engines::PlayersEngine;
use crate::outcome::{Answer, Failure};
use crate::signals;
use crate::source::GameSource;
use crate::terminal::Terminal;

/// Let two players play matches and tell which is better.
///
/// Every way to give the roles to the two comes equally often. The score is told from the view of
/// A: a win counts 100, a draw 50, and a match is won by the side whose roles get more on average.
/// In games for one, both play alone and the goals are compared.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// A shipped name, the path of a sheet, or `-` for standard input.
    #[arg(value_name = "GAME", value_hint = ValueHint::FilePath)]
    game: OsString,

    /// The player from whose view the score is told, with its options.
    #[arg(short, long, value_name = "PLAYER")]
    a: Spec,

    /// The player that it is compared with.
    #[arg(short, long, value_name = "PLAYER")]
    b: Spec,

    #[command(flatten)]
    engine: PlayersEngine,

    /// The fewest games; more are played until every way to give the roles has come equally often.
    #[arg(long, value_name = "N", default_value = "100")]
    games: NonZeroUsize,

    /// The time for a move.
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = clock::seconds, allow_negative_numbers = true)]
    seconds: Duration,

    /// The time for each player before the first move; engines are made before that.
    #[arg(long, value_name = "SECONDS", default_value = "0", value_parser = clock::seconds, allow_negative_numbers = true)]
    start_clock: Duration,

    /// How many matches are played at once. Players that share cores are slower; for exact clocks
    /// leave a core for each.
    #[arg(long, value_name = "N", default_value = "1")]
    parallel: NonZeroUsize,

    /// The seed of all that is random.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,

    /// The steps after which a match is cut and counts as a draw.
    #[arg(long, value_name = "STEPS", default_value_t = 1000)]
    limit: u32,

    /// Let players think in each other's time.
    #[arg(long)]
    ponder: bool,

    /// The memory of all players at once; a player with a `memory` of its own takes that.
    #[arg(long, value_name = "MIB", default_value_t = 2048)]
    memory: u64,

    #[command(flatten)]
    test: TestOptions,

    /// Print as JSON.
    #[arg(long)]
    json: bool,
}

/// When to stop early.
#[derive(Debug, clap::Args)]
struct TestOptions {
    /// Stop as soon as it is clear whether A is better than B by the first or by the second number
    /// of Elo points; --games is the most then.
    #[arg(
        long,
        value_name = "ELO0,ELO1",
        value_parser = pair,
        allow_hyphen_values = true,
        conflicts_with = "sprt_score"
    )]
    sprt: Option<(f64, f64)>,

    /// The same with two scores.
    #[arg(long, value_name = "SCORE0,SCORE1", value_parser = pair)]
    sprt_score: Option<(f64, f64)>,

    /// How often the test may believe the second when the first is true.
    #[arg(long, value_name = "SHARE", default_value_t = 0.05)]
    alpha: f64,

    /// How often the test may believe the first when the second is true.
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

`ludorum players` lists the players and their options. The seed of a player is set by --seed, another one in every match.

JSON: {\"game\", \"seconds\", \"interrupted\", \"score\", \"interval\": [LOW, HIGH], \"wilson\": [LOW, HIGH], \"games\", \"wins\", \"draws\", \"losses\", \"unfinished\", \
\"steps\", \"roles\", \"a\": {\"spec\", \"goal\": {\"mean\", \"interval\"}, \"answers\", \"choices\", \"simulations_per_second\", \
\"simulations_per_move\", \"depth\", \"seconds_per_move\", \"longest_over_ms\", \"late\", \"illegal\", \"errors\", \"blind\", \"complaints\"}, \
\"b\": {...}, \"sprt\", \"matches\": [{\"a_roles\", \"a\", \"b\", \"goals\", \"steps\", \"end\"}], \"wall_seconds\"}. `interval` is Student's for the score, \
`wilson` Wilson's; both hold the true one with a probability of 95 %.

Ctrl-C ends it with the games played so far; a second Ctrl-C at once.

Exit codes: 0 fine, 1 a test was asked for and does not say that A is better, 2 wrong use or bad input, 130 interrupted.";

#[derive(Serialize)]
struct Report<'a> {
    game: &'a str,
    seconds: f64,
    interrupted: bool,
    #[serde(flatten)]
    outcome: &'a Outcome,
    wall_seconds: f64,
}

pub(crate) fn run(args: &Args, terminal: &mut Terminal) -> Result<Answer, Failure> {
    let sprt = args.test.sprt()?;
    let source = GameSource::open(&args.game)?;
    let rules = Arc::new(diagnosis::rules(&source, terminal)?);
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
    let bar = progress();
    let interrupted = signals::listen(&duel.stop);
    let outcome = duel.run(&rules, |standing| show(&bar, standing));
    bar.finish_and_clear();
    let outcome = outcome.map_err(|error| Failure::input(format!("`{}`: {error}", source.name)))?;
    let is_interrupted = interrupted.load(Ordering::Acquire);
    if is_interrupted && outcome.games == 0 {
        return Err(Failure::Interrupted("before the first game was over"));
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
        table::print(&source.name, &duel, &outcome, terminal)?;
    }
    if is_interrupted {
        return Ok(Answer::Interrupted);
    }
    let verdict = outcome.sprt.map(|report| report.verdict);
    Ok(match verdict {
        Some(SprtVerdict::Rejected | SprtVerdict::Open) => Answer::No,
        Some(SprtVerdict::Accepted) | None => Answer::Yes,
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
        if test.is_sound() {
            return Ok(Some(test));
        }
        Err(Failure::input_with_help(
            "such a test cannot be made",
            "the second number is above the first, scores are between 0 and 100, --alpha and --beta between 0 and 0.5",
        ))
    }
}

/// Two numbers with a comma between.
fn pair(text: &str) -> Result<(f64, f64), String> {
    let numbers = text.split_once(',').and_then(|(first, second)| {
        Some((first.trim().parse().ok()?, second.trim().parse().ok()?))
    });
    numbers.ok_or_else(|| "two numbers with a comma between are needed, as in 0,30".to_owned())
}

fn progress() -> ProgressBar {
    // Hidden by itself where standard error is no terminal.
    let bar = ProgressBar::new(0);
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed} {wide_msg}");
    if let Ok(style) = style {
        bar.set_style(style);
    }
    bar.set_message("making the engines");
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

fn show(bar: &ProgressBar, standing: &Standing) {
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
