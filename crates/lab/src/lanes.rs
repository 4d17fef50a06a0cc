//! What a game is compiled to for lanes, how fast it is played, and where the time goes.

use std::sync::Arc;
use std::time::{Duration, Instant};

use cpu_time::ThreadTime;
use ludorum_lanes::{LaneStatistics, Lanes};
use ludorum_propnet::Network;
use ludorum_reasoner::{ReasonError, Reasoner, Rng};
use serde::Serialize;

/// No playout is longer; a sheet whose games are is told so by an average length of just this.
const LIMIT: u32 = 2_000;
/// The most playouts that are asked for at once.
const MOST: u32 = 200_000;

/// What was measured.
#[derive(Clone, Debug, Serialize)]
pub struct Measured {
    /// What the game was compiled to.
    #[serde(flatten)]
    pub figures: LaneStatistics,
    /// From the network to lanes that are ready, in milliseconds.
    pub compile_ms: f64,
    /// State changes a CPU second.
    pub states_per_second: f64,
    /// State changes in a playout, on average.
    pub average_length: f64,
    /// A step of all lanes, in nanoseconds; 0 where no step can be played.
    pub step_ns: f64,
    /// The share of the gates for the end, goals and the next state.
    pub gates_percent: f64,
    /// The share of the gates for legal moves, and of the draw among them.
    pub draw_percent: f64,
    /// The share of making random words.
    pub random_percent: f64,
    /// The share of adding up results and of lanes that begin anew.
    pub results_percent: f64,
}

/// Plays random games from the initial state for about so long, and takes a profile.
#[allow(clippy::cast_precision_loss)] // figures for people
pub fn measure(network: Arc<Network>, time: Duration) -> Result<Measured, ReasonError> {
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
        for tally in lanes.playouts(starts, batch, &mut rng, LIMIT)? {
            states += tally.steps;
            playouts += tally.playouts;
        }
        batch = (2 * batch).min(MOST);
    }
    let rate = states as f64 / cpu.elapsed().as_secs_f64().max(1e-9);
    let few = (playouts / 4).clamp(figures.lanes as u64, u64::from(MOST)) as u32;
    let profile = lanes.profile(&start, few, LIMIT)?;
    let total = profile.total().as_secs_f64().max(1e-12);
    let share = |time: Duration| 100.0 * time.as_secs_f64() / total;
    Ok(Measured {
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
