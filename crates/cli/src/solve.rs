//! `ludorum solve`: the best line of play of a puzzle.

use std::ffi::OsString;
use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::ValueHint;
use ludorum_players::{PlayerSpec, Solution, SolutionProof, SolveError, solve};
use serde::Serialize;

use crate::engine_options::PlayersEngine;
use crate::outcome::{CommandOutcome, Failure};
use crate::report::counted;
use crate::sheet_report;
use crate::signals;
use crate::source::GameSource;
use crate::terminal::{Terminal, printable};
use crate::value_parsers;

/// Find the best line of play of a puzzle, a game of one role.
///
/// Several techniques search within the same time and share their results. The search ends as soon
/// as a line reaches the highest goal value of the rules, or everything was searched; Ctrl-C ends
/// it with the best line so far.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// A shipped name, the path of a sheet, or `-` for standard input.
    #[arg(value_name = "PUZZLE", value_hint = ValueHint::FilePath)]
    game: OsString,

    /// The total time, including the time to build the engine.
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "45",
        value_parser = value_parsers::seconds,
        allow_negative_numbers = true
    )]
    seconds: Duration,

    /// The number of search threads, unless the player sets it, as in solo:threads=2.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        value_parser = clap::value_parser!(u64).range(1..=1024)
    )]
    threads: u64,

    /// The solver with options; `ludorum players solo` lists them.
    #[arg(long, value_name = "PLAYER", default_value = "solo")]
    player: PlayerSpec,

    #[command(flatten)]
    engine: PlayersEngine,

    /// Print as JSON.
    #[arg(long)]
    json: bool,
}

const AFTER_HELP: &str = "\
Examples:
  ludorum solve hanoi-5                               the line, move by move
  ludorum solve pocket-cube --seconds 120 --threads 2
  ludorum solve peg-solitaire --player solo:uses=nested,seed=7
  ludorum solve hanoi-7 --engine propnet:passes=paper  on an engine of your choice
  ludorum solve my-puzzle.kif --json                  as JSON

JSON: {\"game\", \"player\", \"line\": [\"(puton disc1 pillar3)\"], \"value\", \"ceiling\", \
\"ceiling_known\", \"proof\": \"ceiling\" | \"exhausted\" | \"none\", \"method\", \"found_after\", \
\"seconds\", \"simulations\"}. The ceiling is the highest goal value of the rules, as far as it is \
known. With the proof `ceiling` the line reaches it; with `exhausted` everything was searched and \
no line is better; with `none` there may be better lines. If nothing could be searched in that \
time, \"trouble\" says why.

Exit codes: 0 the line is proven optimal, 1 it is not, or there is none, 2 wrong use or bad input, \
130 interrupted before it was proven.";

#[derive(Serialize)]
struct Found<'a> {
    game: &'a str,
    player: String,
    #[serde(flatten)]
    solution: &'a Solution,
}

pub(crate) fn run(args: &Args, terminal: &mut Terminal) -> Result<CommandOutcome, Failure> {
    let source = GameSource::open(&args.game)?;
    let rules = Arc::new(sheet_report::load_rules(&source, terminal)?);
    let spec = args.engine.of(&args.player);
    let spec = spec.unless_written("threads", args.threads);
    let stop = Arc::new(AtomicBool::new(false));
    let pressed = signals::set_on_signal(&stop);
    let solution = solve(&rules, &spec, args.seconds, &stop).map_err(|error| {
        let message = format!("{}: {error}", source.name);
        match error {
            SolveError::Roles(_) => Failure::input_with_help(
                message,
                format!(
                    "`ludorum analyse {}` shows the best moves of a game",
                    source.name
                ),
            ),
            SolveError::Player(_) => Failure::input_with_help(
                message,
                "give --player solo, possibly with options: solo:seed=7",
            ),
            SolveError::Build(_)
            | SolveError::Reason(_)
            | SolveError::Thread(_)
            | SolveError::Broken => Failure::input(message),
        }
    })?;
    if args.json {
        terminal.json(&Found {
            game: &source.name,
            player: spec.to_string(),
            solution: &solution,
        })?;
    } else {
        print(&solution, terminal)?;
    }
    Ok(if solution.is_proven() && solution.value.is_some() {
        CommandOutcome::Success
    } else if pressed.load(Ordering::Acquire) {
        CommandOutcome::Interrupted
    } else {
        CommandOutcome::Negative
    })
}

fn print(solution: &Solution, terminal: &mut Terminal) -> std::io::Result<()> {
    let style = terminal.style;
    let widest = solution.line.len().to_string().len();
    for (i, text) in solution.line.iter().enumerate() {
        writeln!(terminal, "{:>widest$}  {}", i + 1, printable(text))?;
    }
    if !solution.line.is_empty() {
        writeln!(terminal)?;
    }
    let verdict = verdict(solution);
    let verdict = match solution.proof {
        SolutionProof::Ceiling => style.bold(&verdict),
        SolutionProof::Exhausted if solution.value.is_some() => style.bold(&verdict),
        SolutionProof::Exhausted | SolutionProof::None => style.warning(&verdict),
    };
    writeln!(terminal, "{verdict}")?;
    if solution.trouble.is_some() {
        writeln!(
            terminal,
            "{}",
            style.dimmed(
                "give it more --seconds, or use --engine auto, which searches while it compiles"
            )
        )?;
    }
    if let (Some(method), Some(after)) = (solution.method, solution.found_after) {
        let simulations = usize::try_from(solution.simulations).unwrap_or(usize::MAX);
        writeln!(
            terminal,
            "found by {method} after {after:.2} s; {} in {:.2} s",
            counted(simulations, "simulation", "simulations"),
            solution.seconds
        )?;
    }
    Ok(())
}

/// The result as a sentence.
fn verdict(solution: &Solution) -> String {
    let ceiling = solution.ceiling;
    let Some(value) = solution.value else {
        return match solution.proof {
            SolutionProof::Exhausted => "no line of play ends: everything was searched".to_owned(),
            _ => match &solution.trouble {
                Some(problem) => format!("nothing was searched: {problem}"),
                None => "no line of play with an end was found in that time".to_owned(),
            },
        };
    };
    let moves = counted(solution.line.len(), "move", "moves");
    match solution.proof {
        SolutionProof::Ceiling => {
            format!("solved: {value} points in {moves}, the highest goal value of the rules")
        }
        SolutionProof::Exhausted => format!(
            "{value} points in {moves}: no line is better, everything was searched (the rules \
             name {ceiling})"
        ),
        SolutionProof::None => {
            format!("{value} points in {moves}: the best that was found (the rules name {ceiling})")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn solution(value: Option<u8>, proof: SolutionProof) -> Solution {
        Solution {
            line: vec!["a".to_owned(); usize::from(value.is_some())],
            value,
            ceiling: 100,
            ceiling_known: true,
            proof,
            method: None,
            found_after: None,
            seconds: 1.0,
            simulations: 1,
            trouble: None,
        }
    }

    #[test]
    fn the_verdict_says_what_is_proven() {
        let text = |value, proof| verdict(&solution(value, proof));
        assert!(
            text(Some(100), SolutionProof::Ceiling).starts_with("solved: 100 points in 1 move,")
        );
        assert!(text(Some(87), SolutionProof::Exhausted).contains("no line is better"));
        assert!(text(Some(87), SolutionProof::None).contains("best that was found"));
        assert!(text(None, SolutionProof::None).contains("no line"));
        assert!(text(None, SolutionProof::Exhausted).contains("everything was searched"));
        let late = Solution {
            trouble: Some("the engine was not ready".to_owned()),
            ..solution(None, SolutionProof::None)
        };
        assert_eq!(
            verdict(&late),
            "nothing was searched: the engine was not ready"
        );
    }
}
