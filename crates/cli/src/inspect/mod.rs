//! `ludorum inspect`: what becomes of a rule sheet on its way to an engine.

mod engine;
mod ground;
mod lanes;
mod limits;
mod network;
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

    #[command(flatten)]
    ground: ground::GroundOptions,

    #[command(flatten)]
    network: network::NetworkOptions,

    #[command(flatten)]
    limits: limits::Limits,
}

const AFTER_HELP: &str = "\
Examples:
  ludorum inspect tic-tac-toe --stage rules         normalised rules by stratum
  ludorum inspect tic-tac-toe --stage rules --all   with every fact
  ludorum inspect my-game.kif --stage rules --json  the same for a machine
  ludorum inspect chess --stage ground              figures of the ground program
  ludorum inspect nim --stage ground --text         the program itself
  ludorum inspect chess --stage network             the network before and after each pass
  ludorum inspect chess --stage network --passes 1,0,2,3
  ludorum inspect tic-tac-toe --stage network --cone terminal --svg terminal.svg
  ludorum inspect reversi --stage lanes             the code for hundreds of playouts at once, its speed and where its time goes
  ludorum inspect chess --stage engine              the engine that plays it, and why
  ludorum inspect tic-tac-toe --stage network --cone '(legal xplayer (mark 1 1))' --dot

The rules are flat: no `or`, no nested `not`. A stratum holds the relations that can be worked out once those below it are known. A \
relation is rigid if it is the same in every state, of class state if it changes with the state, of class action if it changes with the \
moves too. The domains are how many terms each argument can be, counted from above. A helper is a relation that normalisation made up.

JSON: an object with game, roles, relations, rules, facts, fluents and moves (numbers; the last two null if unbounded), and
  \"strata\": [{\"stratum\": 0, \"relations\": [{\"name\": \"succ\", \"arity\": 2, \"class\": \"rigid\", \"recursive\": false,
    \"helper\": false, \"component\": 3, \"domains\": [9, 9], \"facts\": [\"(succ 1 2)\"], \"rules\": [\"...\"]}]}]

The ground stage takes all variables away; the network stage connects what is left with AND, OR and NOT and makes it small, pass by pass:
  0 constants, 1 propositions without a meaning, 2 what never varies, 3 what nothing looks at (the passes of the paper),
  hash equal gates, flatten gates within gates, factor common factors, exclude moves of which one is played, onehot fluents of which one
  holds, equal fluents that are the same, context what other inputs imply, cone what no question depends on.

The engine stage lets the engine `auto` choose: the network where grounding keeps within its limits, else the prover, with the reason.
JSON: {\"game\", \"first_move_ms\", \"engine\", and \"components\" and \"seconds\" of the network, or the \"reason\" for the prover}

Exit codes: 0 fine, 2 the sheet cannot be read or has errors.";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Stage {
    /// The normalised rules, grouped by stratum, with classes and domain sizes.
    Rules,
    /// The ground program: all variables gone.
    Ground,
    /// The propositional network, before and after its passes.
    Network,
    /// What the game is compiled to for many playouts at once, and where their time goes.
    Lanes,
    /// The engine that `auto` chooses, and why.
    Engine,
}

pub(crate) fn run(args: &Args, terminal: &mut Terminal) -> Result<Answer, Failure> {
    let source = GameSource::open(&args.game)?;
    let rules = diagnosis::rules(&source, terminal)?;
    match args.stage {
        Stage::Rules => rules::show(&source.name, &rules, args.json, args.all, terminal)?,
        Stage::Ground => {
            let program = args.limits.ground(&rules)?;
            ground::show(&source.name, &program, &args.ground, args.json, terminal)?;
        }
        Stage::Network => {
            let program = args.limits.ground(&rules)?;
            network::show(&source.name, &program, &args.network, args.json, terminal)?;
        }
        Stage::Lanes => {
            let passes = args.network.passes();
            lanes::show(
                &source.name,
                rules,
                passes,
                &args.limits,
                args.json,
                terminal,
            )?;
        }
        Stage::Engine => engine::show(&source.name, rules, &args.limits, args.json, terminal)?,
    }
    Ok(Answer::Yes)
}
