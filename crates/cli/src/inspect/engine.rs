//! `ludorum inspect --stage engine`: the engine that `auto` chooses for a game, and the reason.

use std::io::Write as _;
use std::sync::Arc;
use std::time::Instant;

use ludorum_engines::auto::Auto;
use ludorum_engines::engine::EngineSettings;
use ludorum_logic::Rules;
use ludorum_propnet::CompiledGame;
use ludorum_reasoner::{EngineChoice, Reasoner};
use serde::Serialize;

use super::limit_options::LimitOptions;
use crate::outcome::Failure;
use crate::terminal::{Terminal, printable};

#[derive(Serialize)]
struct EngineReport<'p> {
    game: &'p str,
    /// From the rules to the legal moves of the first role in the initial state.
    first_move_ms: f64,
    #[serde(flatten)]
    choice: EngineChoice,
}

/// Lets `auto` choose and prints the choice.
pub(super) fn show(
    game: &str,
    rules: Rules,
    limits: &LimitOptions,
    json: bool,
    terminal: &mut Terminal,
) -> Result<(), Failure> {
    let failed = |error| Failure::input(format!("`{game}`: {error}"));
    let settings = EngineSettings::within(limits.stages());
    let begin = Instant::now();
    let compiled = Arc::new(CompiledGame::new(Arc::new(rules)));
    let mut auto = Auto::new(compiled, &settings).map_err(failed)?;
    let start = auto.initial().map_err(failed)?;
    auto.legal_moves(&start, 0, &mut Vec::new())
        .map_err(failed)?;
    let first_move_ms = begin.elapsed().as_secs_f64() * 1e3;
    auto.wait_until_ready();
    let report = EngineReport {
        game,
        first_move_ms,
        choice: auto.choice(),
    };
    if json {
        terminal.json(&report)?;
        return Ok(());
    }
    writeln!(terminal, "engine      {}", report.choice.engine())?;
    match &report.choice {
        EngineChoice::Propnet {
            components,
            time,
            lanes,
        } => {
            writeln!(terminal, "components  {components}")?;
            let time = time.as_secs_f64() * 1e3;
            writeln!(terminal, "compiled in {time:.0} ms")?;
            match lanes {
                Some(from) => writeln!(terminal, "lanes       for {from} playouts and more")?,
                None => writeln!(terminal, "lanes       not faster for this game")?,
            }
        }
        EngineChoice::Prover { reason, playouts } => {
            writeln!(terminal, "reason      {}", printable(reason))?;
            if let Some(name) = playouts {
                writeln!(terminal, "playouts    {name}")?;
            }
        }
        EngineChoice::Compiling => {}
    }
    writeln!(terminal, "first move  after {first_move_ms:.1} ms")?;
    Ok(())
}
