/*!
How fast engines play: random playouts from the initial state, counted in state changes.

[`measure`] takes one game and several engines. All engines are made first; then they play in turns,
a short round each, so that a machine that is slow for a while is slow for all of them. A [`Speed`]
holds the median of the rounds with an interval that covers the true median with a probability of 95
%. Rates are per second of CPU time, so that other work on the machine counts as little as can be.

A `player` is an engine at work. [`signature`] is a number that changes only when an engine's
answers do; [`baseline`] sets figures next to those of an earlier run or of another system,
[`table`] and [`plot`] show them, and [`machine`] says what they were measured on.
*/

pub mod baseline;
pub mod machine;
mod player;
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
use player::{PlayoutRunner, Sample};
use statistics::{Median, median};

/// How to measure.
#[derive(Clone, Debug)]
pub struct Effort {
    /// How long each engine plays, all rounds together.
    pub time: Duration,
    /// In how many rounds.
    pub rounds: NonZeroUsize,
    /// How many threads play at once.
    pub threads: NonZeroUsize,
    /// Where the random moves come from.
    pub seed: u64,
    /// How engines are made.
    pub settings: EngineSettings,
}

/// Ten rounds are enough for an interval that leaves out the best and the worst.
const ROUNDS: NonZeroUsize = NonZeroUsize::new(10).unwrap();

impl Default for Effort {
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

/// What was measured. Rates are per CPU second of a thread that plays.
#[derive(Clone, Debug, Serialize)]
pub struct Speed {
    /// How many threads played.
    pub threads: usize,
    /// From normalised rules to an engine that is ready to answer, in milliseconds; what it does in
    /// the background included.
    pub init_ms: f64,
    /// State changes a CPU second: the median of the rounds.
    pub states_per_second: f64,
    /// The lower end of the 95 % interval around it.
    pub states_per_second_low: f64,
    /// The upper end.
    pub states_per_second_high: f64,
    /// Playouts a CPU second.
    pub playouts_per_second: f64,
    /// State changes a second on the clock, all threads together.
    pub states_per_wall_second: f64,
    /// State changes in a playout, on average.
    pub average_length: f64,
    /// State changes.
    pub states: u64,
    /// Whole playouts.
    pub playouts: u64,
    /// How many rounds were played.
    pub rounds: usize,
    /// CPU time of the playing threads.
    pub cpu_seconds: f64,
    /// Time on the clock.
    pub wall_seconds: f64,
    /// The most memory that the process had while the engine was made and played its first round,
    /// where the system tells. Engines that were made before for the same game are in it.
    pub peak_memory_bytes: Option<u64>,
    /// Components of the compiled game, for engines that have any.
    pub components: Option<usize>,
    /// What an engine that remembers answers has remembered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache: Option<CacheReport>,
    /// What an engine that chooses has chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choice: Option<EngineChoice>,
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
    /// The system has no thread left.
    #[error("the system does not give {wanted} threads: {reason}")]
    Threads {
        /// How many were asked for.
        wanted: usize,
        /// What the system says.
        reason: String,
    },
    /// Not one state change.
    #[error("not one state change in {0:.1} s")]
    TooSlow(f64),
}

/// How far a measurement has come.
#[derive(Clone, Copy, Debug)]
pub enum Stage {
    /// An engine is being made.
    Making(Engine),
    /// An engine plays a round.
    Playing(Engine),
}

/// Measures engines on a game, side by side. Gives a result for each, in their order; `progress` is
/// told before every step, of which there are one for each engine and one more for each of its
/// rounds.
pub fn measure(
    rules: &Arc<Rules>,
    engines: &[Engine],
    effort: &Effort,
    mut progress: impl FnMut(Stage),
) -> Vec<Result<Speed, SpeedError>> {
    let rounds = u32::try_from(effort.rounds.get()).unwrap_or(u32::MAX);
    let round = effort.time / rounds;
    let mut runs: Vec<Result<Run, SpeedError>> = Vec::with_capacity(engines.len());
    for engine in engines {
        progress(Stage::Making(*engine));
        let mut run = Run::new(rules, *engine, effort);
        if let Ok(run) = &mut run {
            progress(Stage::Playing(*engine));
            run.first_round(round);
        }
        runs.push(run);
    }
    for _ in 1..rounds {
        for (run, engine) in runs.iter_mut().zip(engines) {
            progress(Stage::Playing(*engine));
            if let Ok(run) = run {
                run.round(round);
            }
        }
    }
    runs.into_iter().map(|run| run?.speed()).collect()
}

/// Measures one engine.
pub fn speed(rules: &Arc<Rules>, engine: Engine, effort: &Effort) -> Result<Speed, SpeedError> {
    let mut all = measure(rules, &[engine], effort, |_| {});
    all.pop().unwrap_or(Err(SpeedError::TooSlow(0.0)))
}

/// An engine that is being measured.
struct Run {
    player: PlayoutRunner,
    init_ms: f64,
    samples: Vec<Sample>,
    problem: Option<SpeedError>,
    peak: Option<u64>,
}

impl Run {
    fn new(rules: &Arc<Rules>, engine: Engine, effort: &Effort) -> Result<Self, SpeedError> {
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

    /// The first round goes on until a game is finished, within reason, and shows how much memory
    /// playing takes.
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
        let total: Sample = self.samples.iter().copied().sum();
        if total.states == 0 {
            return Err(SpeedError::TooSlow(total.wall.as_secs_f64()));
        }
        let rates = |count: fn(&Sample) -> u64| -> Median {
            let rate = |sample: &Sample| count(sample) as f64 / sample.cpu_seconds();
            median(self.samples.iter().map(rate))
        };
        let states = rates(|sample| sample.states);
        let about = self.player.about();
        Ok(Speed {
            threads: about.threads,
            init_ms: self.init_ms,
            states_per_second: states.value,
            states_per_second_low: states.low,
            states_per_second_high: states.high,
            // Games that last several rounds make the median of whole games a round meaningless.
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
