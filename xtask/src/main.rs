/*!
Development tasks, run as `cargo xtask TASK`.

`test` must pass before a change is merged: see [`stage`] for its stages and [`tools`] for the
programs that it needs. `goldens` rewrites the golden playthroughs that tests compare with.
`benchmarks` and `survey` run experiments, `pictures` draws games for visual inspection, and
`instructions` counts processor instructions ([`instructions`]). xtask depends on the standard
library alone, so that it builds quickly on a new clone.
*/

mod fuzz;
mod instructions;
mod stage;
mod tools;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use stage::{Stage, seconds};

const HELP: &str = "\
Development tasks of the Ludorum project.

Usage: cargo xtask TASK

Tasks:
  test          formatting, clippy, unit, property, doc and end-to-end tests, documentation, and one
                minute of each fuzz test
  test --quick  the same without fuzzing
  goldens       rewrites the golden playthroughs of the bundled games
  benchmarks    measures all engines on the games of the papers and writes
                docs/measurements/benchmarks.md
                (arguments: --seconds S, --out FILE, --peers FOLDER, --peers-machine TEXT, games)
  survey        plays random matches with the engine auto, of every sheet in ../shared/games or in
                the given folder
  pictures      draws games into a folder as SVG and PNG, with contact sheets
                (arguments: OUTDIR, --hints, --dark, games)
  instructions  counts the instructions of parsing, grounding, passes and steps under valgrind:
                figures without timing noise
  help          this text

Exit codes: 0 all passed, 1 something failed, 2 wrong use or a missing tool.
";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["test"] => test(false),
        ["test", "--quick"] => test(true),
        ["goldens"] => run(&[stage::goldens()], &root()),
        ["benchmarks" | "survey", ..] => run(&[stage::experiment(&words)], &root()),
        ["pictures", ..] => run(&[stage::pictures(&words[1..])], &root()),
        ["instructions"] => instructions::count(&root()),
        [] | ["help" | "--help" | "-h"] => {
            print!("{HELP}");
            ExitCode::SUCCESS
        }
        _ => {
            eprintln!("xtask: cannot do `{}`\n\n{HELP}", words.join(" "));
            ExitCode::from(2)
        }
    }
}

/// The root of the workspace.
fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

fn test(quick: bool) -> ExitCode {
    let root = root();
    if let Err(missing) = tools::ensure_available(&root) {
        eprint!("{missing}");
        return ExitCode::from(2);
    }
    let mut stages = stage::checks();
    if !quick {
        match fuzz::stages(&root) {
            Ok(fuzzing) => stages.extend(fuzzing),
            Err(error) => {
                eprintln!("xtask: cannot look for fuzz tests: {error}");
                return ExitCode::from(2);
            }
        }
    }
    run(&stages, &root)
}

/// Runs all stages, continuing after failures, and prints a summary.
fn run(stages: &[Stage], root: &Path) -> ExitCode {
    let start = Instant::now();
    let mut lines = Vec::new();
    let mut failed = 0;
    for stage in stages {
        println!("\n=== {}: {}", stage.name, stage.command_line());
        let result = stage.run(root);
        let verdict = if result.passed { "passed" } else { "FAILED" };
        failed += usize::from(!result.passed);
        let line = format!("{verdict}  {:>8}  {}", seconds(result.time), stage.name);
        println!("=== {line}");
        lines.push(line);
    }
    println!("\n{}", lines.join("\n"));
    println!("\nin {}", seconds(start.elapsed()));
    println!("{} passed, {failed} failed", stages.len() - failed);
    if failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
