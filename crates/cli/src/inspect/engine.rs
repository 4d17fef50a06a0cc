//! `ludorum inspect --stage engine`: the engine that `auto` chooses for a game, and the reason.

use std::io::Write as _;
use std::sync::Arc;
use std::time::Instant;

use ludorum_engines::auto::Auto;
use ludorum_engines::engine::EngineSettings;
use ludorum_logic::Rules;
use ludorum_propnet::CompiledGame;
use ludorum_reasoner::{EngineChoice, EngineCosts, NetworkProgress, Reasoner};
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
    let choice = &report.choice;
    writeln!(terminal, "engine      {}", choice.engines())?;
    match &choice.network {
        NetworkProgress::Ready { components, time } => {
            writeln!(terminal, "components  {components}")?;
            let time = time.as_secs_f64() * 1e3;
            writeln!(terminal, "compiled in {time:.0} ms")?;
        }
        NetworkProgress::Missing { reason } => {
            writeln!(terminal, "no network  {}", printable(reason))?;
        }
        NetworkProgress::Compiling => {}
    }
    if let Some(from) = choice.lanes {
        writeln!(terminal, "lanes       for {from} playouts and more")?;
    }
    for costs in &choice.costs {
        let EngineCosts {
            engine,
            state,
            next,
            step,
        } = costs;
        writeln!(
            terminal,
            "{engine:<11} {state:.1} µs for a state, {next:.1} for a successor, {step:.3} for a \
             step of a playout"
        )?;
    }
    writeln!(terminal, "first move  after {first_move_ms:.1} ms")?;
    Ok(())
}
