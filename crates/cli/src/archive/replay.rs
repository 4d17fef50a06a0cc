//! `ludorum archive replay`.

use std::io::{self, IsTerminal as _, Write as _};

use ludorum_games::ShippedGame;
use ludorum_match::MatchRecord;

use super::show::{end, error, head};
use super::{ArchiveOption, find, missing};
use crate::outcome::{CommandOutcome, Failure};
use crate::prompt::ask;
use crate::state_text::state_text;
use crate::terminal::{Terminal, printable};

/// Step through the states of a match.
///
/// On a terminal, Enter shows the next step, `b` the one before, a number that step, and `q` quits.
/// Without a terminal all states are printed.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Args {
    /// The id of the match, or its beginning.
    #[arg(value_name = "MATCH")]
    name: String,

    /// Start after this step; 0 is the initial state.
    #[arg(long, value_name = "STEP", default_value_t = 0)]
    from: usize,

    /// Do not wait between steps.
    #[arg(long)]
    all: bool,

    #[command(flatten)]
    archive: ArchiveOption,
}

const AFTER_HELP: &str = "\
Examples:
  ludorum archive replay cup-1.r1.g1.1-2.1
  ludorum archive replay cup-1.r1.g1.1-2.1 --from 10 --all";

pub(super) fn run(args: &Args, terminal: &mut Terminal) -> Result<CommandOutcome, Failure> {
    let archive = args.archive.open()?;
    let Some(summary) = find(&archive, &args.name)? else {
        return Ok(missing(&args.name, terminal));
    };
    let Some(record) = archive.record(&summary.id).map_err(Failure::from)? else {
        return Ok(missing(&args.name, terminal));
    };
    let last = record.steps.len();
    if args.from > last {
        return Err(Failure::input(format!(
            "the match has {last} steps, and there is nothing after step {}",
            args.from
        )));
    }
    let style = terminal.style;
    terminal.write_all(head(&summary, &record, &style).as_bytes())?;
    let game = ludorum_games::find(&record.game);
    let waits = !args.all && io::stdin().is_terminal() && io::stdout().is_terminal();
    let mut step = args.from;
    loop {
        writeln!(terminal)?;
        show(&record, game, step, terminal)?;
        if !waits {
            if step == last {
                break;
            }
            step += 1;
            continue;
        }
        match next(step, last, terminal)? {
            Some(chosen) => step = chosen,
            None => break,
        }
    }
    writeln!(terminal, "\n{}", end(&record))?;
    Ok(CommandOutcome::Success)
}

/// Prints the state after some steps, and the moves that led to it.
fn show(
    record: &MatchRecord,
    game: Option<&ShippedGame>,
    step: usize,
    terminal: &mut Terminal,
) -> Result<(), Failure> {
    let style = terminal.style;
    let taken = step.checked_sub(1).and_then(|step| record.steps.get(step));
    let facts = match taken {
        None => {
            writeln!(terminal, "{}", style.bold("Start"))?;
            for player_error in &record.start_errors {
                writeln!(terminal, "{}", error(player_error, record, &style))?;
            }
            &record.initial
        }
        Some(taken) => {
            let moves = record.roles.iter().zip(&taken.moves);
            let moves: Vec<String> = moves.map(|(role, text)| format!("{role} {text}")).collect();
            let title = format!("Step {step} of {}", record.steps.len());
            let moves = moves.join(", ");
            writeln!(terminal, "{}  {}", style.bold(&title), printable(&moves))?;
            for player_error in &taken.player_errors {
                writeln!(terminal, "{}", error(player_error, record, &style))?;
            }
            &taken.state
        }
    };
    let text = state_text(game, facts, &record.roles, &style);
    terminal.write_all(text.as_bytes())?;
    Ok(())
}

/// Asks for the next step to show; `None` to quit.
fn next(step: usize, last: usize, terminal: &mut Terminal) -> Result<Option<usize>, Failure> {
    let style = terminal.style;
    loop {
        let Some(line) = ask(&style.dimmed("Enter, b, a number or q: "), terminal)? else {
            return Ok(None);
        };
        match line.as_str() {
            "" if step == last => return Ok(None),
            "" => return Ok(Some(step + 1)),
            "b" | "back" => return Ok(Some(step.saturating_sub(1))),
            "q" | "quit" | "exit" => return Ok(None),
            number => match number.parse() {
                Ok(number) if number <= last => return Ok(Some(number)),
                _ => writeln!(terminal, "Give a step from 0 to {last}.")?,
            },
        }
    }
}
