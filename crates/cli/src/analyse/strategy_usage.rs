//! `ludorum analyse --match`: the use of strategies over a match.

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ludorum_lab::strategy_usage::{StrategyUsage, UsageError, UsageRequest, follow, plot};
use ludorum_players::{GameEngine, PlayerSpec};
use ludorum_reasoner::Role;
use serde::Serialize;

use super::{Args, first_with_choice};
use crate::outcome::{CommandOutcome, Failure};
use crate::report::counted;
use crate::roles;
use crate::signals;
use crate::source::GameSource;
use crate::terminal::{OutputStyle, Terminal, printable};

/// The most columns of a bar chart.
const COLUMNS: usize = 60;
/// The most rows of numbers; the bar charts show all steps.
const ROWS: usize = 12;
/// The width of a cell of the table.
const CELL: usize = 12;

#[derive(Serialize)]
struct Found<'a> {
    game: &'a str,
    player: String,
    engine: String,
    #[serde(flatten)]
    usage: &'a StrategyUsage,
}

/// Plays the match and prints the use of strategies.
pub(super) fn run(
    args: &Args,
    source: &GameSource,
    player: &PlayerSpec,
    table: &GameEngine,
    terminal: &mut Terminal,
) -> Result<CommandOutcome, Failure> {
    let failed = |error: &UsageError| refused(&source.name, error);
    let role = chosen(args, table)?;
    let request = UsageRequest {
        player: player.clone(),
        role,
        clock: args.seconds,
        start_clock: args.start_clock,
        limit: args.steps,
    };
    let stop = Arc::new(AtomicBool::new(false));
    let pressed = signals::set_on_signal(&stop);
    let usage = follow(table, &request, &stop, |_| {}).map_err(|error| failed(&error))?;
    let title = format!(
        "{}: strategies of {} in {}",
        player,
        printable(&usage.role),
        printable(&source.name)
    );
    if let Some(path) = &args.plot {
        draw(path, &usage, &title)?;
    }
    if args.json {
        terminal.json(&Found {
            game: &source.name,
            player: player.to_string(),
            engine: table.engine().to_string(),
            usage: &usage,
        })?;
    } else {
        let style = terminal.style;
        write!(
            terminal,
            "{}\n\n{}",
            style.bold(&title),
            text(&usage, &style)
        )?;
    }
    Ok(if pressed.load(Ordering::Acquire) && !usage.is_over {
        CommandOutcome::Interrupted
    } else {
        CommandOutcome::Success
    })
}

/// The failure for a match that says nothing about strategies, with advice.
fn refused(game: &str, error: &UsageError) -> Failure {
    let message = format!("{game}: {error}");
    match error {
        UsageError::NoChoice { others, .. } if others.is_empty() => Failure::input_with_help(
            message,
            "no role had one, so nothing was searched in this match",
        ),
        UsageError::NoChoice { others, .. } => Failure::input_with_help(
            message,
            format!("give a --role that had one: {}", others.join(", ")),
        ),
        UsageError::None(_) => Failure::input_with_help(
            message,
            "the players `mini`, `mini-base` and `mini-1s` follow strategies, in games of several \
             roles",
        ),
        UsageError::NoSteps => Failure::input_with_help(
            message,
            "give it --steps, and a game whose initial state is not terminal",
        ),
        UsageError::Play(_) | UsageError::Reason(_) => Failure::input(message),
    }
}

fn chosen(args: &Args, table: &GameEngine) -> Result<Role, Failure> {
    let mut walker = table
        .walker()
        .map_err(|error| Failure::input(error.to_string()))?;
    match &args.role {
        Some(name) => roles::find_role(&walker.roles(), name),
        None => first_with_choice(walker.as_mut()).map_err(|e| Failure::input(e.to_string())),
    }
}

fn draw(path: &Path, usage: &StrategyUsage, title: &str) -> Result<(), Failure> {
    let picture = plot::svg(usage, title).map_err(|error| Failure::input(error.to_string()))?;
    std::fs::write(path, picture)
        .map_err(|error| Failure::input(format!("cannot write `{}`: {error}", path.display())))
}

/// The numbers of some steps, then a bar chart for each strategy.
fn text(usage: &StrategyUsage, style: &OutputStyle) -> String {
    let mut lines = Vec::new();
    let names = usage.strategies.iter();
    let heads: Vec<String> = names.map(|name| format!("{name:>CELL$}")).collect();
    let heads = heads.concat();
    lines.push(style.bold(&format!("{:>5}{heads}  simulations", "step")));
    for i in some(usage.steps.len(), ROWS) {
        let step = &usage.steps[i];
        let cells = step.shares.iter().zip(&step.earned);
        let cells: Vec<String> = cells
            .map(|(share, earned)| {
                let earned = earned.map_or("-".to_owned(), |earned| format!("{earned:.0}"));
                let cell = format!("{:.0} % {earned:>3}", 100.0 * share);
                format!("{cell:>CELL$}")
            })
            .collect();
        let cells = cells.concat();
        lines.push(format!("{:>5}{cells}  {}", step.step, step.simulations));
    }
    lines.push(style.dimmed(
        "Each strategy: its share of all simulations so far, and the mean goal of the role in its \
         simulations of the step.",
    ));
    lines.push(String::new());
    let width = usage.strategies.iter().map(String::len).max();
    let width = width.unwrap_or(0);
    let columns = COLUMNS.min(style.width.saturating_sub(width + 10)).max(10);
    for (place, name) in usage.strategies.iter().enumerate() {
        let shares: Vec<f64> = usage.steps.iter().map(|step| step.shares[place]).collect();
        let last = shares.last().map_or(0.0, |share| 100.0 * share);
        let bars = bars(&shares, columns, style.unicode);
        lines.push(format!("{name:<width$}  {bars}  {last:.0} %"));
    }
    let ending = match (usage.is_over, usage.goals.is_empty()) {
        (true, false) => {
            let goals = usage.goals.iter();
            let goals = goals.map(|goal| goal.map_or("-".to_owned(), |goal| goal.to_string()));
            format!("the match ended {}", goals.collect::<Vec<_>>().join(" : "))
        }
        _ => "the match was cut".to_owned(),
    };
    let shown = usage.steps.len();
    let left_out = match (usage.length as usize).saturating_sub(shown) {
        0 => String::new(),
        steps => format!(
            " Left out: {} in which {} did not search.",
            counted(steps, "step", "steps"),
            printable(&usage.role)
        ),
    };
    lines.push(style.dimmed(&format!(
        "From the first step with simulations to the last one; {ending} after {}.{left_out}",
        counted(usage.length as usize, "step", "steps")
    )));
    lines.join("\n") + "\n"
}

/// At most `most` evenly spread indices below `count`, the first and the last among them.
fn some(count: usize, most: usize) -> Vec<usize> {
    if count <= most {
        return (0..count).collect();
    }
    (0..most).map(|i| i * (count - 1) / (most - 1)).collect()
}

/// A bar chart on one line, each bar for one moment of the match; a full bar is a share of 1.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss
)] // a share in a few characters
fn bars(shares: &[f64], columns: usize, unicode: bool) -> String {
    let signs: &[char] = if unicode {
        &[' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█']
    } else {
        &[' ', '.', ':', '-', '=', '+', '*', '#', '@']
    };
    if shares.is_empty() {
        return String::new();
    }
    let last = (signs.len() - 1) as f64;
    (0..columns)
        .map(|column| shares[column * shares.len() / columns])
        .map(|share| signs[(share.clamp(0.0, 1.0) * last).round() as usize])
        .collect()
}

#[cfg(test)]
mod tests {
    use ludorum_lab::strategy_usage::UsageStep;

    use super::*;

    const STYLE: OutputStyle = OutputStyle {
        color: false,
        unicode: true,
        width: 80,
    };

    fn usage(steps: u32) -> StrategyUsage {
        let step = |step| UsageStep {
            step,
            simulations: 100,
            shares: vec![0.25, 0.75],
            earned: vec![Some(40.0), None],
        };
        StrategyUsage {
            role: "x".to_owned(),
            strategies: vec!["random".to_owned(), "goal".to_owned()],
            steps: (0..steps).map(step).collect(),
            length: 2 * steps,
            is_over: true,
            goals: vec![Some(100), Some(0)],
        }
    }

    #[test]
    fn numbers_and_bars_are_shown_for_every_strategy() {
        let output = text(&usage(2), &STYLE);
        assert!(
            output.contains("    0    25 %  40    75 %   -  100"),
            "{output}"
        );
        assert!(output.contains("random  ▂▂▂▂"), "{output}");
        assert!(output.contains("▆▆  75 %"), "{output}");
        assert!(output.contains("ended 100 : 0 after 4 steps"), "{output}");
        assert!(
            output.contains("2 steps"),
            "the others are counted: {output}"
        );
    }

    #[test]
    fn only_some_of_many_steps_are_shown_in_numbers() {
        let output = text(&usage(200), &STYLE);
        assert!(output.lines().count() < 25);
        assert!(output.contains("\n  199 "), "{output}");
        assert_eq!(some(5, 12), [0, 1, 2, 3, 4]);
        assert_eq!(some(100, 3), [0, 49, 99]);
    }

    #[test]
    fn bars_are_as_high_as_the_shares() {
        assert_eq!(bars(&[0.0, 0.5, 1.0], 3, true), " ▄█");
        assert_eq!(bars(&[0.0, 1.0], 4, false), "  @@");
        assert_eq!(bars(&[], 4, false), "");
    }
}
