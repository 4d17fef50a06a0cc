/*!
Speed of engines: random playouts from the initial state, counted in state changes.

[`measure`] takes one game and several engines. All engines are built first. Then they play short
rounds in turns, so that a temporary slowdown of the machine affects all of them. A [`Speed`] holds
the median of the rounds with its 95 % confidence interval. Rates are per second of CPU time, which
reduces the effect of other work on the machine.

The module `playout_runner` plays the rounds. [`signature`] computes a number that changes only if
an engine's answers change. [`baseline`] reads the speeds of an earlier run or of another system,
[`table`] and [`plot`] format the results, and [`machine`] describes the machine.
*/

pub mod baseline;
pub mod machine;
mod playout_runner;
pub mod plot;
pub mod signature;
pub mod statistics;
pub mod table;

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ludorum_engines::Engine;
use ludorum_engines::engine::{BuildError, EngineSettings};
use ludorum_logic::Rules;
use ludorum_reasoner::{CacheReport, EngineChoice, ReasonError};
use serde::Serialize;
use thiserror::Error;

use crate::memory;
use playout_runner::{PlayoutRunner, PlayoutSample};
use statistics::{Median, median};

/// Options of a speed measurement.
#[derive(Clone, Debug)]
pub struct SpeedOptions {
    /// Playing time of each engine, all rounds together.
    pub time: Duration,
    /// Number of rounds.
    pub rounds: NonZeroUsize,
    /// Number of threads that play at once.
    pub threads: NonZeroUsize,
    /// Seed of the random moves.
    pub seed: u64,
    /// Settings that engines are built with.
    pub settings: EngineSettings,
}

/// Default number of rounds: with ten, the 95 % interval excludes the best and the worst round.
const ROUNDS: NonZeroUsize = NonZeroUsize::new(10).unwrap();

impl Default for SpeedOptions {
    fn default() -> Self {
        Self {
            time: Duration::from_secs(2),
            rounds: ROUNDS,
            threads: NonZeroUsize::MIN,
            seed: 1,
            settings: EngineSettings::default(),
        }
    }
}

/// Measured speed of an engine on a game. Rates are per CPU second of one playing thread.
#[derive(Clone, Debug, Serialize)]
pub struct Speed {
    /// Number of threads that played.
    pub threads: usize,
    /// Initialisation time in milliseconds: from normalised rules to a ready engine, background
    /// work included.
    pub init_ms: f64,
    /// State changes per CPU second: the median of the rounds.
    pub states_per_second: f64,
    /// Lower bound of the 95 % confidence interval of the median.
    pub states_per_second_low: f64,
    /// Upper bound of that interval.
    pub states_per_second_high: f64,
    /// Playouts per CPU second.
    pub playouts_per_second: f64,
    /// State changes per second of wall time, all threads together.
    pub states_per_wall_second: f64,
    /// Average number of state changes per playout.
    pub average_length: f64,
    /// Number of state changes.
    pub states: u64,
    /// Number of complete playouts.
    pub playouts: u64,
    /// Number of rounds played.
    pub rounds: usize,
    /// CPU time of the playing threads.
    pub cpu_seconds: f64,
    /// Wall time.
    pub wall_seconds: f64,
    /// Peak memory of the process while the engine was built and played its first round, where the
    /// system reports it. It includes engines built before for the same game.
    pub peak_memory_bytes: Option<u64>,
    /// Number of components of the compiled network, for engines that have one.
    pub components: Option<usize>,
    /// Statistics of the answer cache, for engines that have one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache: Option<CacheReport>,
    /// The chosen engine and the reason, for engines that choose.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choice: Option<EngineChoice>,
}

/// The error of a measurement.
#[derive(Clone, Debug, Error)]
pub enum SpeedError {
    /// The engine cannot be built for the game.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The engine failed on a query.
    #[error(transparent)]
    Reason(#[from] ReasonError),
    /// The system cannot start a thread.
    #[error("the system does not give {wanted} threads: {reason}")]
    Threads {
        /// The requested number of threads.
        wanted: usize,
        /// The error of the operating system.
        reason: String,
    },
    /// No state change was completed.
    #[error("not one state change in {0:.1} s")]
    TooSlow(f64),
}

/// Progress of a measurement.
#[derive(Clone, Copy, Debug)]
pub enum SpeedStage {
    /// An engine is being built.
    Making(Engine),
    /// An engine plays a round.
    Playing(Engine),
}

/// Measures engines on a game, round by round in turns. Returns one result per engine, in their
/// order. `progress` is called before every stage: once per engine for building, and once per
/// engine and round.
pub fn measure(
    rules: &Arc<Rules>,
    engines: &[Engine],
    effort: &SpeedOptions,
    mut progress: impl FnMut(SpeedStage),
) -> Vec<Result<Speed, SpeedError>> {
    let rounds = u32::try_from(effort.rounds.get()).unwrap_or(u32::MAX);
    let round = effort.time / rounds;
    let mut runs: Vec<Result<EngineRun, SpeedError>> = Vec::with_capacity(engines.len());
    for engine in engines {
        progress(SpeedStage::Making(*engine));
        let mut run = EngineRun::new(rules, *engine, effort);
        if let Ok(run) = &mut run {
            progress(SpeedStage::Playing(*engine));
            run.first_round(round);
        }
        runs.push(run);
    }
    for _ in 1..rounds {
        for (run, engine) in runs.iter_mut().zip(engines) {
            progress(SpeedStage::Playing(*engine));
            if let Ok(run) = run {
                run.round(round);
            }
        }
    }
    runs.into_iter().map(|run| run?.speed()).collect()
}

/// Measures one engine.
pub fn speed(
    rules: &Arc<Rules>,
    engine: Engine,
    effort: &SpeedOptions,
) -> Result<Speed, SpeedError> {
    let mut all = measure(rules, &[engine], effort, |_| {});
    all.pop().unwrap_or(Err(SpeedError::TooSlow(0.0)))
}

/// The state of the measurement of one engine.
struct EngineRun {
    player: PlayoutRunner,
    init_ms: f64,
    samples: Vec<PlayoutSample>,
    problem: Option<SpeedError>,
    peak: Option<u64>,
}

impl EngineRun {
    fn new(rules: &Arc<Rules>, engine: Engine, effort: &SpeedOptions) -> Result<Self, SpeedError> {
        memory::reset_peak();
        let begin = Instant::now();
        let reasoner = engine.build_with(rules, &effort.settings)?;
        let player = PlayoutRunner::new(reasoner, effort.threads, effort.seed)?;
        Ok(Self {
            player,
            init_ms: begin.elapsed().as_secs_f64() * 1e3,
            samples: Vec::new(),
            problem: None,
            peak: None,
        })
    }

    /// Plays the first round. It continues, within limits, until a playout is finished, and
    /// measures the peak memory of playing.
    fn first_round(&mut self, time: Duration) {
        self.play(time, true);
        self.peak = memory::peak();
    }

    fn round(&mut self, time: Duration) {
        self.play(time, false);
    }

    fn play(&mut self, time: Duration, whole_game: bool) {
        if self.problem.is_none() {
            match self.player.play(time, whole_game) {
                Ok(sample) => self.samples.push(sample),
                Err(problem) => self.problem = Some(problem),
            }
        }
    }

    #[allow(clippy::cast_precision_loss)] // figures for people
    fn speed(self) -> Result<Speed, SpeedError> {
        if let Some(problem) = self.problem {
            return Err(problem);
        }
        let total: PlayoutSample = self.samples.iter().copied().sum();
        if total.states == 0 {
            return Err(SpeedError::TooSlow(total.wall.as_secs_f64()));
        }
        let rates = |count: fn(&PlayoutSample) -> u64| -> Median {
            let rate = |sample: &PlayoutSample| count(sample) as f64 / sample.cpu_seconds();
            median(self.samples.iter().map(rate))
        };
        let states = rates(|sample| sample.states);
        let about = self.player.properties();
        Ok(Speed {
            threads: about.threads,
            init_ms: self.init_ms,
            states_per_second: states.value,
            states_per_second_low: states.low,
            states_per_second_high: states.high,
            // A playout can span several rounds, so a median over rounds would be meaningless here.
            playouts_per_second: total.playouts as f64 / total.cpu_seconds(),
            states_per_wall_second: total.states as f64 / total.wall.as_secs_f64().max(1e-9),
            average_length: if total.playouts == 0 {
                total.states as f64
            } else {
                total.finished as f64 / total.playouts as f64
            },
            states: total.states,
            playouts: total.playouts,
            rounds: self.samples.len(),
            cpu_seconds: total.cpu_seconds(),
            wall_seconds: total.wall.as_secs_f64(),
            peak_memory_bytes: self.peak,
            components: about.components,
            cache: about.cache,
            choice: about.choice,
        })
    }
}
