//! `ludorum completions`: scripts for the completion of command lines in a shell.

use std::io::Write as _;

use clap::CommandFactory as _;
use clap_complete::Shell;

use crate::command::Cli;
use crate::outcome::{CommandOutcome, Failure};
use crate::terminal::Terminal;

/// Print a script that makes a shell complete `ludorum` commands.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// The shell.
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

const AFTER_HELP: &str = "\
Examples:
  ludorum completions bash > ~/.local/share/bash-completion/completions/ludorum
  ludorum completions zsh > ~/.zfunc/_ludorum
  ludorum completions fish > ~/.config/fish/completions/ludorum.fish";

pub(crate) fn run(args: &Args, terminal: &mut Terminal) -> Result<CommandOutcome, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "ludorum", &mut script);
    terminal.write_all(&script)?;
    Ok(CommandOutcome::Success)
}
