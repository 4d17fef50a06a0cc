//! `ludorum players`: the players and their options.

use std::io::Write as _;

use ludorum_players::{OptionInfo, PlayerInfo, registry};
use serde::Serialize;

use crate::option_list::{self, OptionEntry};
use crate::outcome::{CommandOutcome, Failure};
use crate::terminal::Terminal;

/// List the players and their options.
///
/// Wherever a PLAYER is asked for, give its name, or its name and options: `mcts`,
/// `mcts:c=0.5,threads=2`, `mcts:engine=prover`.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// Only the player with this name.
    #[arg(value_name = "NAME")]
    name: Option<String>,

    /// Print as JSON.
    #[arg(long)]
    json: bool,
}

const AFTER_HELP: &str = "\
Examples:
  ludorum players        all players
  ludorum players mcts   one of them
  ludorum players --json as JSON

JSON: an array of {\"name\", \"about\", \"options\": [{\"name\", \"default\", \"expected\", \
\"about\"}]}.

Exit codes: 0 success, 2 there is no such player.";

#[derive(Serialize)]
struct PlayerEntry {
    name: &'static str,
    about: &'static str,
    options: Vec<OptionEntry>,
}

pub(crate) fn run(args: &Args, terminal: &mut Terminal) -> Result<CommandOutcome, Failure> {
    let players = registry::players();
    let chosen: Vec<&PlayerInfo> = match &args.name {
        None => players.iter().collect(),
        Some(name) => {
            let found = players.iter().find(|player| player.name == name);
            let found = found.ok_or_else(|| {
                let names: Vec<&str> = players.iter().map(|player| player.name).collect();
                Failure::input_with_help(
                    format!("there is no player `{name}`"),
                    format!("there are {}", names.join(", ")),
                )
            })?;
            vec![found]
        }
    };
    if args.json {
        let entries: Vec<PlayerEntry> = chosen.into_iter().map(entry).collect();
        terminal.json(&entries)?;
        return Ok(CommandOutcome::Success);
    }
    let style = terminal.style;
    if let [player] = chosen[..] {
        option_list::print_heading(player.name, player.about, terminal)?;
        option_list::print(&entry(player).options, terminal)?;
        return Ok(CommandOutcome::Success);
    }
    let is_common = |option: &&OptionInfo| {
        let has = |player: &PlayerInfo| player.options().any(|own| own == *option);
        players.iter().all(has)
    };
    for player in chosen {
        option_list::print_heading(player.name, player.about, terminal)?;
        let own = player.options().filter(|o| !is_common(o));
        option_list::print(&own.map(option_entry).collect::<Vec<_>>(), terminal)?;
        writeln!(terminal)?;
    }
    writeln!(terminal, "{}", style.bold("all of them"))?;
    let common = players.iter().take(1).flat_map(PlayerInfo::options);
    let common = common.filter(is_common).map(option_entry);
    option_list::print(&common.collect::<Vec<_>>(), terminal)?;
    writeln!(
        terminal,
        "\nOptions follow a colon: {}",
        style.code("mcts:c=0.5,threads=2")
    )?;
    Ok(CommandOutcome::Success)
}

fn entry(player: &PlayerInfo) -> PlayerEntry {
    PlayerEntry {
        name: player.name,
        about: player.about,
        options: player.options().map(option_entry).collect(),
    }
}

fn option_entry(option: &OptionInfo) -> OptionEntry {
    OptionEntry {
        name: option.name,
        default: option.default.to_owned(),
        expected: option.kind.expected(),
        about: option.about,
    }
}
