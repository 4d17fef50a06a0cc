//! Statistics from random play: the average number of true instances of each predicate (Schofield
//! and Saffidine 2013, definition 6).

use std::time::Duration;

use cpu_time::ThreadTime;

use super::budget::{ChainError, WorkClock};
use super::compiled::CompiledGame;
use super::rule_groups::Query;
use super::settings::ChainSettings;
use super::state_machine::StateMachine;
use ludorum_reasoner::Rng;

/// The seed of the random play, so that engines are built deterministically.
const SEED: u64 = 0x5eed;

/// Estimates without play: the sizes of the initial state, one move for each role, and otherwise
/// the square root of the number of possible instances.
#[allow(clippy::cast_precision_loss)]
pub(super) fn initial_estimates(compiled: &CompiledGame) -> Vec<f64> {
    let schema = &compiled.schema;
    let roles = compiled.roles.len() as f64;
    let mut averages: Vec<f64> = schema
        .predicates()
        .iter()
        .map(|predicate| (predicate.size as f64).sqrt())
        .collect();
    for does in &compiled.does {
        averages[*does as usize] = roles.min(1.0);
    }
    for (fluent, next) in schema.fluents.iter().zip(&compiled.next) {
        let predicate = schema.predicate(*fluent);
        let inside =
            |id: &&u32| **id >= predicate.base && u64::from(**id - predicate.base) < predicate.size;
        let count = compiled.initial.iter().filter(inside).count().max(1) as f64;
        averages[*fluent as usize] = count;
        averages[*next as usize] = count;
    }
    averages
}

/// The results of random play.
pub(super) struct PlayStatistics {
    /// The average number of true instances of each predicate.
    pub(super) averages: Vec<f64>,
    states: u32,
    time: Duration,
    /// The average number of fluents in a state.
    fluents: f64,
}

impl PlayStatistics {
    /// The average number of derived facts in a state.
    pub(super) fn derived_facts(&self) -> f64 {
        self.averages.iter().sum::<f64>() - self.fluents
    }

    /// Whether a state took less time than in other random play. Anything is faster than play that
    /// did not complete a single state.
    pub(super) fn is_faster_than(&self, other: &Self) -> bool {
        let per_state = |one: &Self| one.time.as_secs_f64() / f64::from(one.states);
        other.states == 0 || self.states > 0 && per_state(self) < per_state(other)
    }
}

/// Plays at random and counts instances, within limits of states and time. Without a complete
/// state, the estimates remain.
pub(super) fn collect(
    compiled: &CompiledGame,
    settings: &ChainSettings,
    clock: &WorkClock,
    estimates: Vec<f64>,
) -> PlayStatistics {
    let begin = ThreadTime::now();
    let mut machine = StateMachine::new(compiled);
    machine.set_clock(clock.clone());
    let mut sums = vec![0u64; estimates.len()];
    let mut states = 0u32;
    let mut rng = Rng::new(SEED);
    let mut moves: Vec<Vec<(u32, u32)>> = vec![Vec::new(); compiled.roles.len()];
    machine.load(compiled, &compiled.initial);
    while states < settings.statistics_states && clock.check().is_ok() {
        match state(compiled, &mut machine, &mut rng, &mut moves, &mut sums) {
            Ok(goes_on) => {
                states += 1;
                if goes_on {
                    machine.advance(compiled);
                } else {
                    machine.load(compiled, &compiled.initial);
                }
            }
            // An exceeded limit may be an accident of this playout; the statistics so far remain
            // usable.
            Err(ChainError::Late | ChainError::Cancelled | ChainError::Unsupported(_)) => break,
        }
    }
    let averages = if states == 0 {
        estimates
    } else {
        #[allow(clippy::cast_precision_loss)]
        let average = |sum: &u64| (*sum as f64 / f64::from(states)).max(0.01);
        sums.iter().map(average).collect()
    };
    let schema = &compiled.schema;
    let fluents = schema
        .fluents
        .iter()
        .map(|number| averages[*number as usize]);
    PlayStatistics {
        fluents: fluents.sum(),
        averages,
        states,
        time: begin.elapsed(),
    }
}

/// Counts the instances of a state and makes a random move. Returns false if there is none or the
/// game is over.
fn state(
    compiled: &CompiledGame,
    machine: &mut StateMachine,
    rng: &mut Rng,
    moves: &mut [Vec<(u32, u32)>],
    sums: &mut [u64],
) -> Result<bool, ChainError> {
    machine.ensure(compiled, Query::Terminal)?;
    machine.ensure(compiled, Query::Legal)?;
    machine.ensure(compiled, Query::Goal)?;
    let is_over = machine.knowledge.has(compiled.terminal);
    let can_move = !is_over && machine.collect_moves(compiled, moves);
    if can_move {
        let joint: Vec<(u32, u32)> = moves
            .iter()
            .map(|list| list[rng.below(list.len())])
            .collect();
        machine.apply_moves(compiled, joint.into_iter())?;
    } else {
        machine.ensure(compiled, Query::Next)?;
    }
    for (sum, count) in sums.iter_mut().zip(&machine.knowledge.counts) {
        *sum += u64::from(*count);
    }
    Ok(can_move)
}
