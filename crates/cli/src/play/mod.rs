//! `ludorum play`: a person against the computer in a terminal.
//!
//! [`session`] holds the game and does not print, [`opponents`] the players of the other roles,
//! [`dialogue`] reads lines and prints. It uses [`typed_command`] to parse lines, [`result`] for
//! the end of a game, and [`explanations`] for search reports.

mod dialogue;
mod explanations;
mod opponents;
mod result;
mod session;
mod typed_command;

use std::ffi::OsString;
use std::hash::{BuildHasher as _, RandomState};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use clap::ValueHint;
use ludorum_engines::Engine;
use ludorum_players::DEFAULT_PLAYER;
use ludorum_players::{PlayerSpec, PlayerSpecError};
use ludorum_reasoner::Role;

use crate::engine_options;
use crate::menu;
use crate::outcome::{CommandOutcome, Failure};
use crate::roles;
use crate::sheet_report;
use crate::source::GameSource;
use crate::terminal::Terminal;
use crate::value_parsers;
use dialogue::Dialogue;
use opponents::{OpponentEngines, OpponentSettings, Opponents};
use session::Session;

/// Play a game against the computer in the terminal.
///
/// You play one role, the computer the others. Moves are given by number or by text: `mark 1 1`,
/// `(mark 1 1)`, or any part of it that matches only one legal move. Type `help` for the other
/// commands. Without a GAME there is a menu.
#[derive(Debug, clap::Args)]
#[command(after_help = after_help())]
pub(crate) struct Args {
    /// A shipped name or the path of a sheet; a menu if not given.
    #[arg(value_name = "GAME", value_hint = ValueHint::FilePath)]
    game: Option<OsString>,

    #[command(flatten)]
    options: Options,
}

/// The options of a game.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Your role, by name or by number from 1; the first one if not given.
    #[arg(long, value_name = "ROLE")]
    pub(crate) role: Option<String>,

    /// The players of the other roles, with options; ROLE=PLAYER for one role only. May be given
    /// several times.
    #[arg(long, value_name = "[ROLE=]PLAYER")]
    pub(crate) opponent: Vec<OpponentChoice>,

    /// The time of opponents for a move.
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "2",
        value_parser = value_parsers::seconds,
        allow_negative_numbers = true
    )]
    pub(crate) seconds: Duration,

    /// Opponents do not search while you choose.
    #[arg(long)]
    pub(crate) no_ponder: bool,

    /// The engine that runs the game, with options; opponents have their own, as in
    /// mcts:engine=prover. `ludorum engines` lists them.
    #[arg(
        long,
        value_name = "ENGINE",
        default_value = "auto",
        value_parser = engine_options::engine()
    )]
    pub(crate) engine: Engine,

    /// The seed of all random choices; a different one every time if not given.
    #[arg(long, value_name = "SEED")]
    pub(crate) seed: Option<u64>,

    /// Your first moves, written as during play; several are separated by `;`.
    #[arg(long, value_name = "MOVES", value_delimiter = ';')]
    pub(crate) moves: Vec<String>,
}

/// The examples of the help text.
const EXAMPLES: &str = "\
Examples:
  ludorum play                                            choose from a menu
  ludorum play tic-tac-toe                                play the first role
  ludorum play connect-four --role yellow --seconds 5     another role, more time for the computer
  ludorum play breakthrough --opponent mcts:threads=2     a stronger opponent
  ludorum play chess --opponent random                    a weak opponent
  ludorum play pursuit --opponent mcts --opponent 2=mcs   different opponents
  ludorum play nim --opponent random --seed 7             the same random moves every time
  ludorum play nim --engine prover:cache=64               another engine, with an option
  ludorum play hanoi-3                                    a puzzle
  ludorum play my-game.kif                                your own sheet
  ludorum play tic-tac-toe --moves 'mark 2 2'             some moves made already
";

/// The exit codes of the command.
const EXIT_CODES: &str = "\
Exit codes: 0 success, 2 the sheet cannot be played or a move of --moves is not legal.";

fn after_help() -> String {
    format!(
        "{EXAMPLES}\nTyped during play:\n{}\n{EXIT_CODES}",
        dialogue::HELP
    )
}

/// A player, and the role that it is for; all roles if none is named.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct OpponentChoice {
    role: Option<String>,
    spec: PlayerSpec,
}

impl FromStr for OpponentChoice {
    type Err = PlayerSpecError;

    fn from_str(text: &str) -> Result<Self, PlayerSpecError> {
        // Options of players have equals signs too, but after a colon.
        let (role, spec) = match text.split_once('=') {
            Some((role, spec)) if !role.contains(':') => (Some(role.trim().to_owned()), spec),
            _ => (None, text),
        };
        let spec = spec.parse()?;
        Ok(Self { role, spec })
    }
}

pub(crate) fn run(args: &Args, terminal: &mut Terminal) -> Result<CommandOutcome, Failure> {
    match &args.game {
        None if args.options.role.is_some() || !args.options.moves.is_empty() => {
            Err(Failure::input_with_help(
                "--role and --moves need a game",
                "name a game, or leave them out to choose a game from the menu",
            ))
        }
        None => menu::run(&args.options, terminal),
        Some(game) if game == "-" => Err(Failure::input_with_help(
            "the rules cannot come from standard input, because your moves do",
            "save the sheet to a file and give its path",
        )),
        Some(game) => {
            let source = GameSource::open(game)?;
            play(&source, &args.options, terminal)?;
            Ok(CommandOutcome::Success)
        }
    }
}

/// Plays a game, and again as often as the person wants.
pub(crate) fn play(
    source: &GameSource,
    options: &Options,
    terminal: &mut Terminal,
) -> Result<(), Failure> {
    let rules = Arc::new(sheet_report::load_rules(source, terminal)?);
    let failed =
        |error: &dyn std::fmt::Display| Failure::input(format!("{}: {error}", source.name));
    let mut tables = OpponentEngines::new(rules);
    let table = tables
        .table(options.engine)
        .map_err(|error| failed(&error))?;
    let walker = table.walker().map_err(|error| failed(&error))?;
    let roles = walker.roles();
    let role = match &options.role {
        None => 0,
        Some(name) => roles::find_role(&roles, name)?,
    };
    let seed = options
        .seed
        .unwrap_or_else(|| RandomState::new().hash_one(0));
    let settings = OpponentSettings {
        specs: specs(&roles, role, &options.opponent)?,
        time: options.seconds,
        ponders: !options.no_ponder,
        seed,
    };
    let opponents = Opponents::new(tables, settings, role).map_err(|error| failed(&error))?;
    let session = Session::new(walker, role, opponents, seed);
    Dialogue::new(session, source, source.game(), &options.moves, terminal).run()
}

/// The player of each role: the last one given for it, or else the last one given for all.
fn specs(
    roles: &[String],
    person: Role,
    choices: &[OpponentChoice],
) -> Result<Vec<PlayerSpec>, Failure> {
    let usual = DEFAULT_PLAYER.parse::<PlayerSpec>();
    let usual = usual.map_err(|error| Failure::input(error.to_string()))?;
    let general = choices.iter().rev().find(|choice| choice.role.is_none());
    let general = general.map_or(usual, |choice| choice.spec.clone());
    let mut specs = vec![general; roles.len()];
    for choice in choices {
        if let Some(name) = &choice.role {
            let role = roles::find_role(roles, name)?;
            if role == person {
                return Err(Failure::input_with_help(
                    format!("{} is played by you", roles[role]),
                    "name another role before the player, or choose another role with --role",
                ));
            }
            specs[role] = choice.spec.clone();
        }
    }
    Ok(specs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opponents_are_for_all_roles_or_for_one() {
        let roles = ["red", "green", "blue"].map(str::to_owned);
        let choices = ["green=legal", "random:seed=3", "3=mcts:c=0.5"];
        let choices = choices.map(|text| text.parse().unwrap());
        let specs = specs(&roles, 0, &choices).unwrap();
        let specs: Vec<String> = specs.iter().map(ToString::to_string).collect();
        assert_eq!(specs, ["random:seed=3", "legal", "mcts:c=0.5"]);
    }

    #[test]
    fn roles_without_a_named_player_get_the_default_player() {
        let roles = ["red".to_owned(), "green".to_owned()];
        let specs = specs(&roles, 0, &[]).unwrap();
        assert_eq!(specs[1].to_string(), DEFAULT_PLAYER);
        let unknown = ["yellow=mcts".parse().unwrap()];
        assert!(super::specs(&roles, 0, &unknown).is_err());
        let own = ["red=mcts".parse().unwrap()];
        assert!(super::specs(&roles, 0, &own).is_err());
        assert!(super::specs(&roles, 1, &own).is_ok());
        assert!("green=deepblue".parse::<OpponentChoice>().is_err());
    }
}
