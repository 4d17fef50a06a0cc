//! `ludorum play`: a person against the machine in a terminal.
//!
//! [`session`] is the game itself and knows no screen, [`talk`] asks and answers, and the other files are what it needs for that: what the
//! person typed ([`typed`]), and states and results in words.

mod opponent;
mod prompt;
mod result;
mod session;
mod talk;
mod typed;

use std::ffi::OsString;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;

use clap::ValueHint;
use ludorum_reason::Engine;

use crate::diagnosis;
use crate::engines;
use crate::outcome::{Answer, Failure};
use crate::roles;
use crate::source::{GameSource, Origin};
use crate::terminal::Terminal;
use opponent::Opponent;
use session::Session;
use talk::Talk;

/// Play a game in the terminal.
///
/// You take one role, random legal moves are made for the others. Moves are given by number or by text: `mark 1 1`, `(mark 1 1)`, or
/// any part of it that fits one legal move only. Type `help` for what else can be typed.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// A shipped name or the path of a sheet.
    #[arg(value_name = "GAME", value_hint = ValueHint::FilePath)]
    game: OsString,

    /// The role you play, by name or by number from 1; the first one if not given.
    #[arg(long, value_name = "ROLE")]
    role: Option<String>,

    /// The engine that works out the rules.
    #[arg(long, value_name = "ENGINE", default_value = "auto", value_parser = engines::engine())]
    engine: Engine,

    /// A number from which all random choices follow; another one every time if not given.
    #[arg(long, value_name = "SEED")]
    seed: Option<u64>,

    /// Moves of yours to begin with, as you would type them; several are separated by `;`.
    #[arg(long, value_name = "MOVES", value_delimiter = ';', num_args = 1..)]
    moves: Vec<String>,
}

const AFTER_HELP: &str = "\
Examples:
  ludorum play tic-tac-toe                     against random moves, as the first role
  ludorum play connect-four --role yellow      as another role
  ludorum play nim --seed 7                    the same random moves every time
  ludorum play hanoi-3                         a puzzle
  ludorum play my-game.kif                     a sheet of your own
  ludorum play tic-tac-toe --moves 'mark 2 2'  some moves made already

Typed during play:
  3, mark 1 1, 1 1   a move, by number, by text or by a part of it
  legal [TEXT]       your legal moves, those with TEXT only
  state              the state in KIF
  rules [sheet]      how the game is played; its rule sheet
  random             a random move for you
  undo               back to your last choice
  help, quit         what can be typed; the end (Ctrl-D does the same)
A slash makes sure that a word is taken as a command: /state.

Exit codes: 0 fine, 2 the sheet cannot be played or a move of --moves is not legal.";

pub(crate) fn run(args: &Args, terminal: &mut Terminal) -> Result<Answer, Failure> {
    if args.game == "-" {
        return Err(Failure::input_with_help(
            "the rules cannot come from standard input, which is where your moves come from",
            "save the sheet to a file and give its path",
        ));
    }
    let source = GameSource::open(&args.game)?;
    let rules = Arc::new(diagnosis::rules(&source, terminal)?);
    let walker = args
        .engine
        .walker(&rules)
        .map_err(|error| Failure::input(format!("{}: {error}", source.name)))?;
    let roles = walker.roles();
    let role = match &args.role {
        None => 0,
        Some(name) => roles::find(&roles, name)?,
    };
    let seed = args.seed.unwrap_or_else(|| RandomState::new().hash_one(0));
    let session = Session::new(walker, role, Opponent::random(seed));
    let game = match source.origin {
        Origin::Shipped => ludorum_games::find(&source.name),
        Origin::File(_) | Origin::Stdin => None,
    };
    Talk::new(session, &source, game, &args.moves, terminal).run()?;
    Ok(Answer::Yes)
}
