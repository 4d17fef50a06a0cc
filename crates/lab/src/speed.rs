//! How fast an engine plays: random playouts from the initial state, counted in state changes.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ludorum_logic::Rules;
use ludorum_reason::engine::BuildError;
use ludorum_reason::{Dice, Engine, EngineVisitor, ReasonError, Reasoner};
use serde::Serialize;
use thiserror::Error;

/// No playout is longer; games without an end are cut here.
const MAX_STEPS: u32 = 100_000;

/// What was measured.
#[derive(Clone, Debug, Serialize)]
pub struct Speed {
    /// The time the engine took to be ready, in seconds.
    pub build_seconds: f64,
    /// State changes.
    pub states: u64,
    /// Whole playouts.
    pub playouts: u64,
    /// The time for them, in seconds.
    pub seconds: f64,
    /// State changes a second.
    pub states_per_second: f64,
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

    #[allow(clippy::cast_precision_loss)] // a figure for people
    fn visit<R: Reasoner + 'static>(self, mut reasoner: R) -> Self::Output {
        let build_seconds = self.begin.elapsed().as_secs_f64();
        let start = reasoner.initial()?;
        let mut dice = Dice::new(self.seed);
        let (mut states, mut playouts) = (0, 0);
        let begin = Instant::now();
        while playouts == 0 || begin.elapsed() < self.time {
            let playout = reasoner.playout(&start, &mut dice, MAX_STEPS)?;
            states += u64::from(playout.steps);
            playouts += 1;
        }
        let seconds = begin.elapsed().as_secs_f64();
        Ok(Speed {
            build_seconds,
            states,
            playouts,
            seconds,
            states_per_second: states as f64 / seconds,
        })
    }
}
