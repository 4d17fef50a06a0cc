//! Compares the estimated best order with the order of the game description, by short random play.
//!
//! Estimates use averages. Where conditions are correlated, the author's order may be better.

use std::time::Duration;

use cpu_time::ThreadTime;

use super::budget::{ChainError, WorkClock};
use super::compiled::CompiledGame;
use super::rule_compiler::RuleCompiler;
use super::rule_groups::Query;
use super::settings::ConditionOrder;
use super::state_machine::StateMachine;
use ludorum_reasoner::Rng;

/// Number of rounds, in each of which both orders play.
const ROUNDS: u32 = 4;

/// Maximum CPU time of a round, for games whose states take long.
const MAX_ROUND: Duration = Duration::from_millis(100);
/// The clock is asked less often than this, because asking it takes longer than a state of a small
/// game.
const MIN_POLL: Duration = Duration::from_micros(100);
/// Factor by which the order of the game description must be faster. Smaller differences are noise.
const MIN_SPEEDUP: f64 = 1.04;

/// Keeps the order with the lowest estimated cost, or takes the order of the game description if it
/// is faster.
pub(super) fn take_faster(
    builder: &mut RuleCompiler<'_>,
    compiled: &mut CompiledGame,
    averages: &[f64],
) -> Result<(), ChainError> {
    let mut other = std::mem::take(&mut compiled.groups);
    let mut other_report = compiled.report.clone();
    if let Err(error) = builder.build(compiled, averages, ConditionOrder::AsWritten) {
        compiled.groups = other;
        compiled.report = other_report;
        return match error {
            ChainError::Late => Ok(()),
            ChainError::Cancelled | ChainError::Unsupported(_) => Err(error),
        };
    }
    let time = builder.settings.order_trial_time / (2 * ROUNDS);
    let (mut original, mut best) = (0.0f64, 0.0f64);
    for _ in 0..ROUNDS {
        for rate in [&mut original, &mut best] {
            let clock = builder.clock.with_cpu_limit(MAX_ROUND);
            *rate = rate.max(states_per_second(compiled, time, &clock));
            builder.clock.check()?;
            std::mem::swap(&mut compiled.groups, &mut other);
            std::mem::swap(&mut compiled.report, &mut other_report);
        }
    }
    // The number of swaps is even: the compiled rules are again in the order of the game
    // description.
    if original < best * MIN_SPEEDUP {
        compiled.groups = other;
        compiled.report = other_report;
    }
    compiled.reset_sparse();
    Ok(())
}

/// States of random play for each second of CPU time, in a round of `time`.
fn states_per_second(compiled: &CompiledGame, time: Duration, clock: &WorkClock) -> f64 {
    let mut machine = StateMachine::new(compiled);
    machine.set_clock(clock.clone());
    let mut rng = Rng::new(1);
    let mut moves: Vec<Vec<(u32, u32)>> = vec![Vec::new(); compiled.roles.len()];
    let begin = ThreadTime::now();
    let (mut states, mut stride, mut polled) = (0u32, 1u32, Duration::ZERO);
    machine.load(compiled, &compiled.initial);
    'round: while polled < time {
        for _ in 0..stride {
            match step(compiled, &mut machine, &mut rng, &mut moves) {
                Ok(true) => states += 1,
                Ok(false) => machine.load(compiled, &compiled.initial),
                Err(_) => break 'round,
            }
        }
        let now = begin.elapsed();
        if now.saturating_sub(polled) < MIN_POLL {
            stride *= 2;
        }
        polled = now;
    }
    f64::from(states) / begin.elapsed().as_secs_f64().max(1e-9)
}

/// A step of a playout. Returns false if the playout is over.
fn step(
    compiled: &CompiledGame,
    machine: &mut StateMachine,
    rng: &mut Rng,
    moves: &mut [Vec<(u32, u32)>],
) -> Result<bool, ChainError> {
    machine.ensure(compiled, Query::Terminal)?;
    if machine.knowledge.has(compiled.terminal) {
        return Ok(false);
    }
    machine.ensure(compiled, Query::Legal)?;
    if !machine.collect_moves(compiled, moves) {
        return Ok(false);
    }
    let joint: Vec<(u32, u32)> = moves
        .iter()
        .map(|list| list[rng.below(list.len())])
        .collect();
    machine.apply_moves(compiled, joint.into_iter())?;
    machine.advance(compiled);
    Ok(true)
}
