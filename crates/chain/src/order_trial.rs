//! Whether the order that the estimates like best is faster than that of the sheet: both play for a
//! moment.
//!
//! Estimates know averages. Where conditions depend on each other, whoever wrote the sheet may have
//! known better.

use std::time::Duration;

use cpu_time::ThreadTime;

use super::budget::{ChainError, WorkClock};
use super::compiled::CompiledGame;
use super::rule_compiler::RuleCompiler;
use super::rule_groups::Query;
use super::settings::ConditionOrder;
use super::state_machine::StateMachine;
use ludorum_reasoner::dice::Dice;

/// Each order plays so long in each round.
const ROUND: Duration = Duration::from_millis(8);
const ROUNDS: u32 = 4;
/// A state may take longer than a round, but not longer than this.
const LONGEST: Duration = Duration::from_millis(100);
/// The order of the sheet must be so much faster: small differences are chance.
const CLEARLY: f64 = 1.04;

/// Keeps the rules as they are, in the best order by estimate, or takes the order of the sheet if
/// that plays faster.
pub(super) fn take_faster(
    builder: &mut RuleCompiler<'_>,
    compiled: &mut CompiledGame,
    averages: &[f64],
) -> Result<(), ChainError> {
    let mut other = std::mem::take(&mut compiled.groups);
    let mut other_report = compiled.report.clone();
    if let Err(stop) = builder.build(compiled, averages, ConditionOrder::AsWritten) {
        compiled.groups = other;
        compiled.report = other_report;
        return match stop {
            ChainError::Late => Ok(()),
            ChainError::Cancelled | ChainError::Unsupported(_) => Err(stop),
        };
    }
    let (mut original, mut best) = (0.0f64, 0.0f64);
    for _ in 0..ROUNDS {
        for rate in [&mut original, &mut best] {
            *rate = rate.max(states_per_second(compiled, &builder.clock.with(LONGEST)));
            builder.clock.check()?;
            std::mem::swap(&mut compiled.groups, &mut other);
            std::mem::swap(&mut compiled.report, &mut other_report);
        }
    }
    // The rounds end as they began, with the order of the sheet.
    if original < best * CLEARLY {
        compiled.groups = other;
        compiled.report = other_report;
    }
    compiled.forget_sparse();
    Ok(())
}

/// How many states random play comes through in a second.
fn states_per_second(compiled: &CompiledGame, clock: &WorkClock) -> f64 {
    let mut machine = StateMachine::new(compiled);
    machine.set_clock(clock.clone());
    let mut dice = Dice::new(1);
    let mut moves: Vec<Vec<(u32, u32)>> = vec![Vec::new(); compiled.roles.len()];
    let begin = ThreadTime::now();
    let mut states = 0u32;
    machine.load(compiled, &compiled.initial);
    while begin.elapsed() < ROUND {
        match step(compiled, &mut machine, &mut dice, &mut moves) {
            Ok(true) => states += 1,
            Ok(false) => machine.load(compiled, &compiled.initial),
            Err(_) => break,
        }
    }
    f64::from(states) / begin.elapsed().as_secs_f64().max(1e-9)
}

/// A step of a playout; false if the game is over.
fn step(
    compiled: &CompiledGame,
    machine: &mut StateMachine,
    dice: &mut Dice,
    moves: &mut [Vec<(u32, u32)>],
) -> Result<bool, ChainError> {
    machine.settle(compiled, Query::Terminal)?;
    if machine.knowledge.has(compiled.terminal) {
        return Ok(false);
    }
    machine.settle(compiled, Query::Legal)?;
    if !machine.collect_moves(compiled, moves) {
        return Ok(false);
    }
    let joint: Vec<(u32, u32)> = moves
        .iter()
        .map(|list| list[dice.below(list.len())])
        .collect();
    machine.act(compiled, joint.into_iter())?;
    machine.advance(compiled);
    Ok(true)
}
