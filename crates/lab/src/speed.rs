//! How fast an engine plays: random playouts from the initial state, counted in state changes.

use std::sync::Arc;
use std::time::{Duration, Instant};

use cpu_time::ThreadTime;
use ludorum_logic::Rules;
use ludorum_reason::engine::BuildError;
use ludorum_reason::{Dice, Engine, EngineVisitor, ReasonError, Reasoner};
use serde::Serialize;
use thiserror::Error;

use crate::memory;

/// No playout is longer; games without an end are cut here.
const MAX_STEPS: u32 = 100_000;

/// What was measured. Rates are per CPU second of the one thread that plays, so that a busy machine does not count.
#[derive(Clone, Debug, Serialize)]
pub struct Speed {
    /// How many threads played.
    pub threads: usize,
    /// From normalised rules to an engine that is ready to answer, in milliseconds.
    pub init_ms: f64,
    /// State changes a CPU second.
    pub states_per_second: f64,
    /// Playouts a CPU second.
    pub playouts_per_second: f64,
    /// State changes in a playout, on average.
    pub average_length: f64,
    /// State changes.
    pub states: u64,
    /// Whole playouts.
    pub playouts: u64,
    /// CPU time of the playing thread.
    pub cpu_seconds: f64,
    /// Time on the clock.
    pub wall_seconds: f64,
    /// The most memory that the process has had since the engine was asked for, where the system tells.
    pub peak_memory_bytes: Option<u64>,
    /// Components of the compiled game, for engines that have any.
    pub components: Option<usize>,
}

/// Why nothing could be measured.
#[derive(Clone, Debug, Error)]
pub enum SpeedError {
    /// The engine cannot be made for the game.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The engine has no answer.
    #[error(transparent)]
    Reason(#[from] ReasonError),
}

/// Plays for about the given time, at least one playout.
pub fn speed(
    rules: &Arc<Rules>,
    engine: Engine,
    time: Duration,
    seed: u64,
) -> Result<Speed, SpeedError> {
    memory::reset_peak();
    let begin = Instant::now();
    Ok(engine.build(rules, Visitor { begin, time, seed })??)
}

struct Visitor {
    begin: Instant,
    time: Duration,
    seed: u64,
}

impl EngineVisitor for Visitor {
    type Output = Result<Speed, ReasonError>;

    #[allow(clippy::cast_precision_loss)] // figures for people
    fn visit<R: Reasoner + 'static>(self, mut reasoner: R) -> Self::Output {
        let starts = [reasoner.initial()?];
        let batch = reasoner.batch();
        let init_ms = self.begin.elapsed().as_secs_f64() * 1e3;
        let mut dice = Dice::new(self.seed);
        let (mut states, mut playouts) = (0, 0);
        let begin = Instant::now();
        let cpu = ThreadTime::now();
        while playouts == 0 || begin.elapsed() < self.time {
            for tally in reasoner.playouts(&starts, batch, &mut dice, MAX_STEPS)? {
                states += tally.steps;
                playouts += tally.playouts;
            }
        }
        // A clock that has not moved yet would make any rate infinite.
        let cpu_seconds = cpu.elapsed().as_secs_f64().max(1e-9);
        Ok(Speed {
            threads: 1,
            init_ms,
            states_per_second: states as f64 / cpu_seconds,
            playouts_per_second: playouts as f64 / cpu_seconds,
            average_length: states as f64 / playouts as f64,
            states,
            playouts,
            cpu_seconds,
            wall_seconds: begin.elapsed().as_secs_f64(),
            peak_memory_bytes: memory::peak(),
            components: reasoner.components(),
        })
    }
}
