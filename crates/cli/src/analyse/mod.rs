//! `ludorum analyse`: the search report of a player for a position.

mod report_text;
mod strategy_usage;

use std::ffi::OsString;
use std::io::{IsTerminal as _, Write as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::ValueHint;
use ludorum_players::DEFAULT_PLAYER;
use ludorum_players::{GameEngine, Player, PlayerSpec, Report};
use ludorum_reasoner::{GameWalker, Role};
use serde::Serialize;

use crate::engine_options::PlayersEngine;
use crate::moves::move_sequence;
use crate::outcome::{CommandOutcome, Failure};
use crate::report::counted;
use crate::roles;
use crate::sheet_report;
use crate::source::GameSource;
use crate::state_text::state_text;
use crate::terminal::{Terminal, printable};
use crate::value_parsers;
pub(crate) use report_text::{Detail, report_text};

/// Poll interval of the player's report.
const POLL: Duration = Duration::from_millis(10);
/// Interval between two drawings of a report that changes.
const SHOWN_EVERY: Duration = Duration::from_millis(250);

/// Analyse a position: the best moves, the expected goals of all roles and the best line of play.
///
/// On a terminal the report is redrawn while the player searches; Ctrl-C ends the search.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// A shipped name, the path of a sheet, or `-` for standard input.
    #[arg(value_name = "GAME", value_hint = ValueHint::FilePath)]
    game: OsString,

    /// Moves from the initial state, written as in `ludorum play`; steps are separated by `;`,
    /// simultaneous moves of several roles by `|`.
    #[arg(long, value_name = "MOVES", value_delimiter = ';')]
    moves: Vec<String>,

    /// How long to search; the search ends earlier when everything is proven.
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "5",
        value_parser = value_parsers::seconds,
        allow_negative_numbers = true
    )]
    seconds: Duration,

    /// The player that searches, with options.
    #[arg(long, value_name = "PLAYER", default_value = DEFAULT_PLAYER)]
    player: PlayerSpec,

    #[command(flatten)]
    engine: PlayersEngine,

    /// The role whose moves are compared, by name or by number from 1; the first role with a choice
    /// if not given.
    #[arg(long, value_name = "ROLE")]
    role: Option<String>,

    /// How many moves to show.
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,

    /// Play a match with the player in every role, and show step by step how often the strategies
    /// of the role were used and which goals they got.
    #[arg(long = "match", conflicts_with = "moves")]
    is_match: bool,

    /// With --match: the time before the first move.
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "0",
        requires = "is_match",
        value_parser = value_parsers::seconds,
        allow_negative_numbers = true
    )]
    start_clock: Duration,

    /// With --match: stop the match after this many steps.
    #[arg(long, value_name = "N", default_value_t = 1000, requires = "is_match")]
    steps: u32,

    /// With --match: plot the shares of the strategies into an SVG file.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "is_match")]
    plot: Option<PathBuf>,

    /// Print as JSON, with all moves.
    #[arg(long)]
    json: bool,
}

const AFTER_HELP: &str = "\
Examples:
  ludorum analyse connect-four                                the first move
  ludorum analyse tic-tac-toe --moves 'mark 1 1; mark 2 2'    after some moves
  ludorum analyse rock-paper-scissors --moves 'rock | paper'  both moved at once
  ludorum analyse chess --seconds 60 --player mcts:threads=2
  ludorum analyse nim --player minimax --json
  ludorum analyse checkers --match --player mini --seconds 1 --plot checkers.svg
                                                              the use of strategies over a match

JSON: {\"game\", \"player\", \"engine\", \"roles\", \"role\", \"played\": [[\"(mark 1 1)\", \
\"noop\"]], \"simulations\", \"seconds\", \"simulations_per_second\", \"depth\", \"nodes\", \
\"bytes\", \"moves\": [{\"text\", \"visits\", \"value\", \"bounds\": [LEAST, MOST], \"values\", \
\"line\"}], \"values\": [ROLE, ...], \"line\": [[\"(mark 3 3)\", \"noop\"]], \"proven\", \
\"forced\"}. The best move comes first; values are 0 to 100; bounds are given where something is \
proven; \"trouble\" says what went wrong, if anything did. Players that follow strategies add \
\"strategies\": [{\"role\", \"strategy\", \"simulations\", \"share\", \"value\"}]. \
With --match: {\"game\", \"player\", \"engine\", \"role\", \"strategies\": [NAME], \
\"steps\": [{\"step\", \"simulations\", \"shares\", \"earned\"}], \"length\", \"is_over\", \
\"goals\"}; shares are 0 to 1, counted from the beginning of the match; earned goals are 0 to \
100, of the step alone.

Exit codes: 0 success, 2 wrong use or bad input, 130 a match was interrupted.";

#[derive(Serialize)]
struct Found<'a> {
    game: &'a str,
    player: String,
    engine: String,
    roles: &'a [String],
    role: &'a str,
    played: &'a [Vec<String>],
    simulations_per_second: f64,
    #[serde(flatten)]
    report: &'a Report,
}

pub(crate) fn run(args: &Args, terminal: &mut Terminal) -> Result<CommandOutcome, Failure> {
    let source = GameSource::open(&args.game)?;
    let rules = Arc::new(sheet_report::load_rules(&source, terminal)?);
    let failed =
        |error: &dyn std::fmt::Display| Failure::input(format!("{}: {error}", source.name));
    let spec = args.engine.of(&args.player);
    let table = GameEngine::new(&rules, spec.engine()).map_err(|error| failed(&error))?;
    if args.is_match {
        return strategy_usage::run(args, &source, &spec, &table, terminal);
    }
    let mut walker = table.walker().map_err(|error| failed(&error))?;
    let names = walker.roles();
    let played = move_sequence::play_moves(walker.as_mut(), &args.moves)?;
    if walker.is_terminal().map_err(|error| failed(&error))? {
        return Err(Failure::input(format!(
            "{}: the game is over there",
            source.name
        )));
    }
    let role = match &args.role {
        Some(name) => roles::find_role(&names, name)?,
        None => first_with_choice(walker.as_mut()).map_err(|error| failed(&error))?,
    };
    let facts = walker.facts();
    let mut player = table.player(&spec, role).map_err(|error| failed(&error))?;
    for joint_move in &played {
        player
            .apply_joint_move(joint_move)
            .map_err(|error| failed(&error))?;
    }
    let heading = format!(
        "{} {}: {} to move, {} searches",
        printable(&source.name),
        match played.len() {
            0 => "at the start".to_owned(),
            steps => format!("after {}", counted(steps, "step", "steps")),
        },
        printable(&names[role]),
        spec
    );
    let mut view = View {
        terminal,
        walker: walker.as_ref(),
        table: &table,
        roles: &names,
        detail: Detail::Full(args.top),
        drawn: 0,
    };
    if !args.json {
        let style = view.terminal.style;
        let state = state_text(source.game(), &facts, &names, &style);
        writeln!(view.terminal, "{}\n\n{state}", style.bold(&heading))?;
        view.terminal.flush()?;
    }
    let report = think(player.as_mut(), args.seconds, |report| {
        if args.json {
            Ok(())
        } else {
            view.update(report)
        }
    })?;
    let report = report.ok_or_else(|| failed(&"nothing was found out in that time"))?;
    if args.json {
        terminal.json(&Found {
            game: &source.name,
            player: spec.to_string(),
            engine: engine(&table, walker.as_ref()),
            roles: &names,
            role: &names[role],
            played: &played,
            simulations_per_second: report.rate(),
            report: &report,
        })?;
    } else {
        view.finish(&report)?;
    }
    Ok(CommandOutcome::Success)
}

/// The first role with more than one legal move, or the first role if no role has a choice.
fn first_with_choice(walker: &mut dyn GameWalker) -> Result<Role, ludorum_reasoner::ReasonError> {
    for role in 0..walker.roles().len() {
        if walker.legal(role)?.len() > 1 {
            return Ok(role);
        }
    }
    Ok(0)
}

/// Lets a player search for a time, or until nothing is left to find; the callback gets the
/// intermediate reports.
fn think(
    player: &mut dyn Player,
    time: Duration,
    mut on_report: impl FnMut(&Report) -> Result<(), Failure>,
) -> Result<Option<Report>, Failure> {
    let begin = Instant::now();
    let mut shown: Option<Instant> = None;
    player.ponder();
    while player.is_pondering() && begin.elapsed() < time {
        std::thread::sleep(POLL.min(time.saturating_sub(begin.elapsed())));
        if shown.is_none_or(|shown| shown.elapsed() >= SHOWN_EVERY)
            && let Some(report) = player.report()
        {
            on_report(&report)?;
            shown = Some(Instant::now());
        }
    }
    let report = player.report();
    player.stop();
    Ok(report)
}

/// The engine in use; for `auto`, also the engine that it has chosen.
fn engine(table: &GameEngine, walker: &dyn GameWalker) -> String {
    match walker.engine_choice() {
        Some(choice) => format!("{}: {}", table.engine(), choice.engines()),
        None => table.engine().to_string(),
    }
}

/// A report on a screen that is redrawn in place.
struct View<'a> {
    terminal: &'a mut Terminal,
    walker: &'a dyn GameWalker,
    table: &'a GameEngine,
    roles: &'a [String],
    detail: Detail,
    /// The number of lines of the last drawing, which the next one overwrites.
    drawn: usize,
}

impl View<'_> {
    /// Draws an intermediate report, if the terminal can move the cursor.
    fn update(&mut self, report: &Report) -> Result<(), Failure> {
        let is_plain = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
        if is_plain || !std::io::stdout().is_terminal() {
            return Ok(());
        }
        self.draw(report)
    }

    fn draw(&mut self, report: &Report) -> Result<(), Failure> {
        if self.drawn > 0 {
            // Move the cursor to the first line of the last drawing and clear the screen from
            // there.
            write!(self.terminal, "\x1b[{}A\x1b[J", self.drawn)?;
        }
        let engine = engine(self.table, self.walker);
        let text = report_text(
            report,
            self.roles,
            self.detail,
            &engine,
            &self.terminal.style,
        );
        self.drawn = text.lines().count();
        self.terminal.write_all(text.as_bytes())?;
        self.terminal.flush()?;
        Ok(())
    }

    fn finish(&mut self, report: &Report) -> Result<(), Failure> {
        self.draw(report)
    }
}
