//! `ludorum archive show`.

use std::io::Write as _;

use ludorum_match::archive::MatchSummary;
use ludorum_match::{MatchRecord, PlayerError};

use super::date_time::date_and_time;
use super::{ArchiveOption, find, missing};
use crate::outcome::{CommandOutcome, Failure};
use crate::report::counted;
use crate::terminal::{OutputStyle, Terminal, printable, shortened};

/// Show a match: players, clocks, moves, errors and goals.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Args {
    /// The id of the match, or its beginning.
    #[arg(value_name = "MATCH")]
    name: String,

    #[command(flatten)]
    archive: ArchiveOption,

    /// Print as JSON.
    #[arg(long)]
    json: bool,
}

const AFTER_HELP: &str = "\
Examples:
  ludorum archive show cup-1.r1.g1.1-2.1
  ludorum archive show cup-1.r1.g1.1-2.1 --json

JSON: {\"id\", \"game\", \"roles\", \"players\", \"names\" (in a tournament), \"start_clock_ms\", \
\"play_clock_ms\", \"seed\", \"began_at_ms\", \"initial\", \"start_mishaps\", \
\"steps\": [{\"number\", \"moves\", \"state\", \"mishaps\", \"took_ms\", \"at_ms\"}], \
\"outcome\"}, or null if there is no such match.";

pub(super) fn run(args: &Args, terminal: &mut Terminal) -> Result<CommandOutcome, Failure> {
    let archive = args.archive.open()?;
    let summary = find(&archive, &args.name)?;
    let record = match &summary {
        Some(summary) => archive.record(&summary.id).map_err(Failure::from)?,
        None => None,
    };
    let (Some(summary), Some(record)) = (summary, record) else {
        if args.json {
            terminal.json(&serde_json::Value::Null)?;
        }
        return Ok(missing(&args.name, terminal));
    };
    if args.json {
        terminal.json(&record)?;
        return Ok(CommandOutcome::Success);
    }
    let style = terminal.style;
    terminal.write_all(head(&summary, &record, &style).as_bytes())?;
    writeln!(terminal)?;
    for player_error in &record.start_errors {
        writeln!(terminal, "{}", error(player_error, &record, &style))?;
    }
    for step in &record.steps {
        let moves = step.moves.iter().enumerate().map(|(role, text)| {
            let took = step.took_ms.get(role);
            let took = took.map_or(String::new(), |ms| {
                style.dimmed(&format!(" {}", seconds(*ms)))
            });
            format!("{}{took}", printable(text))
        });
        let moves: Vec<String> = moves.collect();
        writeln!(terminal, "{:>4}  {}", step.number + 1, moves.join("   "))?;
        for player_error in &step.player_errors {
            writeln!(terminal, "      {}", error(player_error, &record, &style))?;
        }
    }
    writeln!(terminal, "\n{}", end(&record))?;
    Ok(CommandOutcome::Success)
}

/// The heading of a match: game, clocks, seed and players.
pub(super) fn head(summary: &MatchSummary, record: &MatchRecord, style: &OutputStyle) -> String {
    let mut out = format!("{}\n", style.bold(&printable(&record.id)));
    let tournament = summary.tournament.as_ref();
    let tournament = tournament.map_or(String::new(), |name| format!(", tournament {name}"));
    let line = format!(
        "{}, {}{tournament}, start clock {}, play clock {}, seed {}\n",
        record.game,
        date_and_time(record.began_at_ms),
        seconds(record.start_clock_ms),
        seconds(record.play_clock_ms),
        record.seed
    );
    out += &printable(&line);
    for played in &summary.roles {
        let who = if played.name == played.player {
            played.name.clone()
        } else {
            format!("{} ({})", played.name, played.player)
        };
        out += &printable(&format!("  {}: {who}\n", played.role));
    }
    out
}

/// How a match ended, as a sentence.
pub(super) fn end(record: &MatchRecord) -> String {
    let Some(outcome) = &record.outcome else {
        let steps = counted(record.steps.len(), "step", "steps");
        return format!("Not finished after {steps}.");
    };
    let goals = record.roles.iter().zip(&outcome.goals);
    let goals: Vec<String> = goals
        .enumerate()
        .map(|(number, (role, goal))| {
            let goal = goal.map_or("no goal".to_owned(), |goal| goal.to_string());
            let forfeited = outcome.forfeited.contains(&number);
            format!(
                "{role} {goal}{}",
                if forfeited { " (forfeited)" } else { "" }
            )
        })
        .collect();
    let steps = counted(record.steps.len(), "step", "steps");
    let reason = outcome.reason.as_ref();
    let reason = reason.map_or(String::new(), |reason| format!(" ({reason})"));
    let line = format!("After {steps}{reason}: {}", goals.join(", "));
    printable(&line).into_owned()
}

/// An error of a player on one line.
pub(super) fn error(
    player_error: &PlayerError,
    record: &MatchRecord,
    style: &OutputStyle,
) -> String {
    let role = record
        .roles
        .get(player_error.role)
        .map_or("?", String::as_str);
    let kind = player_error.kind.name().replace('-', " ");
    let detail = player_error.detail.replace(['\n', '\r', '\t'], " ");
    let line = format!("{role}: {kind}: {}", shortened(&detail, 200));
    style.warning(&printable(&line))
}

#[allow(clippy::cast_precision_loss)] // a figure for people
fn seconds(ms: u64) -> String {
    let seconds = ms as f64 / 1000.0;
    format!("{seconds} s")
}
