/*!
The `ludorum` command.

Each subcommand is a module with its arguments (`Args`) and a `run` function. Shared by all are
[`source`], the input: a shipped name, a path or `-`; [`sheet_report`], which loads rules;
[`report`], which shows diagnostics; [`terminal`], the output with colours and width; and
[`outcome`], the exit codes. Everything else is in the libraries.
*/

mod analyse;
mod archive;
mod arena;
mod bench;
mod board;
mod check;
mod clock;
mod command;
mod completions;
mod conduct;
mod conform;
mod diagnosis;
mod duel;
mod engines;
mod explain;
mod fmt;
mod games;
mod inspect;
mod logger;
mod menu;
mod moves;
mod outcome;
mod perf;
mod perft;
mod play;
mod playability;
mod player;
mod players;
mod position;
mod prompt;
mod report;
mod roles;
mod signals;
mod solve;
mod source;
mod terminal;
mod tournament;
mod walk;
mod words;

use std::process::ExitCode;

fn main() -> ExitCode {
    ludorum_memory::keep_house();
    command::main()
}
