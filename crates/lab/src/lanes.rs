//! Size, speed and time profile of the lanes of a game: the bit-parallel machine code.

use std::sync::Arc;
use std::time::{Duration, Instant};

use cpu_time::ThreadTime;
use ludorum_lanes::{LaneStatistics, Lanes};
use ludorum_propnet::Network;
use ludorum_reasoner::{ReasonError, Reasoner, Rng};
use serde::Serialize;

/// Maximum number of steps of a playout. An average length equal to this limit means that the games
/// do not end within it.
const MAX_STEPS: u32 = 2_000;
/// Maximum number of playouts in one request.
const MAX_PLAYOUTS: u32 = 200_000;

/// The result of a measurement.
#[derive(Clone, Debug, Serialize)]
pub struct LaneProfile {
    /// Statistics of the compiled code.
    #[serde(flatten)]
    pub figures: LaneStatistics,
    /// Compile time from the network to ready lanes, in milliseconds.
    pub compile_ms: f64,
    /// State changes per CPU second.
    pub states_per_second: f64,
    /// Average number of state changes per playout.
    pub average_length: f64,
    /// Time of one step of all lanes in nanoseconds; 0 if no step can be played.
    pub step_ns: f64,
    /// Percentage of the time in gates for termination, goals and the next state.
    pub gates_percent: f64,
    /// Percentage of the time in gates for legal moves and in drawing one of them.
    pub draw_percent: f64,
    /// Percentage of the time in generating random words.
    pub random_percent: f64,
    /// Percentage of the time in adding up results and restarting finished lanes.
    pub results_percent: f64,
}

/// Plays random games from the initial state for about `time` and takes a profile.
#[allow(clippy::cast_precision_loss)] // figures for people
pub fn measure(network: Arc<Network>, time: Duration) -> Result<LaneProfile, ReasonError> {
    let begin = Instant::now();
    let mut lanes = Lanes::new(network);
    lanes.wait_until_ready();
    let compile_ms = begin.elapsed().as_secs_f64() * 1e3;
    let figures = lanes.statistics();
    let start = lanes.initial()?;
    let mut rng = Rng::new(1);
    let (mut states, mut playouts) = (0, 0);
    let mut batch = figures.lanes as u32;
    let clock = Instant::now();
    let cpu = ThreadTime::now();
    while playouts == 0 || clock.elapsed() < time {
        let starts = std::slice::from_ref(&start);
        for tally in lanes.playouts(starts, batch, &mut rng, MAX_STEPS)? {
            states += tally.steps;
            playouts += tally.playouts;
        }
        batch = (2 * batch).min(MAX_PLAYOUTS);
    }
    let rate = states as f64 / cpu.elapsed().as_secs_f64().max(1e-9);
    let few = (playouts / 4).clamp(figures.lanes as u64, u64::from(MAX_PLAYOUTS)) as u32;
    let profile = lanes.profile(&start, few, MAX_STEPS)?;
    let total = profile.total().as_secs_f64().max(1e-12);
    let share = |time: Duration| 100.0 * time.as_secs_f64() / total;
    Ok(LaneProfile {
        compile_ms,
        states_per_second: rate,
        average_length: states as f64 / playouts.max(1) as f64,
        step_ns: if states == 0 {
            0.0
        } else {
            1e9 * figures.lanes as f64 / rate
        },
        gates_percent: share(profile.early) + share(profile.main),
        draw_percent: share(profile.draw),
        random_percent: share(profile.random),
        results_percent: share(profile.results),
        figures,
    })
}
