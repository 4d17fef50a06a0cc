//! `ludorum players`: the players and their options.

use std::io::Write as _;

use ludorum_players::{OptionInfo, PlayerInfo, registry};
use serde::Serialize;

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

JSON: an array of {\"name\", \"about\", \"options\": [{\"name\", \"default\", \"expected\", \"about\"}]}.

Exit codes: 0 success, 2 there is no such player.";

#[derive(Serialize)]
struct Entry {
    name: &'static str,
    about: &'static str,
    options: Vec<OptionEntry>,
}

#[derive(Serialize)]
struct OptionEntry {
    name: &'static str,
    default: &'static str,
    expected: String,
    about: &'static str,
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
        let entries: Vec<Entry> = chosen.into_iter().map(entry).collect();
        terminal.json(&entries)?;
        return Ok(CommandOutcome::Success);
    }
    let style = terminal.style;
    if let [player] = chosen[..] {
        writeln!(terminal, "{}  {}", style.bold(player.name), player.about)?;
        print(&player.options().collect::<Vec<_>>(), terminal)?;
        return Ok(CommandOutcome::Success);
    }
    let is_common = |option: &&OptionInfo| {
        let has = |player: &PlayerInfo| player.options().any(|own| own == *option);
        players.iter().all(has)
    };
    for player in chosen {
        writeln!(terminal, "{}  {}", style.bold(player.name), player.about)?;
        let own: Vec<_> = player.options().filter(|o| !is_common(o)).collect();
        print(&own, terminal)?;
        writeln!(terminal)?;
    }
    writeln!(terminal, "{}", style.bold("all of them"))?;
    let common = players.iter().take(1).flat_map(PlayerInfo::options);
    print(&common.filter(is_common).collect::<Vec<_>>(), terminal)?;
    writeln!(
        terminal,
        "\nOptions follow a colon: {}",
        style.code("mcts:c=0.5,threads=2")
    )?;
    Ok(CommandOutcome::Success)
}

fn entry(player: &PlayerInfo) -> Entry {
    let option = |option: &OptionInfo| OptionEntry {
        name: option.name,
        default: option.default,
        expected: option.kind.expected(),
        about: option.about,
    };
    Entry {
        name: player.name,
        about: player.about,
        options: player.options().map(option).collect(),
    }
}

fn print(options: &[&OptionInfo], terminal: &mut Terminal) -> std::io::Result<()> {
    let style = terminal.style;
    let written = |option: &OptionInfo| format!("{}={}", option.name, option.default);
    let widest = options.iter().map(|o| written(o).chars().count()).max();
    let widest = widest.unwrap_or(0);
    for option in options {
        let text = written(option);
        let gap = " ".repeat(widest - text.chars().count());
        let indent = " ".repeat(widest + 4);
        let about = format!("{} ({})", option.about, option.kind.expected());
        let options = textwrap::Options::new(style.width)
            .initial_indent(&indent)
            .subsequent_indent(&indent);
        let about = textwrap::fill(&about, options);
        let about = about.trim_start();
        writeln!(terminal, "  {}{gap}  {about}", style.code(&text))?;
    }
    Ok(())
}
