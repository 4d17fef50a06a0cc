//! `ludorum inspect`: the stages from a rule sheet to an engine.

mod engine;
mod factors;
mod ground;
mod lanes;
mod limit_options;
mod network;
mod rules;

use std::ffi::OsString;

use clap::{ValueEnum, ValueHint};
use ludorum_propnet::CompiledGame;

use crate::outcome::{CommandOutcome, Failure};
use crate::sheet_report;
use crate::source::GameSource;
use crate::terminal::Terminal;

/// Show the stages from a rule sheet to an engine.
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

    /// Show all facts of relations that have many (stage rules), or all relations (stage factors).
    #[arg(long, conflicts_with = "json")]
    all: bool,

    #[command(flatten)]
    ground: ground::GroundOptions,

    #[command(flatten)]
    network: network::NetworkOptions,

    #[command(flatten)]
    factors: factors::FactorOptions,

    #[command(flatten)]
    limits: limit_options::LimitOptions,
}

const AFTER_HELP: &str = "\
Examples:
  ludorum inspect tic-tac-toe --stage rules         normalised rules by stratum
  ludorum inspect tic-tac-toe --stage rules --all   with every fact
  ludorum inspect my-game.kif --stage rules --json  the same as JSON
  ludorum inspect chess --stage ground              statistics of the ground program
  ludorum inspect nim --stage ground --text         the program itself
  ludorum inspect chess --stage network             the network before and after each pass
  ludorum inspect chess --stage network --passes 1,0,2,3
  ludorum inspect tic-tac-toe --stage network --cone terminal --svg terminal.svg
  ludorum inspect tic-tac-toe --stage network --cone '(legal xplayer (mark 1 1))' --dot
  ludorum inspect reversi --stage lanes             the code for hundreds of simultaneous playouts
  ludorum inspect chess --stage factors             how moves are drawn in stages
  ludorum inspect chess --stage factors --engine staged:assume=off
  ludorum inspect amazons --stage factors --text    the staged rules as a sheet
  ludorum inspect chess --stage engine              the engine that `auto` chooses, and the reason

Normalised rules are flat: no `or`, no nested `not`. A stratum holds the relations that can be \
computed once those below it are known. A relation is rigid if it is the same in every state, of \
class state if it depends on the state, of class action if it also depends on the moves. Domains \
are upper bounds on the number of terms of each argument. A helper is a relation made by \
normalisation.

JSON: an object with game, roles, relations, rules, facts, fluents and moves (numbers; the last \
two null if unbounded), and
  \"strata\": [{\"stratum\": 0, \"relations\": [{\"name\": \"succ\", \"arity\": 2, \"class\": \"rigid\", \"recursive\": false,
    \"helper\": false, \"component\": 3, \"domains\": [9, 9], \"facts\": [\"(succ 1 2)\"], \"rules\": [\"...\"]}]}]

The ground stage replaces rules with variables by their instances; the network stage builds a \
propositional network of AND, OR and NOT from them and makes it smaller, pass by pass. The passes \
are 0 constants, 1 anonymous propositions, 2 components that never vary, 3 components without \
outputs (Sironi and Winands 2016), hash equal gates, flatten nested gates, factor common factors, \
exclude mutually exclusive moves, onehot fluents of which exactly one holds, equal fluents that \
are always equal, context values implied by other inputs, cone components on which no query depends.

The factors stage shows how the rules are rewritten for the engine `staged`, which draws a candidate \
from a superset of the legal moves, tests it, and draws again if it is not legal. Classes of moves \
are drawn together; arguments ?1, ?2 ... of a move belong to the candidate, those marked with a star \
are drawn after it, among a fixed number of slots. Arguments of a group are remembered as one value. \
An assumed fluent has one value in every state, or the step is not made. `--text` prints the staged \
rules, `--all` counts the rules of all their relations.

JSON: {\"game\", \"engine\", \"applies\": false, \"reason\"}, or true with \"rewrite_ms\", \
\"compile_ms\", \"components\", \"fluents\" and \"own_fluents\" (those of the stages), \"operations\" \
(of a stage), \"stages\": [{\"draw\", \"test\", \"roles\"}], \"turns\": [{\"role\", \"fluent\", \
\"otherwise\"}], \"slots\": [{\"role\", \"bound\"}], \"remembers_failures\", \"asks_for_moves\", \
\"assumed\", \"accepted\" and \"states\" (share of draws, and in how many states; null if it is \
unknown), \"classes\": [{\"role\", \"move\", \"candidates\", \"suffixes\", \"groups\": [{\"arguments\", \
\"second\"}]}], \"relations\": [{\"name\", \"arity\", \"rules\", \"facts\", \"added\"}]

The engine stage lets the engine `auto` build and measure the engines of the game, and shows their \
costs. JSON: {\"game\", \"first_move_ms\", \"engine\" (for single states), \"playouts\" (the engine \
that makes them), \"network\": \"ready\" with \"components\" and \"seconds\", or \"missing\" with \
\"reason\", \"lanes\": the least playouts of a call that lanes make, or null, \"costs\": [{\"engine\", \
\"state\", \"next\", \"step\" (microseconds)}]}

Exit codes: 0 success, 1 the game is not staged, 2 the sheet cannot be read or has errors.";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Stage {
    /// The normalised rules, grouped by stratum, with classes and domain sizes.
    Rules,
    /// The ground program: rules without variables.
    Ground,
    /// The propositional network, before and after its passes.
    Network,
    /// The compiled code for many simultaneous playouts, and a time profile.
    Lanes,
    /// The rewriting that draws moves in stages.
    Factors,
    /// The engine that `auto` chooses, and the reason.
    Engine,
}

pub(crate) fn run(args: &Args, terminal: &mut Terminal) -> Result<CommandOutcome, Failure> {
    let source = GameSource::open(&args.game)?;
    let rules = sheet_report::load_rules(&source, terminal)?;
    match args.stage {
        Stage::Rules => rules::show(&source.name, &rules, args.json, args.all, terminal)?,
        Stage::Ground => {
            let program = args.limits.ground(&CompiledGame::new(rules))?;
            ground::show(&source.name, &program, &args.ground, args.json, terminal)?;
        }
        Stage::Network => {
            let game = CompiledGame::with_passes(rules, args.network.passes());
            args.limits.ground(&game)?;
            let limits = args.limits.stages();
            network::show(
                &source.name,
                &game,
                limits,
                &args.network,
                args.json,
                terminal,
            )?;
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
        Stage::Factors => {
            let shown = factors::Shown {
                all: args.all,
                text: args.ground.text,
                json: args.json,
            };
            let limits = args.limits.stages();
            return factors::show(&source.name, rules, &args.factors, &limits, shown, terminal);
        }
        Stage::Engine => engine::show(&source.name, rules, &args.limits, args.json, terminal)?,
    }
    Ok(CommandOutcome::Success)
}
