//! An engine at work: plays random games for a while, on one thread or several.
//!
//! The first game is played question by question with an eye on the clock. If it was short, the
//! others are left to the engine's own playouts; if not, play goes on step by step, over several
//! rounds if need be, so that an engine that needs minutes for a game has a rate all the same.

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

/// No playout is longer; games without an end are cut here.
const MAX_STEPS: u32 = 100_000;
/// Games that take longer are played step by step.
const LONG_GAME: Duration = Duration::from_millis(50);
/// Engines that play many games at once begin with so many, and with games that are cut after so
/// many steps.
const FIRST_BATCH: u32 = 512;
const FIRST_STEPS: u32 = 50;
/// So long a batch of games may take.
const LONG_BATCH: Duration = Duration::from_millis(500);
/// So long a short round goes on to see the end of a game.
const WHOLE_GAME: Duration = Duration::from_secs(1);
/// So much longer than a round may take, a single question may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// What was played in a round.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sample {
    /// State changes.
    pub(super) states: u64,
    /// Games that came to their end.
    pub(super) playouts: u64,
    /// The state changes of those games.
    pub(super) finished: u64,
    /// CPU time of all threads.
    pub(super) cpu: Duration,
    /// Time on the clock.
    pub(super) wall: Duration,
}

impl Sample {
    /// The CPU time; a clock that has not moved yet would make any rate infinite.
    pub(super) fn cpu_seconds(&self) -> f64 {
        self.cpu.as_secs_f64().max(1e-9)
    }

    fn beside(self, other: Self) -> Self {
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

impl Sum for Sample {
    fn sum<I: Iterator<Item = Self>>(samples: I) -> Self {
        samples.fold(Self::default(), Self::then)
    }
}

/// What can be said of an engine after playing.
pub(super) struct About {
    pub(super) threads: usize,
    pub(super) components: Option<usize>,
    pub(super) cache: Option<CacheReport>,
    pub(super) choice: Option<EngineChoice>,
}

/// A thread's reasoner and where it is in its game.
struct PlayoutThread {
    reasoner: AnyReasoner,
    rng: Rng,
    start: AnyState,
    /// The game that is played step by step: its state, and after how many steps.
    game: Option<(AnyState, u32)>,
    /// Whether games are short enough for the engine's own playouts, or it is made for those.
    short: bool,
    /// How many playouts it is asked for at a time.
    batch: u32,
    /// After how many steps playouts are cut.
    limit: u32,
    moves: Vec<MoveId>,
    joint: Vec<MoveId>,
}

/// An engine that plays random games, on one thread or several.
pub(super) struct PlayoutRunner {
    threads: Vec<PlayoutThread>,
}

impl PlayoutRunner {
    /// Forks of an engine for so many threads.
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

    /// Plays for about so long; with `whole_game`, until a game is finished if that can be.
    pub(super) fn play(&mut self, time: Duration, whole_game: bool) -> Result<Sample, SpeedError> {
        if let [thread] = &mut self.threads[..] {
            return Ok(thread.play(time, whole_game)?);
        }
        let wanted = self.threads.len();
        let results: Vec<Result<Sample, SpeedError>> = thread::scope(|scope| {
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
        let mut sum = Sample::default();
        for result in results {
            sum = sum.beside(result?);
        }
        Ok(sum)
    }

    /// What can be said of the engine.
    pub(super) fn about(&self) -> About {
        let reasoner = &self.threads[0].reasoner;
        About {
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

    fn play(&mut self, time: Duration, whole_game: bool) -> Result<Sample, ReasonError> {
        let begin = Instant::now();
        let cpu = ThreadTime::now();
        self.reasoner
            .set_deadline(begin.checked_add(time.saturating_add(PATIENCE)));
        let enough = if whole_game {
            time.max(WHOLE_GAME)
        } else {
            time
        };
        let mut sample = Sample::default();
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
                // What was cut has no figures: its time does not count either.
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

    fn playout(&mut self, sample: &mut Sample) -> Result<(), ReasonError> {
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
            // Games that had to be cut for want of time tell nothing about the length of games, nor
            // do those that came to their end beside them.
            if !cut {
                sample.finished += tally.steps;
                sample.playouts += tally.playouts;
            }
            // A game that is over from the start has no state changes; it must not be played for
            // ever.
            if tally.steps == 0 {
                return Err(ReasonError::Stopped);
            }
        }
        if cut {
            // As long as games can be with so many at once in the time that a batch may take.
            let room = LONG_BATCH.as_secs_f64() / begin.elapsed().as_secs_f64().max(1e-6);
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            // within bounds by then
            let limit = (f64::from(self.limit) * room).min(f64::from(MAX_STEPS)) as u32;
            self.limit = limit.max(FIRST_STEPS.min(self.limit));
            return Ok(());
        }
        // Engines that play many at once are at their best when they are asked for many; a round
        // must not become long, though.
        if begin.elapsed() < LONG_GAME / 4 {
            self.batch = (2 * self.batch).min(self.reasoner.preferred_batch());
        }
        Ok(())
    }

    /// Makes one step of the game, or ends it.
    fn step(&mut self, sample: &mut Sample) -> Result<(), ReasonError> {
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
