//! `ludorum archive list`.

use std::io::Write as _;

use ludorum_match::archive::{MatchStatus, MatchSummary};

use super::date_time::date_and_time;
use super::{ArchiveOption, FilterOptions};
use crate::outcome::{CommandOutcome, Failure};
use crate::report::counted;
use crate::terminal::{Terminal, printable, shortened};

/// List matches, or tournaments.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Args {
    #[command(flatten)]
    filter: FilterOptions,

    /// List tournaments instead of matches.
    #[arg(
        long,
        conflicts_with_all = [
            "game", "player", "tournament", "errors", "finished", "unfinished", "limit",
        ]
    )]
    tournaments: bool,

    #[command(flatten)]
    archive: ArchiveOption,

    /// Print as JSON.
    #[arg(long)]
    json: bool,
}

const AFTER_HELP: &str = "\
Examples:
  ludorum archive list --limit 20                 the latest matches
  ludorum archive list --player random --errors   matches with errors in which this player took part
  ludorum archive list --tournaments              tournaments and their progress

JSON: an array of {\"id\", \"game\", \"tournament\", \"began_at_ms\", \"ended_at_ms\", \
\"start_clock_ms\", \"play_clock_ms\", \"state\", \"steps\", \"errors\", \
\"seats\": [{\"role\", \"name\", \"player\", \"goal\", \"forfeited\", \"errors\"}]}; \
times are milliseconds since 1970, the state is `unfinished`, `completed` or `ended`.

Exit codes: 0 success, 1 nothing fits, 2 wrong use or bad input.";

pub(super) fn run(args: &Args, terminal: &mut Terminal) -> Result<CommandOutcome, Failure> {
    let archive = args.archive.open()?;
    if args.tournaments {
        let list = archive.tournaments().map_err(Failure::from)?;
        if args.json {
            terminal.json(&list)?;
        } else {
            for tournament in &list {
                let state = match (tournament.ended_at_ms, tournament.unfinished) {
                    (Some(_), _) => "over".to_owned(),
                    (None, open) => format!("open, {open} begun"),
                };
                let matches = counted(tournament.matches as usize, "match", "matches");
                writeln!(
                    terminal,
                    "{}  {} (seed {}), {}, {matches}, {state}",
                    date_and_time(tournament.began_at_ms),
                    terminal.style.bold(&printable(&tournament.name)),
                    tournament.seed,
                    printable(&tournament.kind),
                )?;
            }
        }
        return Ok(answer(list.is_empty()));
    }
    let list = archive
        .matches(&args.filter.filter())
        .map_err(Failure::from)?;
    if args.json {
        terminal.json(&list)?;
        return Ok(answer(list.is_empty()));
    }
    if list.is_empty() {
        writeln!(terminal, "No match fits.")?;
        return Ok(CommandOutcome::Negative);
    }
    let widest =
        |column: &dyn Fn(&MatchSummary) -> usize| list.iter().map(column).max().unwrap_or(0);
    let id = widest(&|summary| summary.id.chars().count());
    let game = widest(&|summary| summary.game.chars().count());
    for summary in &list {
        let roles: Vec<String> = summary.roles.iter().map(role_text).collect();
        let state = match summary.state {
            MatchStatus::Unfinished => ", unfinished",
            MatchStatus::Completed => "",
            MatchStatus::Ended => ", without an end",
        };
        let errors = match summary.errors {
            0 => String::new(),
            errors => format!(", {}", counted(errors as usize, "error", "errors")),
        };
        let line = format!(
            "{}  {:id$}  {:game$}  {}  {}{errors}{state}",
            date_and_time(summary.began_at_ms),
            summary.id,
            summary.game,
            roles.join(", "),
            counted(summary.steps as usize, "step", "steps"),
        );
        writeln!(terminal, "{}", printable(&line))?;
    }
    Ok(CommandOutcome::Success)
}

/// The player of a role and its goal.
fn role_text(played: &ludorum_match::archive::PlayedRole) -> String {
    let name = shortened(&played.name, 30);
    match (played.goal, played.forfeited) {
        (_, true) => format!("{name} forfeited"),
        (Some(goal), false) => format!("{name} {goal}"),
        (None, false) => name.into_owned(),
    }
}

fn answer(is_empty: bool) -> CommandOutcome {
    if is_empty {
        CommandOutcome::Negative
    } else {
        CommandOutcome::Success
    }
}
