//! `ludorum match`: the game manager on the command line.
//!
//! [`participants`] parses the players, [`match_view`] shows the match, [`record_file`] keeps it in
//! a file, and [`match_logs`] in the file and an archive.

mod match_logs;
mod match_view;
mod participants;
mod record_file;

use std::ffi::OsString;
use std::hash::{BuildHasher as _, RandomState};
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clap::ValueHint;
use ludorum_engines::Engine;
use ludorum_match::export::{ggp, trace};
use ludorum_match::{
    CancellationToken, GameManager, GameManagerError, MatchRecord, MatchSetup, Participant,
};

use crate::engine_options::PlayersEngine;
use crate::outcome::{CommandOutcome, Failure};
use crate::report::counted;
use crate::sheet_report;
use crate::signals;
use crate::source::GameSource;
use crate::terminal::Terminal;
use crate::value_parsers;
use match_logs::MatchLogs;
use match_view::MatchView;

/// Run a match between players of Ludorum or of others.
///
/// A player is one of Ludorum's (`ludorum players` lists them), which plays in this process, or the
/// address of a player that speaks the GGP protocol, as `ludorum player` does. All players are
/// asked at the same time. A player that does not answer in time with a legal move is given a
/// random legal move, which is recorded as an error.
#[derive(Debug, clap::Args)]
#[command(
    after_help = AFTER_HELP,
    group = clap::ArgGroup::new("kept").args(["record", "archive"]).multiple(true)
)]
pub(crate) struct Args {
    /// A shipped name, the path of a sheet, or `-` for standard input.
    #[arg(value_name = "GAME", value_hint = ValueHint::FilePath)]
    game: OsString,

    /// The players in the order of the roles: players with options, or addresses. A single one
    /// plays all roles. May be given several times.
    #[arg(long, alias = "player", value_name = "PLAYER|URL,...", required = true)]
    players: Vec<String>,

    #[command(flatten)]
    engine: PlayersEngine,

    /// The start clock: the time before the first move; the match begins when all players are
    /// ready.
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "30",
        value_parser = value_parsers::seconds
    )]
    start: Duration,

    /// The play clock: the time for each move.
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "10",
        value_parser = value_parsers::seconds
    )]
    play: Duration,

    /// The time that players get beyond the play clock, because of network latency and a busy
    /// machine.
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "0.5",
        value_parser = value_parsers::seconds
    )]
    grace: Duration,

    /// The seed of all random choices; a different one every time if not given.
    #[arg(long, value_name = "SEED")]
    seed: Option<u64>,

    /// A player with this many errors is asked no more and gets 0; the last one left wins.
    #[arg(long, value_name = "ERRORS")]
    forfeit_after: Option<u32>,

    /// Stop the match after this many steps.
    #[arg(long, value_name = "STEPS", default_value_t = 1000)]
    max_steps: u32,

    /// The id of the match, one word; made from the game and the time if not given.
    #[arg(long, value_name = "NAME")]
    id: Option<String>,

    /// Write the record of the match to a file, as JSON; it is complete after every step.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    record: Option<PathBuf>,

    /// Record the match in an archive. Every accepted move is in it before the players receive it;
    /// `ludorum archive` shows the matches in it.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    archive: Option<PathBuf>,

    /// Continue the match in the file of --record, or the one of --id in the archive. Players,
    /// clocks and seed must be the same.
    #[arg(long, requires = "kept")]
    resume: bool,

    /// Replace an existing record.
    #[arg(long, requires = "record", conflicts_with = "resume")]
    overwrite: bool,

    /// Write the moves to a file, as KIF that can be replayed.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    trace: Option<PathBuf>,

    /// Print only the record, as JSON, when the match is over.
    #[arg(long)]
    json: bool,
}

const AFTER_HELP: &str = "\
Examples:
  ludorum match connect-four --players mcts,random --start 5 --play 1
  ludorum match tic-tac-toe --players http://localhost:9147,http://localhost:9148
  ludorum match breakthrough --players mcts:c=0.5,threads=2,http://localhost:9147
  ludorum match pursuit --players mcts --players random --players legal
  ludorum match chess --players mcts --record match.json --resume
  ludorum match nim --players mcts,random --archive matches.sqlite
  ludorum match my-game.kif --players mcts,mcs --forfeit-after 3 --json

Players are separated by commas or semicolons. After a comma, text of the form name=value is an \
option of the player before it, so mcts:c=0.5,threads=2,random are two players. Players can name \
an engine with options, as in mcts:engine=prover; --engine is for those that name none.

JSON: the format of ggp.org: {\"matchId\", \"randomToken\", \"gameName\", \"playerNames\", \
\"roleNames\", \"previewClock\", \"startClock\", \"playClock\", \"startTime\", \"isCompleted\", \
\"isAborted\", \"states\": [KIF], \"stateTimes\", \"moves\": [[KIF]], \"errors\": [[TEXT]] (the \
first for the start, then one for each step), \"goalValues\", \"ludorum\": {\"seed\", \"tookMs\", \
\"startMishaps\", \"mishaps\", \"outcome\"}}.

Exit codes: 0 the match ended by the rules, 1 it did not, 2 wrong use or bad input, 130 it was \
interrupted (the JSON has the moves so far).";

pub(crate) fn run(args: &Args, terminal: &mut Terminal) -> Result<CommandOutcome, Failure> {
    let participants = participants::parse_lists(&args.players)?.into_iter();
    let participants = participants
        .map(|participant| args.engine.of_participant(participant))
        .collect();
    let source = GameSource::open(&args.game)?;
    let rules = Arc::new(sheet_report::load_rules(&source, terminal)?);
    let failed =
        |error: &dyn std::fmt::Display| Failure::input(format!("{}: {error}", source.name));
    let roles = Engine::PROVER
        .walker(&rules)
        .map_err(|error| failed(&error))?
        .roles();
    let mut kept = MatchLogs::open(args)?;
    let played = kept.played.take();
    let setup = setup(
        args,
        &source,
        participants::assign_roles(participants, &roles)?,
        played.as_ref(),
    );
    let mut log = kept.log(&setup, played.as_ref())?;
    let mut manager = GameManager::new();
    manager.grace = args.grace;
    let cancel = CancellationToken::new();
    let runtime = signals::runtime()?;
    let result = runtime.block_on(async {
        signals::cancel_on_signal(cancel.clone());
        if args.json {
            let mut no_spectator = ();
            let run = manager.run_match(&setup, played, &mut log, &mut no_spectator, cancel);
            return Ok(run.await);
        }
        let mut view = MatchView::new(terminal, source.game(), args.play, cancel.clone());
        let result = manager
            .run_match(&setup, played, &mut log, &mut view, cancel)
            .await;
        view.finish().map(|()| result)
    })?;
    // Players that are still searching are not waited for.
    runtime.shutdown_background();
    let (record, is_interrupted) = match result {
        Ok(record) => (record, false),
        Err(GameManagerError::Cancelled { record }) => (*record, true),
        Err(error) => return Err(failed(&error)),
    };
    write_trace(args, &record)?;
    if args.json {
        terminal.json(&ggp::to_value(&record))?;
    } else if is_interrupted {
        let steps = counted(record.steps.len(), "step", "steps");
        let line = format!("Interrupted after {steps}.");
        writeln!(terminal, "\n{}", terminal.style.warning(&line))?;
    }
    if is_interrupted {
        return Ok(CommandOutcome::Interrupted);
    }
    let is_completed = record.outcome.is_some_and(|outcome| outcome.completed);
    Ok(if is_completed {
        CommandOutcome::Success
    } else {
        CommandOutcome::Negative
    })
}

fn setup(
    args: &Args,
    source: &GameSource,
    participants: Vec<Participant>,
    played: Option<&MatchRecord>,
) -> MatchSetup {
    let game = source.game().map_or(source.name.as_str(), |game| game.name);
    let seed = args.seed.or(played.map(|record| record.seed));
    let id = args.id.clone().or(played.map(|record| record.id.clone()));
    MatchSetup {
        id: id.unwrap_or_else(|| new_id(game)),
        game: game.to_owned(),
        sheet: source.text.as_ref().into(),
        start_clock: args.start,
        play_clock: args.play,
        participants,
        seed: seed.unwrap_or_else(|| RandomState::new().hash_one(0)),
        forfeit_after: args.forfeit_after,
        max_steps: args.max_steps,
    }
}

/// A unique id of a match: the game and the time.
fn new_id(game: &str) -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = since.map_or(0, |since| since.as_millis());
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let game: String = game.chars().map(plain).collect();
    format!("{}.{now}", game.trim_matches('-'))
}

fn write_trace(args: &Args, record: &MatchRecord) -> Result<(), Failure> {
    let Some(path) = &args.trace else {
        return Ok(());
    };
    let written = record_file::save(path, &trace::to_kif(record));
    written.map_err(|error| Failure::input(format!("cannot write `{}`: {error}", path.display())))
}
