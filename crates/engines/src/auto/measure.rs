//! Measures what the questions of a search cost on an engine.
//!
//! All engines are asked about the same positions, those of a random walk from the initial state.
//! Times are CPU times of the thread, because on a busy machine elapsed time says little. Each
//! measurement is repeated and the shortest time counts.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use cpu_time::ThreadTime;
use ludorum_reasoner::{MoveId, ReasonError, Rng, StopSignal};

use super::costs::{Cost, Costs};
use super::in_play::{Answer, InPlay, PlayoutRequest};
use super::public::PublicIds;
use super::state::AutoState;

/// The number of steps of the walk.
const STEPS: usize = 8;
/// The time limit of the walk.
const WALK_TIME: Duration = Duration::from_millis(100);
/// A measurement is not repeated after this time.
const ENOUGH: Duration = Duration::from_millis(3);
/// A measurement ends after this time, even in its first round.
const MOST: Duration = Duration::from_millis(100);
/// The resolution of the clock is assumed to be finer than this.
const SHORTEST: Duration = Duration::from_nanos(100);
/// The largest step limit of measured playouts. They are short, so that slow engines finish some.
const MAX_PLAYOUT_STEPS: u32 = 32;
/// The step limit of long playouts, and the time limit of measuring them.
const MAX_LONG_STEPS: u32 = 256;
const LONG_QUERY_LIMIT: Duration = Duration::from_secs(4);
/// The largest number of states on which two engines are compared, and the time for it.
const MAX_COMPARED: u32 = 100;
const COMPARE_TIME: Duration = Duration::from_millis(300);
/// Queries that take longer than this end the measurement of an engine.
const QUERY_LIMIT: Duration = Duration::from_secs(2);

/// The positions on which engines are measured.
#[derive(Clone, Debug)]
pub(super) struct Samples {
    states: Vec<AutoState>,
    /// The joint moves of the walk; one less than the states.
    moves: Vec<Vec<MoveId>>,
}

impl Samples {
    /// Positions of a random walk on an engine, as far as it gets in some time.
    pub(super) fn walk(
        engine: &mut dyn InPlay,
        ids: &mut PublicIds,
        roles: usize,
        cancel: &Arc<AtomicBool>,
    ) -> Self {
        let begin = Instant::now();
        let stop = StopSignal {
            deadline: Some(begin + QUERY_LIMIT),
            cancel: Some(Arc::clone(cancel)),
        };
        engine.set_stop(&stop, &Arc::default());
        let mut rng = Rng::new(1);
        let first = engine.initial(ids).ok().flatten();
        let mut samples = Self {
            states: first.into_iter().collect(),
            moves: Vec::new(),
        };
        while let Some(state) = samples.states.last()
            && samples.moves.len() < STEPS
            && begin.elapsed() < WALK_TIME
            && let Ok(Some((joint, next))) = step(engine, ids, state, roles, &mut rng)
        {
            samples.states.push(next);
            samples.moves.push(joint);
        }
        // Engines on the rules need not know the network.
        for state in &mut samples.states {
            if let Some(rules) = ids.rules_state(state) {
                *state = AutoState::of_rules(rules.into_owned());
            }
        }
        samples
    }

    /// Whether the walk has made a step.
    pub(super) fn has_moves(&self) -> bool {
        !self.moves.is_empty()
    }
}

/// A random joint move and its successor. `None` at the end of a game.
fn step(
    engine: &mut dyn InPlay,
    ids: &mut PublicIds,
    state: &AutoState,
    roles: usize,
    rng: &mut Rng,
) -> Answer<(Vec<MoveId>, AutoState)> {
    if engine.is_terminal(ids, state)? != Some(false) {
        return Ok(None);
    }
    let mut legal = Vec::new();
    let mut joint = Vec::with_capacity(roles);
    for role in 0..roles {
        engine.legal_moves(ids, state, role, &mut legal)?;
        if legal.is_empty() {
            return Ok(None);
        }
        joint.push(legal[rng.below(legal.len())]);
    }
    let next = engine.next(ids, state, &joint)?;
    Ok(next.map(|next| (joint, next)))
}

/// Measures an engine that takes up to `width` questions at once.
pub(super) fn measure(
    engine: &mut dyn InPlay,
    ids: &mut PublicIds,
    samples: &Samples,
    width: usize,
    cancel: &Arc<AtomicBool>,
) -> Result<Costs, ReasonError> {
    let never = Arc::default();
    let stop = |time: Option<Duration>| StopSignal {
        deadline: time.map(|time| Instant::now() + time),
        cancel: Some(Arc::clone(cancel)),
    };
    engine.set_stop(&stop(Some(QUERY_LIMIT)), &never);
    engine.wait_until_ready();
    let own = samples
        .states
        .iter()
        .map(|state| engine.own_form(ids, state));
    let states = own.collect::<Option<Vec<AutoState>>>();
    let Some(states) = states.filter(|states| !states.is_empty()) else {
        return Ok(Costs::UNKNOWN);
    };
    let moves = samples.moves.clone();
    let mut measured = Measured {
        engine,
        ids,
        samples: Samples { states, moves },
    };
    let state = batch_cost(width, |size| measured.states(size))?;
    measured.engine.set_stop(&stop(Some(QUERY_LIMIT)), &never);
    let next = if samples.has_moves() {
        batch_cost(width, |size| measured.next_states(size))?
    } else {
        state
    };
    measured.engine.set_stop(&stop(Some(QUERY_LIMIT)), &never);
    let step = measured.steps(width)?;
    Ok(Costs([state, next, step]))
}

/// Whether an engine gives the same answers as another one on the states of a random walk, which is
/// made on the first engine and ends after some time.
pub(super) fn agree(
    engine: &mut dyn InPlay,
    reference: &mut dyn InPlay,
    ids: &mut PublicIds,
    roles: usize,
    cancel: &Arc<AtomicBool>,
) -> Result<bool, ReasonError> {
    let begin = Instant::now();
    let stop = StopSignal {
        deadline: Some(begin + LONG_QUERY_LIMIT),
        cancel: Some(Arc::clone(cancel)),
    };
    engine.set_stop(&stop, &Arc::default());
    reference.set_stop(&stop, &Arc::default());
    let mut rng = Rng::new(2);
    let first = engine.initial(ids)?;
    if first != reference.initial(ids)? {
        return Ok(false);
    }
    let mut state = first;
    for _ in 0..MAX_COMPARED {
        let Some(current) = state else {
            return Ok(false);
        };
        let own = engine.summaries(ids, &[&current])?;
        let Some(other) = reference.summaries(ids, &[&current])? else {
            return Ok(true);
        };
        if own.as_deref() != Some(&other[..]) {
            return Ok(false);
        }
        let Some((joint, next)) = step(engine, ids, &current, roles, &mut rng)? else {
            return Ok(true);
        };
        if reference.next(ids, &current, &joint)?.as_ref() != Some(&next) {
            return Ok(false);
        }
        if begin.elapsed() > COMPARE_TIME {
            return Ok(true);
        }
        state = Some(next);
    }
    Ok(true)
}

/// The cost of a step of long playouts, on an engine that plays many at once. `None` if it cannot be
/// measured.
#[allow(clippy::cast_precision_loss)] // an estimate
pub(super) fn measure_long_playouts(
    engine: &mut dyn InPlay,
    ids: &mut PublicIds,
    samples: &Samples,
    width: usize,
    cancel: &Arc<AtomicBool>,
) -> Option<Cost> {
    let stop = StopSignal {
        deadline: Some(Instant::now() + LONG_QUERY_LIMIT),
        cancel: Some(Arc::clone(cancel)),
    };
    engine.set_stop(&stop, &Arc::default());
    engine.wait_until_ready();
    let start = engine.own_form(ids, samples.states.first()?)?;
    let request = PlayoutRequest {
        starts: &[&start],
        each: width as u32,
        limit: MAX_LONG_STEPS,
    };
    let begin = ThreadTime::now();
    let steps = match engine.playouts(ids, request, &mut Rng::new(1)) {
        Ok(Some(totals)) => totals.iter().map(|totals| totals.steps).sum(),
        // It was too slow. How far it came is not known, but not to the end.
        Err(ReasonError::Stopped) => width as u64 * u64::from(MAX_PLAYOUT_STEPS),
        _ => return None,
    };
    let seconds = begin.elapsed().max(SHORTEST).as_secs_f64() / steps.max(1) as f64;
    Some(Cost {
        batch: seconds * width as f64,
        each: 0.0,
        width: width as u64,
    })
}

/// The cost of a question by the time that one of them takes, and a full batch.
#[allow(clippy::cast_precision_loss)] // an estimate
fn batch_cost(
    width: usize,
    mut seconds: impl FnMut(usize) -> Result<f64, ReasonError>,
) -> Result<Cost, ReasonError> {
    let one = seconds(1)?;
    if width == 1 {
        return Ok(Cost::one_by_one(one));
    }
    let all = seconds(width)?;
    let each = (all - one).max(0.0) / (width - 1) as f64;
    Ok(Cost {
        batch: (one - each).max(0.0),
        each,
        width: width as u64,
    })
}

struct Measured<'a> {
    engine: &'a mut dyn InPlay,
    ids: &'a mut PublicIds,
    /// In the form of the engine.
    samples: Samples,
}

impl Measured<'_> {
    /// The seconds of one call about so many states.
    fn states(&mut self, size: usize) -> Result<f64, ReasonError> {
        let states: Vec<&AutoState> = self.samples.states.iter().collect();
        shortest(&batches(&states, size), |batch| {
            self.engine.summaries(self.ids, batch).map(drop)
        })
    }

    /// The seconds of one call for so many successors.
    fn next_states(&mut self, size: usize) -> Result<f64, ReasonError> {
        let Samples { states, moves } = &self.samples;
        let pairs: Vec<(&AutoState, &[MoveId])> = states
            .iter()
            .zip(moves)
            .map(|(state, joint)| (state, &joint[..]))
            .collect();
        shortest(&batches(&pairs, size), |batch| {
            self.engine.next_states(self.ids, batch).map(drop)
        })
    }

    /// The cost of a step of playouts.
    #[allow(clippy::cast_precision_loss)] // an estimate
    fn steps(&mut self, width: usize) -> Result<Cost, ReasonError> {
        let starts = [&self.samples.states[0]];
        let mut rng = Rng::new(1);
        let mut limit = 2;
        let (mut seconds, mut repeated) = (f64::INFINITY, Duration::ZERO);
        while repeated < ENOUGH {
            let request = PlayoutRequest {
                starts: &starts,
                each: width as u32,
                limit,
            };
            let begin = ThreadTime::now();
            let totals = self.engine.playouts(self.ids, request, &mut rng)?;
            let time = begin.elapsed().max(SHORTEST);
            let steps: u64 = totals.iter().flatten().map(|totals| totals.steps).sum();
            let each = time.as_secs_f64() / steps.max(1) as f64;
            // Long playouts spread the cost of their start over their steps, as in a search.
            if time < ENOUGH && limit < MAX_PLAYOUT_STEPS {
                limit *= 2;
            } else {
                seconds = seconds.min(each);
                repeated += time;
            }
        }
        Ok(match width {
            1 => Cost::one_by_one(seconds),
            _ => Cost {
                // A step of all takes the same time, however many are in use.
                batch: seconds * width as f64,
                each: 0.0,
                width: width as u64,
            },
        })
    }
}

/// A batch for each of some questions, which begins with it.
fn batches<T: Copy>(questions: &[T], size: usize) -> Vec<Vec<T>> {
    let from = |first| {
        let cycle = questions.iter().cycle().skip(first);
        cycle.take(size).copied().collect()
    };
    (0..questions.len()).map(from).collect()
}

/// The shortest mean time of some queries, in seconds, over rounds of all of them.
#[allow(clippy::cast_precision_loss)] // small numbers
fn shortest<T>(
    queries: &[Vec<T>],
    mut ask: impl FnMut(&[T]) -> Result<(), ReasonError>,
) -> Result<f64, ReasonError> {
    let (mut shortest, mut all) = (f64::INFINITY, Duration::ZERO);
    while all < ENOUGH && !queries.is_empty() {
        // Reading the CPU time takes longer than some queries.
        let (begin, clock) = (ThreadTime::now(), Instant::now());
        let mut asked = 0;
        for query in queries {
            ask(query)?;
            asked += 1;
            if clock.elapsed() > MOST {
                break;
            }
        }
        let round = begin.elapsed().max(SHORTEST);
        shortest = shortest.min(round.as_secs_f64() / f64::from(asked));
        all += round;
        // A query about the same state as the last one would be answered from memory.
        if queries.len() == 1 {
            break;
        }
    }
    Ok(shortest)
}
