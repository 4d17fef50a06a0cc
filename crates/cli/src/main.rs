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
mod command;
mod completions;
mod conform;
mod duel;
mod engine_options;
mod engines;
mod explain;
mod fact_list;
mod fmt;
mod games;
mod gdl_perf;
mod inspect;
mod logger;
mod match_command;
mod menu;
mod moves;
mod option_list;
mod outcome;
mod perft;
mod play;
mod playability;
mod player;
mod players;
mod progress;
mod prompt;
mod report;
mod roles;
mod sheet_files;
mod sheet_report;
mod signals;
mod solve;
mod source;
mod state_text;
mod terminal;
mod tournament;
mod value_parsers;

use std::process::ExitCode;

fn main() -> ExitCode {
    ludorum_memory::install_allocator();
    command::main()
}
