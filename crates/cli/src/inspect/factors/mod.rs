//! `ludorum inspect --stage factors`: what the rewriting to stages derives from the rules.

mod report;

use std::io::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ludorum_engines::Engine;
use ludorum_factor::stage;
use ludorum_lanes::{Backend, StagedLanes};
use ludorum_logic::Rules;
use ludorum_propnet::CompileLimits;
use ludorum_reasoner::{MoveId, ReasonError, Reasoner, Rng};
use serde::Serialize;

use self::report::FactorReport;
use crate::engine_options;
use crate::outcome::{CommandOutcome, Failure};
use crate::terminal::{Terminal, printable};

/// The number of states in which the share of accepted draws is computed.
const STATES: usize = 100;
/// How long these states may take.
const TIME: Duration = Duration::from_secs(2);

/// The options of the stage `factors`.
#[derive(Debug, clap::Args)]
pub(super) struct FactorOptions {
    /// The engine `staged` with its options, as in `staged:turns=off,assume=off` (stage factors).
    #[arg(
        long,
        value_name = "ENGINE",
        default_value = "staged",
        hide_default_value = true,
        value_parser = engine_options::engine()
    )]
    engine: Engine,
}

/// What is printed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shown {
    pub(super) all: bool,
    pub(super) text: bool,
    pub(super) json: bool,
}

/// The report on a game that is not staged.
#[derive(Serialize)]
struct Refusal<'p> {
    game: &'p str,
    engine: String,
    applies: bool,
    reason: String,
}

/// Rewrites and compiles the game and prints what was derived.
pub(super) fn show(
    game: &str,
    rules: Rules,
    options: &FactorOptions,
    limits: &CompileLimits,
    shown: Shown,
    terminal: &mut Terminal,
) -> Result<CommandOutcome, Failure> {
    if options.engine.kind != Engine::STAGED.kind {
        return Err(Failure::input(format!(
            "the stage factors shows the engine `staged`, not `{}`",
            options.engine
        )));
    }
    let rules = Arc::new(rules);
    let begin = Instant::now();
    // The rewriting alone, for its time; the engine repeats it with other numbers of suffix groups.
    let rewritten = stage(&rules, options.engine.stages);
    let rewriting = begin.elapsed();
    drop(rewritten);
    let begin = Instant::now();
    let engine = StagedLanes::with_options(&rules, limits, Backend::Best, options.engine.stages);
    let compiling = begin.elapsed();
    let mut engine = match engine {
        Ok(engine) => engine,
        Err(error) => {
            let reason = error.to_string();
            return refuse(game, options.engine, reason, shown, terminal);
        }
    };
    if shown.text {
        let text = &engine.staged_game().text;
        terminal.write_all(printable(text).as_bytes())?;
        return Ok(CommandOutcome::Success);
    }
    engine.wait_until_ready();
    let accepted = acceptance(&mut engine);
    let report = FactorReport::new(
        game,
        options.engine,
        &rules,
        &mut engine,
        [rewriting, compiling],
        accepted,
    );
    if shown.json {
        terminal.json(&report)?;
    } else {
        let text = report.text(shown.all, &terminal.style);
        terminal.write_all(printable(&text).as_bytes())?;
    }
    Ok(CommandOutcome::Success)
}

/// Says why a game is not staged.
fn refuse(
    game: &str,
    engine: Engine,
    reason: String,
    shown: Shown,
    terminal: &mut Terminal,
) -> Result<CommandOutcome, Failure> {
    if shown.text {
        return Err(Failure::input(format!("`{game}` is not staged: {reason}")));
    }
    if shown.json {
        terminal.json(&Refusal {
            game,
            engine: engine.to_string(),
            applies: false,
            reason,
        })?;
    } else {
        writeln!(terminal, "not staged  {}", printable(&reason))?;
    }
    Ok(CommandOutcome::Negative)
}

/// The mean share of draws that are accepted in states of random games, and their number.
#[allow(clippy::cast_precision_loss)] // a mean of few numbers
fn acceptance(engine: &mut StagedLanes) -> (Option<f64>, usize) {
    let mut shares = Vec::new();
    // What cannot be computed, in a state that contradicts an assumption, say, ends the walk.
    let _ = walk(engine, &mut shares);
    let mean = shares.iter().sum::<f64>() / shares.len() as f64;
    ((!shares.is_empty()).then_some(mean), shares.len())
}

/// Plays at random and computes the share in every state.
fn walk(engine: &mut StagedLanes, shares: &mut Vec<f64>) -> Result<(), ReasonError> {
    let begin = Instant::now();
    let mut rng = Rng::new(1);
    let roles = engine.roles().len();
    let start = engine.initial()?;
    let mut state = start.clone();
    for _ in 0..STATES {
        let mut joint: Vec<MoveId> = Vec::new();
        let summary = engine.summaries(std::slice::from_ref(&state))?.remove(0);
        let is_stuck = summary.legal.iter().any(Vec::is_empty);
        if summary.terminal || is_stuck {
            if state == start {
                break;
            }
            state = start.clone();
            continue;
        }
        shares.extend(engine.acceptance(&state)?);
        for role in 0..roles {
            let moves = &summary.legal[role];
            joint.push(moves[rng.below(moves.len())]);
        }
        state = engine.next(&state, &joint)?;
        if begin.elapsed() > TIME {
            break;
        }
    }
    Ok(())
}
