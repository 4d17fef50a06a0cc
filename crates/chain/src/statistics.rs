//! How many instances of each predicate hold at a time: Definition 6, by random play.

use std::time::Duration;

use cpu_time::ThreadTime;

use super::budget::{ChainError, WorkClock};
use super::compiled::CompiledGame;
use super::rule_groups::Query;
use super::settings::ChainSettings;
use super::state_machine::StateMachine;
use ludorum_reasoner::dice::Dice;

/// The seed of the random play: engines made twice are the same.
const SEED: u64 = 0x5eed;

/// What can be said without playing: the sizes of the initial state, one move for each role, and
/// the root of what is possible elsewhere.
#[allow(clippy::cast_precision_loss)]
pub(super) fn guesses(compiled: &CompiledGame) -> Vec<f64> {
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

/// What came of random play.
pub(super) struct PlayStatistics {
    /// How many instances of each predicate hold at a time.
    pub(super) averages: Vec<f64>,
    states: u32,
    time: Duration,
    /// How many fluents hold at a time.
    fluents: f64,
}

impl PlayStatistics {
    /// How many facts are derived in a state.
    pub(super) fn facts(&self) -> f64 {
        self.averages.iter().sum::<f64>() - self.fluents
    }

    /// Whether states took less time than those of another play; anything is faster than one that
    /// did not get through a single state.
    pub(super) fn is_faster_than(&self, other: &Self) -> bool {
        let per_state = |one: &Self| one.time.as_secs_f64() / f64::from(one.states);
        other.states == 0 || self.states > 0 && per_state(self) < per_state(other)
    }
}

/// Plays at random and counts, until there are enough states or the time is over. What was guessed
/// stays where there was no time for a single state.
pub(super) fn gather(
    compiled: &CompiledGame,
    settings: &ChainSettings,
    clock: &WorkClock,
    guesses: Vec<f64>,
) -> PlayStatistics {
    let begin = ThreadTime::now();
    let mut machine = StateMachine::new(compiled);
    machine.set_clock(clock.clone());
    let mut sums = vec![0u64; guesses.len()];
    let mut states = 0u32;
    let mut dice = Dice::new(SEED);
    let mut moves: Vec<Vec<(u32, u32)>> = vec![Vec::new(); compiled.roles.len()];
    machine.load(compiled, &compiled.initial);
    while states < settings.statistics_states && clock.check().is_ok() {
        match state(compiled, &mut machine, &mut dice, &mut moves, &mut sums) {
            Ok(goes_on) => {
                states += 1;
                if goes_on {
                    machine.advance(compiled);
                } else {
                    machine.load(compiled, &compiled.initial);
                }
            }
            // Some facts too many are a matter of play; without statistics there are guesses.
            Err(ChainError::Late | ChainError::Cancelled | ChainError::Unsupported(_)) => break,
        }
    }
    let averages = if states == 0 {
        guesses
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

/// Counts in a state and makes a random move; false if there is none or the game is over.
fn state(
    compiled: &CompiledGame,
    machine: &mut StateMachine,
    dice: &mut Dice,
    moves: &mut [Vec<(u32, u32)>],
    sums: &mut [u64],
) -> Result<bool, ChainError> {
    machine.settle(compiled, Query::Terminal)?;
    machine.settle(compiled, Query::Legal)?;
    machine.settle(compiled, Query::Goal)?;
    let is_over = machine.knowledge.has(compiled.terminal);
    let can_move = !is_over && machine.collect_moves(compiled, moves);
    if can_move {
        let joint: Vec<(u32, u32)> = moves
            .iter()
            .map(|list| list[dice.below(list.len())])
            .collect();
        machine.act(compiled, joint.into_iter())?;
    } else {
        machine.settle(compiled, Query::Next)?;
    }
    for (sum, count) in sums.iter_mut().zip(&machine.knowledge.counts) {
        *sum += u64::from(*count);
    }
    Ok(can_move)
}
