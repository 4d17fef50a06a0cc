//! `ludorum inspect`: what becomes of a rule sheet on its way to an engine.

mod rules;

use std::ffi::OsString;

use clap::{ValueEnum, ValueHint};

use crate::diagnosis;
use crate::outcome::{Answer, Failure};
use crate::source::GameSource;
use crate::terminal::Terminal;

/// Show what becomes of a rule sheet, stage by stage.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// A shipped name, the path of a sheet, or `-` for standard input.
    #[arg(value_name = "GAME", value_hint = ValueHint::FilePath)]
    game: OsString,

    /// The stage to show.
    #[arg(long, value_name = "STAGE")]
    stage: Stage,

    /// Print the stage as JSON.
    #[arg(long)]
    json: bool,

    /// Show all facts of relations that have many.
    #[arg(long, conflicts_with = "json")]
    all: bool,
}

const AFTER_HELP: &str = "\
Examples:
  ludorum inspect tic-tac-toe --stage rules         normalised rules by stratum
  ludorum inspect tic-tac-toe --stage rules --all   with every fact
  ludorum inspect my-game.kif --stage rules --json  the same for a machine

The rules are flat: no `or`, no nested `not`. A stratum holds the relations that can be worked out once those below it are known. A \
relation is rigid if it is the same in every state, of class state if it changes with the state, of class action if it changes with the \
moves too. The domains are how many terms each argument can be, counted from above. A helper is a relation that normalisation made up.

JSON: an object with game, roles, relations, rules, facts, fluents and moves (numbers; the last two null if unbounded), and
  \"strata\": [{\"stratum\": 0, \"relations\": [{\"name\": \"succ\", \"arity\": 2, \"class\": \"rigid\", \"recursive\": false,
    \"helper\": false, \"component\": 3, \"domains\": [9, 9], \"facts\": [\"(succ 1 2)\"], \"rules\": [\"...\"]}]}]

Exit codes: 0 fine, 2 the sheet cannot be read or has errors.";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Stage {
    /// The normalised rules, grouped by stratum, with classes and domain sizes.
    Rules,
}

pub(crate) fn run(args: &Args, terminal: &mut Terminal) -> Result<Answer, Failure> {
    let source = GameSource::open(&args.game)?;
    let rules = diagnosis::rules(&source, terminal)?;
    match args.stage {
        Stage::Rules => rules::show(&source.name, &rules, args.json, args.all, terminal)?,
    }
    Ok(Answer::Yes)
}
