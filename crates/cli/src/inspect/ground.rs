//! `ludorum inspect --stage ground`: the ground program and its statistics.

use std::fmt::Write as _;
use std::io::Write as _;
use std::time::Duration;

use ludorum_ground::{GroundProgram, GroundStats};
use serde::Serialize;

use crate::outcome::Failure;
use crate::terminal::{OutputStyle, Terminal, printable, shortened};

/// The most components that are shown, slowest first.
const COMPONENTS_SHOWN: usize = 10;

/// The options of the stage `ground`.
#[derive(Debug, clap::Args)]
pub(super) struct GroundOptions {
    /// Print the ground program, one rule per line, or the staged rules (stages ground and
    /// factors).
    #[arg(long, conflicts_with = "json")]
    pub(super) text: bool,
}

#[derive(Serialize)]
struct GroundReport<'p> {
    game: &'p str,
    fluents: usize,
    moves: Vec<usize>,
    goals: usize,
    #[serde(flatten)]
    stats: &'p GroundStats,
}

/// Prints a ground program or its statistics.
pub(super) fn show(
    game: &str,
    program: &GroundProgram,
    options: &GroundOptions,
    json: bool,
    terminal: &mut Terminal,
) -> Result<(), Failure> {
    if options.text {
        terminal.write_all(printable(&program.text()).as_bytes())?;
        return Ok(());
    }
    let report = GroundReport {
        game,
        fluents: program.fluents.len(),
        moves: program.moves.iter().map(Vec::len).collect(),
        goals: program.goals.len(),
        stats: &program.stats,
    };
    if json {
        terminal.json(&report)?;
        return Ok(());
    }
    let text = report.text(&terminal.style);
    terminal.write_all(text.as_bytes())?;
    Ok(())
}

impl GroundReport<'_> {
    fn text(&self, style: &OutputStyle) -> String {
        let stats = self.stats;
        let mut out = String::new();
        let moves: Vec<String> = self.moves.iter().map(ToString::to_string).collect();
        for (name, value) in [
            ("fluents", self.fluents.to_string()),
            ("moves", format!("{} by role", moves.join(", "))),
            ("goals", self.goals.to_string()),
            ("atoms", stats.atoms.to_string()),
            ("rules", stats.rules.to_string()),
            ("literals", stats.literals.to_string()),
            (
                "instances",
                format!("{} before simplifying", stats.instances),
            ),
            ("helpers", format!("{} from splitting rules", stats.helpers)),
            ("cycles", format!("{} among atoms", stats.cyclic_components)),
            ("time", milliseconds(stats.times.total)),
        ] {
            let _ = writeln!(out, "{name:<10} {value}");
        }
        let _ = writeln!(
            out,
            "\n{}",
            style.bold(&format!(
                "{:<32} {:>10} {:>10} {:>10}",
                "relation", "atoms", "rules", "literals"
            ))
        );
        for relation in &stats.relations {
            let _ = writeln!(
                out,
                "{:<32} {:>10} {:>10} {:>10}",
                shortened(&relation.name, 29),
                relation.atoms,
                relation.rules,
                relation.literals
            );
        }
        self.components(&mut out, style);
        out
    }

    fn components(&self, out: &mut String, style: &OutputStyle) {
        let mut slowest: Vec<_> = self.stats.components.iter().collect();
        slowest.sort_by_key(|component| std::cmp::Reverse(component.time));
        let _ = writeln!(
            out,
            "\n{}",
            style.bold(&format!(
                "{:<32} {:>10} {:>10} {:>10}",
                "slowest components", "atoms", "rounds", "time"
            ))
        );
        for component in slowest.iter().take(COMPONENTS_SHOWN) {
            let names = match &component.relations[..] {
                [] => "(helpers)".to_owned(),
                names => names.join(" "),
            };
            let _ = writeln!(
                out,
                "{:<32} {:>10} {:>10} {:>10}",
                shortened(&names, 29),
                component.atoms,
                component.rounds,
                milliseconds(component.time)
            );
        }
    }
}

/// A time in milliseconds as text.
pub(super) fn milliseconds(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}
