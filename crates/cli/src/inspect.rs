//! `ludorum inspect`: what becomes of a rule sheet on its way to an engine.

use std::ffi::OsString;

use clap::{ValueEnum, ValueHint};
use ludorum_gdl::{Description, Diagnostic};

use crate::diagnosis::Diagnosis;
use crate::outcome::{Answer, Failure};
use crate::report::render;
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
}

const AFTER_HELP: &str = "\
Examples:
  ludorum inspect tic-tac-toe --stage rules         normalised rules by stratum
  ludorum inspect my-game.kif --stage rules --json  the same for a machine

Exit codes: 0 fine, 2 the sheet cannot be read or has errors.";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Stage {
    /// The normalised rules, grouped by stratum, with classes and domain sizes.
    Rules,
}

pub(crate) fn run(args: &Args, terminal: &mut Terminal) -> Result<Answer, Failure> {
    let source = GameSource::open(&args.game)?;
    let diagnosis = Diagnosis::new(&source.text, None);
    if diagnosis.errors() > 0 {
        let errors: Vec<Diagnostic> = diagnosis
            .diagnostics
            .into_iter()
            .filter(Diagnostic::is_error)
            .collect();
        let look = terminal.stderr_look();
        let report = render(&source.name, &source.text, &errors, 10, &look);
        return Err(Failure::Sheet(report));
    }
    match args.stage {
        Stage::Rules => rules(&diagnosis.description, args.json, terminal),
    }
}

/// Prints the normalised rules.
fn rules(
    _description: &Description,
    _json: bool,
    _terminal: &mut Terminal,
) -> Result<Answer, Failure> {
    Err(Failure::input("this stage cannot be shown yet"))
}
