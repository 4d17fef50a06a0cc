//! The command line: global options, and the choice of a command.

use std::ffi::OsString;
use std::io::Write as _;
use std::process::ExitCode;

use clap::{ColorChoice, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use crate::outcome::{CommandOutcome, Failure};
use crate::terminal::{Color, OutputStyle, Terminal};
use crate::{
    analyse, archive, arena, bench, check, completions, conform, duel, engines, fmt, games,
    gdl_perf, inspect, logger, match_command, perft, play, player, players, solve, tournament,
};

/// A general game player: reads the rules of a game and plays it.
///
/// Wherever a GAME is asked for, give the name of a game that ships with Ludorum (`ludorum games`
/// lists them), the path of a rule sheet, or `-` for standard input. A shipped name goes before a
/// file of the same name; write `./nim` for the file. `ludorum engines` and `ludorum players` list
/// what can stand where an ENGINE or a PLAYER is asked for.
#[derive(Debug, Parser)]
#[command(name = "ludorum", version, after_help = AFTER_HELP, disable_help_subcommand = false)]
pub(crate) struct Cli {
    /// When to use colours; `auto` means on a terminal unless `NO_COLOR` is set.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    color: Color,

    #[command(subcommand)]
    command: Option<Command>,
}

const AFTER_HELP: &str = "\
Examples:
  ludorum                            play, watch and understand games in the browser
  ludorum play                       choose a game and play it in the terminal
  ludorum analyse connect-four       the best moves, and why
  ludorum solve hanoi-5              the solution of a puzzle
  ludorum games --show connect-four  how a game is played
  ludorum check my-game.kif          what is wrong with a rule sheet
  ludorum fmt --to infix nim         a sheet in the other notation

Exit codes: 0 success, 1 a negative answer, 2 wrong use or bad input.";

#[derive(Debug, Subcommand)]
enum Command {
    Arena(arena::Args),
    Play(play::Args),
    Analyse(analyse::Args),
    Duel(duel::Args),
    Solve(solve::Args),
    Tournament(tournament::Args),
    Archive(archive::Args),
    Match(match_command::Args),
    Player(player::Args),
    Players(players::Args),
    Engines(engines::Args),
    Check(check::Args),
    Fmt(fmt::Args),
    Inspect(inspect::Args),
    Games(games::Args),
    Perft(perft::Args),
    Bench(bench::Args),
    Perf(gdl_perf::Args),
    Conform(conform::Args),
    Completions(completions::Args),
}

/// Parses the command line, runs the command and turns its outcome into an exit code.
pub(crate) fn main() -> ExitCode {
    logger::start();
    let words: Vec<OsString> = std::env::args_os().collect();
    let parsed = Cli::command()
        .color(help_color(&words))
        .try_get_matches_from(words)
        .and_then(|matches| Cli::from_arg_matches(&matches));
    let cli = match parsed {
        Ok(cli) => cli,
        Err(error) => {
            // An error here means that the reader has closed the stream.
            let _ = error.print();
            return if error.use_stderr() {
                Failure::EXIT_CODE.into()
            } else {
                ExitCode::SUCCESS
            };
        }
    };
    let mut terminal = Terminal::stdout(cli.color);
    let outcome = run(cli.command, &mut terminal).and_then(|outcome| {
        terminal.flush()?;
        Ok(outcome)
    });
    match outcome {
        Ok(outcome) => outcome.into(),
        Err(failure) => {
            // Print the output that precedes the failure.
            let _ = terminal.flush();
            failure.report(&OutputStyle::stderr(cli.color));
            failure.exit_code()
        }
    }
}

fn run(command: Option<Command>, terminal: &mut Terminal) -> Result<CommandOutcome, Failure> {
    match command {
        None => arena::run_with_defaults(terminal),
        Some(Command::Arena(args)) => arena::run(&args, terminal),
        Some(Command::Play(args)) => play::run(&args, terminal),
        Some(Command::Analyse(args)) => analyse::run(&args, terminal),
        Some(Command::Players(args)) => players::run(&args, terminal),
        Some(Command::Engines(args)) => engines::run(&args, terminal),
        Some(Command::Duel(args)) => duel::run(&args, terminal),
        Some(Command::Solve(args)) => solve::run(&args, terminal),
        Some(Command::Tournament(args)) => tournament::run(&args, terminal),
        Some(Command::Archive(args)) => archive::run(&args, terminal),
        Some(Command::Match(args)) => match_command::run(&args, terminal),
        Some(Command::Player(args)) => player::run(&args, terminal),
        Some(Command::Check(args)) => check::run(&args, terminal),
        Some(Command::Fmt(args)) => fmt::run(&args, terminal),
        Some(Command::Inspect(args)) => inspect::run(&args, terminal),
        Some(Command::Games(args)) => games::run(&args, terminal),
        Some(Command::Perft(args)) => perft::run(&args, terminal),
        Some(Command::Bench(args)) => bench::run(&args, terminal),
        Some(Command::Perf(args)) => gdl_perf::run(&args),
        Some(Command::Conform(args)) => conform::run(&args, terminal),
        Some(Command::Completions(args)) => completions::run(&args, terminal),
    }
}

/// The choice of colours for help texts. Clap prints them while it parses, so the option is looked
/// up beforehand.
fn help_color(words: &[OsString]) -> ColorChoice {
    let value = words.iter().enumerate().find_map(|(i, word)| {
        let word = word.to_str()?;
        match word.strip_prefix("--color=") {
            Some(value) => Some(value),
            None if word == "--color" => words.get(i + 1)?.to_str(),
            None => None,
        }
    });
    match value {
        Some("always") => ColorChoice::Always,
        Some("never") => ColorChoice::Never,
        _ => ColorChoice::Auto,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_command_has_examples_in_its_help() {
        for command in Cli::command().get_subcommands() {
            let help = command.get_after_help().map(ToString::to_string);
            assert!(
                help.is_some_and(|text| text.contains("Examples:")),
                "{}",
                command.get_name()
            );
        }
    }
}
