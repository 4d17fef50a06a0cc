//! `ludorum engines`: the engines and their options.

use std::io::Write as _;

use ludorum_engines::engine::{EngineKind, EngineOptionInfo};
use serde::Serialize;

use crate::option_list::{self, OptionEntry};
use crate::outcome::{CommandOutcome, Failure};
use crate::terminal::Terminal;

/// List the engines and their options.
///
/// Wherever an ENGINE is asked for, give its name, or its name and options: `propnet`,
/// `propnet:propagation=forward`, `prover:cache=64`.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// Only the engine with this name.
    #[arg(value_name = "NAME")]
    name: Option<EngineKind>,

    /// Print as JSON.
    #[arg(long)]
    json: bool,
}

const AFTER_HELP: &str = "\
Examples:
  ludorum engines          all engines
  ludorum engines propnet  one of them
  ludorum engines --json   as JSON

JSON: an array of {\"name\", \"about\", \"options\": [{\"name\", \"default\", \"expected\", \
\"about\"}]}.

Exit codes: 0 success, 2 there is no such engine.";

#[derive(Serialize)]
struct EngineEntry {
    name: &'static str,
    about: &'static str,
    options: Vec<OptionEntry>,
}

impl EngineEntry {
    fn new(kind: EngineKind) -> Self {
        let properties = kind.properties();
        let option = |option: EngineOptionInfo| OptionEntry {
            name: option.name,
            default: option.default,
            expected: option.expected,
            about: option.about,
        };
        Self {
            name: properties.name,
            about: properties.about,
            options: kind.option_infos().into_iter().map(option).collect(),
        }
    }
}

pub(crate) fn run(args: &Args, terminal: &mut Terminal) -> Result<CommandOutcome, Failure> {
    let all = || EngineKind::ALL.to_vec();
    let kinds = args.name.map_or_else(all, |kind| vec![kind]);
    let entries: Vec<EngineEntry> = kinds.into_iter().map(EngineEntry::new).collect();
    if args.json {
        terminal.json(&entries)?;
        return Ok(CommandOutcome::Success);
    }
    let style = terminal.style;
    for entry in &entries {
        option_list::print_heading(entry.name, entry.about, terminal)?;
        option_list::print(&entry.options, terminal)?;
        writeln!(terminal)?;
    }
    writeln!(
        terminal,
        "Options follow a colon: {}",
        style.code("propnet:propagation=forward,passes=1,0,2,3")
    )?;
    Ok(CommandOutcome::Success)
}
