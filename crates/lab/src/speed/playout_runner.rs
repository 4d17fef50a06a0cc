//! Random playouts with one engine for a given time, on one thread or several.
//!
//! The first playout is made by single queries, checking the time after each. If it was short, the
//! remaining ones are left to the engine's own playouts. If not, play continues step by step, over
//! several rounds if necessary, so that an engine that needs minutes for a playout has a rate too.

use std::iter::Sum;
use std::num::NonZeroUsize;
use std::thread;
use std::time::{Duration, Instant};

use cpu_time::ThreadTime;
use ludorum_engines::{AnyReasoner, AnyState};
use ludorum_reasoner::{
    CacheReport, EngineChoice, MoveId, PlayoutTotals, ReasonError, Reasoner, Rng,
};

use super::SpeedError;

/// Maximum number of steps of a playout; endless games are cut here.
const MAX_STEPS: u32 = 100_000;
/// Playouts that take longer than this are played step by step.
const LONG_GAME: Duration = Duration::from_millis(50);
/// Size of the first batch for engines that play many games at once.
const FIRST_BATCH: u32 = 512;
/// Step limit of the playouts of the first batch.
const FIRST_STEPS: u32 = 50;
/// Maximum time of a batch of playouts.
const MAX_BATCH_TIME: Duration = Duration::from_millis(500);
/// Extra time of a short round to finish a playout.
const WHOLE_GAME_TIME: Duration = Duration::from_secs(1);
/// Extra time of a single query beyond the end of the round.
const QUERY_OVERTIME: Duration = Duration::from_secs(10);

/// Totals of a round.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PlayoutSample {
    /// State changes.
    pub(super) states: u64,
    /// Number of finished playouts.
    pub(super) playouts: u64,
    /// Number of state changes in finished playouts.
    pub(super) finished: u64,
    /// CPU time of all threads.
    pub(super) cpu: Duration,
    /// Wall time.
    pub(super) wall: Duration,
}

impl PlayoutSample {
    /// The CPU time in seconds, at least one nanosecond: zero would give an infinite rate.
    pub(super) fn cpu_seconds(&self) -> f64 {
        self.cpu.as_secs_f64().max(1e-9)
    }

    fn merge_parallel(self, other: Self) -> Self {
        Self {
            wall: self.wall.max(other.wall),
            ..self.then(other)
        }
    }

    fn then(self, other: Self) -> Self {
        Self {
            states: self.states + other.states,
            playouts: self.playouts + other.playouts,
            finished: self.finished + other.finished,
            cpu: self.cpu + other.cpu,
            wall: self.wall + other.wall,
        }
    }
}

impl Sum for PlayoutSample {
    fn sum<I: Iterator<Item = Self>>(samples: I) -> Self {
        samples.fold(Self::default(), Self::then)
    }
}

/// Properties of an engine that are reported after playing.
pub(super) struct EngineProperties {
    pub(super) threads: usize,
    pub(super) components: Option<usize>,
    pub(super) cache: Option<CacheReport>,
    pub(super) choice: Option<EngineChoice>,
}

/// One playing thread: a reasoner and its current playout.
struct PlayoutThread {
    reasoner: AnyReasoner,
    rng: Rng,
    start: AnyState,
    /// The playout that is played step by step: its state and number of steps.
    game: Option<(AnyState, u32)>,
    /// Whether to use the engine's own playouts: games are short, or the engine is made for
    /// batches.
    short: bool,
    /// Number of playouts per request.
    batch: u32,
    /// Step limit of a playout.
    limit: u32,
    moves: Vec<MoveId>,
    joint: Vec<MoveId>,
}

/// Random playouts with one engine, on one thread or several.
pub(super) struct PlayoutRunner {
    threads: Vec<PlayoutThread>,
}

impl PlayoutRunner {
    /// Forks the engine once for each thread.
    pub(super) fn new(
        mut reasoner: AnyReasoner,
        threads: NonZeroUsize,
        seed: u64,
    ) -> Result<Self, ReasonError> {
        reasoner.wait_until_ready();
        let start = reasoner.initial()?;
        let mut all = Vec::with_capacity(threads.get());
        for thread in 1..threads.get() {
            all.push(PlayoutThread::new(reasoner.fork(), &start, seed, thread));
        }
        all.insert(0, PlayoutThread::new(reasoner, &start, seed, 0));
        Ok(Self { threads: all })
    }

    /// Plays for about `time`. With `whole_game` it continues until a playout is finished, within
    /// limits.
    pub(super) fn play(
        &mut self,
        time: Duration,
        whole_game: bool,
    ) -> Result<PlayoutSample, SpeedError> {
        if let [thread] = &mut self.threads[..] {
            return Ok(thread.play(time, whole_game)?);
        }
        let wanted = self.threads.len();
        let results: Vec<Result<PlayoutSample, SpeedError>> = thread::scope(|scope| {
            let mut threads = Vec::with_capacity(wanted);
            for thread in &mut self.threads {
                let work = move || thread.play(time, whole_game);
                match thread::Builder::new().spawn_scoped(scope, work) {
                    Ok(thread) => threads.push(thread),
                    Err(error) => {
                        let reason = error.to_string();
                        return vec![Err(SpeedError::Threads { wanted, reason })];
                    }
                }
            }
            let joined = threads.into_iter().map(|thread| {
                let panicked = |_| Err(ReasonError::Budget("a thread panicked".to_owned()));
                Ok(thread.join().unwrap_or_else(panicked)?)
            });
            joined.collect()
        });
        let mut sum = PlayoutSample::default();
        for result in results {
            sum = sum.merge_parallel(result?);
        }
        Ok(sum)
    }

    /// The properties of the engine that are reported.
    pub(super) fn properties(&self) -> EngineProperties {
        let reasoner = &self.threads[0].reasoner;
        EngineProperties {
            threads: self.threads.len(),
            components: reasoner.components(),
            cache: reasoner.cache_report(),
            choice: reasoner.engine_choice(),
        }
    }
}

impl PlayoutThread {
    fn new(reasoner: AnyReasoner, start: &AnyState, seed: u64, thread: usize) -> Self {
        Self {
            rng: Rng::new(seed.wrapping_add(thread as u64)),
            start: start.clone(),
            game: None,
            short: reasoner.preferred_batch() > 1,
            batch: reasoner.preferred_batch().min(FIRST_BATCH),
            limit: if reasoner.preferred_batch() > 1 {
                FIRST_STEPS
            } else {
                MAX_STEPS
            },
            reasoner,
            moves: Vec::new(),
            joint: Vec::new(),
        }
    }

    fn play(&mut self, time: Duration, whole_game: bool) -> Result<PlayoutSample, ReasonError> {
        let begin = Instant::now();
        let cpu = ThreadTime::now();
        self.reasoner
            .set_deadline(begin.checked_add(time.saturating_add(QUERY_OVERTIME)));
        let enough = if whole_game {
            time.max(WHOLE_GAME_TIME)
        } else {
            time
        };
        let mut sample = PlayoutSample::default();
        loop {
            let elapsed = begin.elapsed();
            if elapsed >= time && (sample.playouts > 0 || elapsed >= enough) && sample.states > 0 {
                break;
            }
            let result = if self.short {
                self.playout(&mut sample)
            } else {
                self.step(&mut sample)
            };
            match result {
                Ok(()) => sample.cpu = cpu.elapsed(),
                // A stopped batch has no totals, so its time does not count either.
                Err(ReasonError::Stopped) => break,
                Err(problem) => return Err(problem),
            }
            if !self.short && sample.playouts == 1 && begin.elapsed() < LONG_GAME {
                self.short = true;
            }
        }
        self.reasoner.set_deadline(None);
        sample.wall = begin.elapsed();
        Ok(sample)
    }

    fn playout(&mut self, sample: &mut PlayoutSample) -> Result<(), ReasonError> {
        let begin = Instant::now();
        let starts = std::slice::from_ref(&self.start);
        let rng = &mut self.rng;
        let tallies = self
            .reasoner
            .playouts(starts, self.batch, rng, self.limit)?;
        let is_cut = |tally: &PlayoutTotals| tally.limited > 0 && self.limit < MAX_STEPS;
        let cut = tallies.iter().any(is_cut);
        for tally in &tallies {
            sample.states += tally.steps;
            // Playouts cut for lack of time say nothing about the length of games. Playouts that
            // ended in the same batch are biased towards short ones.
            if !cut {
                sample.finished += tally.steps;
                sample.playouts += tally.playouts;
            }
            // An initially terminal game has no state changes; repeating it would not end.
            if tally.steps == 0 {
                return Err(ReasonError::Stopped);
            }
        }
        if cut {
            // Raise the step limit to what fits into the time of a batch.
            let room = MAX_BATCH_TIME.as_secs_f64() / begin.elapsed().as_secs_f64().max(1e-6);
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            // within bounds by then
            let limit = (f64::from(self.limit) * room).min(f64::from(MAX_STEPS)) as u32;
            self.limit = limit.max(FIRST_STEPS.min(self.limit));
            return Ok(());
        }
        // Engines with batches are fastest when the batch is large. The batch must not make the
        // round long, though.
        if begin.elapsed() < LONG_GAME / 4 {
            self.batch = (2 * self.batch).min(self.reasoner.preferred_batch());
        }
        Ok(())
    }

    /// Plays one step of the current playout, or finishes it.
    fn step(&mut self, sample: &mut PlayoutSample) -> Result<(), ReasonError> {
        let (state, steps) = match self.game.take() {
            Some(game) => game,
            None => (self.start.clone(), 0),
        };
        let roles = self.reasoner.roles().len();
        let mut over = steps >= MAX_STEPS || self.reasoner.is_terminal(&state)?;
        self.joint.clear();
        for role in 0..roles {
            if over {
                break;
            }
            self.reasoner.legal_moves(&state, role, &mut self.moves)?;
            over = self.moves.is_empty();
            let choice = self.moves.get(self.rng.below(self.moves.len()));
            self.joint.extend(choice);
        }
        if !over {
            let next = self.reasoner.next(&state, &self.joint)?;
            sample.states += 1;
            self.game = Some((next, steps + 1));
            return Ok(());
        }
        for role in 0..roles {
            self.reasoner.goal(&state, role)?;
        }
        sample.playouts += 1;
        sample.finished += u64::from(steps);
        if steps == 0 {
            return Err(ReasonError::Stopped);
        }
        Ok(())
    }
}
