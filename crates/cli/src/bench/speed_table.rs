//! Measured speeds as a table for a terminal.

use std::io::{self, Write as _};

use ludorum_lab::speed::Speed;
use ludorum_lab::speed::baseline::Baseline;
use ludorum_lab::speed::table::{SpeedOutcome, SpeedRow};

use crate::terminal::{Terminal, printable};

/// The longest name of a game that is shown in full, in characters.
const WIDEST: usize = 40;

/// Prints a row for each game and engine.
pub(super) fn print(
    lines: &[SpeedRow],
    baseline: Option<&Baseline>,
    terminal: &mut Terminal,
) -> io::Result<()> {
    let style = terminal.style;
    let width = lines.iter().map(|line| line.game.chars().count()).max();
    let width = width.unwrap_or(0).clamp(4, WIDEST);
    let names = lines.iter().map(|line| line.engine.name().len()).max();
    let names = names.unwrap_or(0).max(6);
    let mut title = format!(
        "{:<width$}  {:<names$}  {:>9}  {:>12}  {:>6}  {:>12}  {:>7}  {:>10}  {:>9}",
        "game", "engine", "init", "states/s", "+-", "playouts/s", "length", "components", "memory"
    );
    if let Some(baseline) = baseline {
        title += &format!("  {:>12}  {:>7}", baseline.name, "times");
    }
    title += "  notes";
    writeln!(terminal, "{}", style.bold(&title))?;
    for line in lines {
        let name = printable(&line.game);
        let engine = line.engine.name();
        match &line.outcome {
            SpeedOutcome::Played(speed) => {
                let mut row = format!("{name:<width$}  {engine:<names$}  {}", figures(speed));
                if baseline.is_some() {
                    let other = line.baseline.map_or("-".to_owned(), |b| format!("{b:.0}"));
                    let times = line.ratio.map_or("-".to_owned(), |r| format!("{r:.2}"));
                    row += &format!("  {other:>12}  {times:>7}");
                }
                row += &format!("  {}", notes(speed, line.note.as_deref()));
                writeln!(terminal, "{}", row.trim_end())?;
            }
            SpeedOutcome::Failed { error } => {
                let error = style.warning(&printable(error));
                writeln!(terminal, "{name:<width$}  {engine:<names$}  {error}")?;
            }
        }
    }
    Ok(())
}

fn figures(speed: &Speed) -> String {
    let components = speed.components.map_or("-".to_owned(), |n| n.to_string());
    let memory = speed.peak_memory_bytes.map_or("-".to_owned(), |bytes| {
        format!("{} MiB", bytes.div_ceil(1 << 20))
    });
    let half = (speed.states_per_second_high - speed.states_per_second_low) / 2.0;
    // A single round has no measure of uncertainty.
    let half = match speed.rounds {
        0 | 1 => "-".to_owned(),
        _ => format!("{:.0} %", 100.0 * half / speed.states_per_second.max(1e-9)),
    };
    format!(
        "{:>6.1} ms  {:>12.0}  {half:>6}  {:>12.1}  {:>7.1}  {components:>10}  {memory:>9}",
        speed.init_ms, speed.states_per_second, speed.playouts_per_second, speed.average_length,
    )
}

/// Remarks on the figures of an engine, and on the baseline.
fn notes(speed: &Speed, comparison: Option<&str>) -> String {
    let mut notes = Vec::new();
    notes.extend(comparison.map(str::to_owned));
    if let Some(cache) = &speed.cache {
        notes.push(format!("{:.0} % hits", 100.0 * cache.total().share()));
    }
    if let Some(choice) = &speed.choice {
        notes.push(choice.engines());
    }
    if speed.threads > 1 {
        notes.push(format!(
            "{:.0} states/s by {} threads in wall-clock time",
            speed.states_per_wall_second, speed.threads
        ));
    }
    notes.join(", ")
}
