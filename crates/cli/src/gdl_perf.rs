//! `ludorum perf`: the process protocol of the gdl-perf framework.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::ValueHint;
use ludorum_engines::Engine;
use ludorum_gdl::diagnostic::summary;
use ludorum_lab::speed::{Speed, SpeedOptions, speed};
use ludorum_logic::Rules;

use crate::engine_options;
use crate::outcome::{CommandOutcome, Failure};
use crate::source::{GameSource, OpenError};

/// Play random games for a while and write the counts to a file, in the protocol of the gdl-perf
/// framework.
///
/// The framework starts a process with the rule sheet, the result file and the seconds to play
/// after initialisation, and reads the file when the process has ended. Problems of the game or the
/// engine are reported in that file too.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// The rule sheet.
    #[arg(value_name = "GDL_FILE", value_hint = ValueHint::FilePath)]
    sheet: OsString,

    /// The result file; an old one is overwritten.
    #[arg(value_name = "RESULT_FILE", value_hint = ValueHint::FilePath)]
    result: PathBuf,

    /// How long to play, once the engine is built.
    #[arg(value_name = "SECONDS", allow_hyphen_values = true)]
    seconds: String,

    // A string, so that an unknown engine is reported in the result file.
    #[arg(long, value_name = "ENGINE", default_value = "auto", help = help())]
    engine: String,

    /// The seed of the random moves.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
}

const AFTER_HELP: &str = "\
Examples:
  ludorum perf ticTacToe.kif result.txt 10
  ludorum perf --engine propnet:propagation=forward ticTacToe.kif result.txt 10

The result file has lines of the form `key = value`:
  version = 0.1.0
  millisecondsTaken = 10000
  numStateChanges = 12345678
  numRollouts = 1623456
or, if the game could not be played:
  version = 0.1.0
  errorMessage = what was wrong

Exit codes: 0 the result file was written, whatever it says; 2 it could not be written, it is the \
rule sheet, or wrong use.";

/// The help of the engine option, with all names.
fn help() -> String {
    format!(
        "The engine that plays, with options: {}; `ludorum engines` tells more",
        engine_options::names().join(", ")
    )
}

pub(crate) fn run(args: &Args) -> Result<CommandOutcome, Failure> {
    let version = concat!("version = ", env!("CARGO_PKG_VERSION"), "\n");
    let write = |text: String| {
        std::fs::write(&args.result, text).map_err(|error| {
            Failure::input(format!("cannot write `{}`: {error}", args.result.display()))
        })
    };
    if is_same_file(args.sheet.as_ref(), &args.result) {
        return Err(Failure::input_with_help(
            format!(
                "the result would overwrite the rule sheet `{}`",
                args.result.display()
            ),
            "name another file for the result",
        ));
    }
    // Read the sheet before anything is written, in case both paths name the same file after all.
    let source = GameSource::from_file(args.sheet.as_ref());
    // If this process is killed, the framework must not find the result of an earlier run.
    write(format!("{version}errorMessage = not finished\n"))?;
    let text = match play(args, source) {
        Ok(speed) => format!(
            "{version}millisecondsTaken = {:.0}\nnumStateChanges = {}\nnumRollouts = {}\n",
            (speed.wall_seconds * 1e3).ceil(),
            speed.states,
            speed.playouts
        ),
        // The framework reads lines.
        Err(problem) => {
            let problem = problem.split_whitespace().collect::<Vec<_>>().join(" ");
            format!("{version}errorMessage = {problem}\n")
        }
    };
    write(text)?;
    Ok(CommandOutcome::Success)
}

/// Whether two paths name the same file.
fn is_same_file(one: &Path, other: &Path) -> bool {
    let (Ok(one), Ok(other)) = (one.canonicalize(), other.canonicalize()) else {
        return false;
    };
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        // A file may have several hard links.
        let number = |path: &Path| path.metadata().map(|file| (file.dev(), file.ino())).ok();
        if number(&one).is_some_and(|found| number(&other) == Some(found)) {
            return true;
        }
    }
    one == other
}

fn play(args: &Args, source: Result<GameSource, OpenError>) -> Result<Speed, String> {
    let seconds = args.seconds.parse().ok();
    let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let time = time.filter(|time| !time.is_zero()).ok_or_else(|| {
        let given = &args.seconds;
        format!("the seconds must be a number above 0, not `{given}`")
    })?;
    let engine: Engine = args.engine.parse().map_err(|error| format!("{error}"))?;
    let source = source.map_err(|error| error.to_string())?;
    let rules = Rules::from_text(&source.text)
        .map_err(|problems| format!("the sheet has errors: {}", summary(&problems)))?;
    let effort = SpeedOptions {
        time,
        rounds: std::num::NonZeroUsize::MIN,
        seed: args.seed,
        ..SpeedOptions::default()
    };
    speed(&Arc::new(rules), engine, &effort).map_err(|error| error.to_string())
}
