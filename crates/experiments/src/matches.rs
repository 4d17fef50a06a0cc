//! Speed over whole matches, measured as in Sironi and Winands 2016, table 3: at every state of a
//! random match, playouts run for a fixed time, as in a Monte Carlo player. Towards the end of a
//! match the same states recur often, which is where an answer cache helps.

use std::sync::Arc;
use std::time::{Duration, Instant};

use cpu_time::ThreadTime;
use ludorum_engines::Engine;
use ludorum_engines::engine::EngineSettings;
use ludorum_logic::Rules;
use ludorum_reasoner::{CacheReport, Reasoner, Rng};
use serde::Serialize;

use ludorum_lab::speed::SpeedError;

/// Maximum number of steps of a playout.
const MAX_STEPS: u32 = 10_000;

/// The speed over a match.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct MatchSpeed {
    /// State changes per CPU second, over the whole match.
    pub(crate) states_per_second: f64,
    /// State changes per CPU second at the first state of the match.
    pub(crate) at_first_state: f64,
    /// Number of state changes.
    pub(crate) states: u64,
    /// CPU time.
    pub(crate) cpu_seconds: f64,
    /// Number of moves of the match at which playouts were made.
    pub(crate) moves: u32,
    /// Statistics of the answer cache.
    pub(crate) cache: Option<CacheReport>,
}

/// Plays a random match of at most `moves_limit` moves and makes playouts at each of its states for
/// `time`.
#[allow(clippy::cast_precision_loss)] // figures for people
pub(crate) fn over_a_match(
    rules: &Arc<Rules>,
    engine: Engine,
    settings: &EngineSettings,
    time: Duration,
    moves_limit: u32,
) -> Result<MatchSpeed, SpeedError> {
    let mut reasoner = engine.build_with(rules, settings)?;
    reasoner.wait_until_ready();
    // The moves of the match have their own generator, so that every engine plays the same match.
    let (mut moves_rng, mut rng) = (Rng::new(1), Rng::new(2));
    let mut state = reasoner.initial()?;
    let (mut states, mut moves, mut cpu) = (0u64, 0, Duration::ZERO);
    let mut at_first_state = 0.0;
    let (mut legal, mut joint) = (Vec::new(), Vec::new());
    while moves < moves_limit && !reasoner.is_terminal(&state)? {
        let (begin, clock) = (Instant::now(), ThreadTime::now());
        while begin.elapsed() < time {
            let playout = reasoner.playout(&state, &mut rng, MAX_STEPS)?;
            states += u64::from(playout.steps);
        }
        cpu += clock.elapsed();
        if moves == 0 {
            at_first_state = states as f64 / cpu.as_secs_f64().max(1e-9);
        }
        moves += 1;
        joint.clear();
        for role in 0..reasoner.roles().len() {
            reasoner.legal_moves(&state, role, &mut legal)?;
            joint.extend(legal.get(moves_rng.below(legal.len())));
        }
        if joint.len() < reasoner.roles().len() {
            break;
        }
        state = reasoner.next(&state, &joint)?;
    }
    let cpu_seconds = cpu.as_secs_f64().max(1e-9);
    Ok(MatchSpeed {
        states_per_second: states as f64 / cpu_seconds,
        at_first_state,
        states,
        cpu_seconds,
        moves,
        cache: reasoner.cache_report(),
    })
}
