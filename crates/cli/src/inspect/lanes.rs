//! `ludorum inspect --stage lanes`: the compiled code for many simultaneous playouts, its speed and
//! a time profile.

use std::io::Write as _;
use std::sync::Arc;
use std::time::Duration;

use ludorum_lab::lanes::{LaneProfile, measure};
use ludorum_logic::Rules;
use ludorum_propnet::{CompiledGame, Pass};
use serde::Serialize;

use super::limit_options::LimitOptions;
use crate::outcome::Failure;
use crate::terminal::{Terminal, printable};

/// How long the game is played.
const TIME: Duration = Duration::from_millis(500);

#[derive(Serialize)]
struct LanesReport<'p> {
    game: &'p str,
    #[serde(flatten)]
    measured: LaneProfile,
}

/// Compiles the game, plays it for a moment and prints the statistics.
pub(super) fn show(
    game: &str,
    rules: Rules,
    passes: &[Pass],
    limits: &LimitOptions,
    json: bool,
    terminal: &mut Terminal,
) -> Result<(), Failure> {
    let network = CompiledGame::with_passes(Arc::new(rules), passes)
        .network(&limits.stages())
        .map_err(|error| Failure::input(format!("`{game}`: {error}")))?;
    let measured =
        measure(network, TIME).map_err(|error| Failure::input(format!("`{game}`: {error}")))?;
    if json {
        terminal.json(&LanesReport { game, measured })?;
        return Ok(());
    }
    let figures = &measured.figures;
    writeln!(terminal, "lanes       {}", figures.lanes)?;
    let turns: Vec<String> = figures
        .turns
        .iter()
        .map(|turn| printable(turn).to_string())
        .collect();
    if turns.is_empty() {
        writeln!(terminal, "turns       one code for all")?;
    } else {
        writeln!(terminal, "turns       {} (code for each)", turns.join(", "))?;
    }
    writeln!(terminal, "fluents     {}", figures.fluents)?;
    writeln!(
        terminal,
        "step        {} operations that read {} words, {} random words",
        figures.operations, figures.reads, figures.random_words
    )?;
    let goals = if figures.late_goals {
        "for many ended games at a time"
    } else {
        "in every step"
    };
    writeln!(terminal, "goals       {goals}")?;
    writeln!(
        terminal,
        "memory      {} KiB",
        figures.memory_bytes.div_ceil(1024)
    )?;
    match figures.native_bytes {
        0 => writeln!(
            terminal,
            "code        interpreted, {} KiB",
            figures.code_bytes.div_ceil(1024)
        )?,
        bytes => writeln!(
            terminal,
            "code        native, {} KiB, and {} KiB for the interpreter",
            bytes.div_ceil(1024),
            figures.code_bytes.div_ceil(1024)
        )?,
    }
    writeln!(terminal, "compiled in {:.0} ms", measured.compile_ms)?;
    if measured.average_length <= 0.0 {
        writeln!(
            terminal,
            "speed       no step can be played: the game is over, or a role has no legal move, \
             from the start"
        )?;
        return Ok(());
    }
    writeln!(
        terminal,
        "speed       {:.2} million states a second, games of {:.1} steps",
        measured.states_per_second / 1e6,
        measured.average_length
    )?;
    writeln!(
        terminal,
        "time        gates {:.0} %, legal moves and draw {:.0} %, random bits {:.0} %, results \
         and new games {:.0} %",
        measured.gates_percent,
        measured.draw_percent,
        measured.random_percent,
        measured.results_percent
    )?;
    Ok(())
}
