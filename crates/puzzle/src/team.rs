//! The techniques of one thread, which work in turns.
//!
//! With a budget of simulations turns are counted in positions, so that one thread does the same on
//! every run; otherwise every technique has its share of the time, and a turn ends by the clock as
//! well.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use ludorum_reasoner::{MoveId, ReasonError, Reasoner};

use super::best::{Best, Method};
use super::breadth::Breadth;
use super::depth::Depth;
use super::desk::{Desk, Progress, Pulse, Technique};
use super::factors::Factors;
use super::nested::Nested;
use super::settings::{Settings, Use};
use super::sheet::Sheet;
use super::standing::Proof;
use super::tree::Tree;

/// The positions of a turn.
const TURN: u64 = 2048;
/// A turn ends after this, and an engine is interrupted; a technique that could finish nothing gets
/// twice as much the next time.
pub(super) const PATIENCE: Duration = Duration::from_millis(250);
const MOST_PATIENCE: Duration = Duration::from_mins(10);

/// The work of one stretch of a search, the same for all threads.
pub(super) struct Task<'a, R: Reasoner> {
    pub(super) settings: &'a Settings,
    pub(super) sheet: &'a Sheet,
    pub(super) best: &'a Best,
    pub(super) root: &'a R::State,
    pub(super) until: Option<Instant>,
    /// Whether to stop.
    pub(super) stop: &'a (dyn Fn() -> bool + Sync),
    /// The same for engines, as far as it comes from outside.
    pub(super) cancel: &'a Arc<AtomicBool>,
    pub(super) simulations: &'a AtomicU64,
    pub(super) is_proven: &'a AtomicBool,
}

impl<R: Reasoner> Task<'_, R> {
    pub(super) fn is_over(&self) -> bool {
        let value = self.best.value();
        value.is_some_and(|value| value >= self.sheet.ceiling) || (self.stop)()
    }
}

/// A technique at work.
struct Worker<R: Reasoner> {
    technique: Box<dyn Technique<R>>,
    /// How long it has worked, by what its time is worth.
    time: Duration,
    /// The most time of a turn.
    patience: Duration,
}

impl<R: Reasoner> Worker<R> {
    fn new(technique: Box<dyn Technique<R>>, time: Duration) -> Self {
        Self {
            technique,
            time,
            patience: PATIENCE,
        }
    }
}

/// How much time a technique gets, compared with the others: where parts are independent, nothing
/// else comes near, and what is small is best proven at once.
fn worth(method: Method) -> u32 {
    match method {
        Method::Factors => 6,
        Method::Breadth => 2,
        Method::Depth | Method::Tree | Method::Nested => 1,
    }
}

/// The techniques to use.
pub(super) fn kinds(settings: &Settings) -> Vec<Method> {
    match settings.uses {
        Use::All => Method::ALL.to_vec(),
        Use::Only(method) => vec![method],
    }
}

/// The techniques of a thread among some.
fn share(kinds: &[Method], thread: usize, threads: usize) -> impl Iterator<Item = Method> + '_ {
    // With more threads than techniques, the last ones roll dice of their own.
    let chance = [Method::Tree, Method::Nested];
    let extra = (thread >= kinds.len()).then(|| chance[thread % 2]);
    let own = kinds.iter().enumerate();
    let own = own.filter(move |(i, _)| i % threads == thread);
    own.map(|(_, kind)| *kind).chain(extra)
}

/// A technique with its part of the memory.
fn make<R: Reasoner + 'static>(
    settings: &Settings,
    method: Method,
    seed: u64,
) -> Box<dyn Technique<R>> {
    let bytes = settings.bytes;
    // There may be one of those that roll dice on every thread, once the others are done.
    let each = bytes / 16 / settings.threads;
    match method {
        Method::Factors => Box::new(Factors::new(bytes / 4, seed)),
        Method::Breadth => Box::new(Breadth::<R::State>::new(bytes * 3 / 8)),
        Method::Depth => Box::new(Depth::<R::State>::new(bytes / 8, seed)),
        Method::Tree => Box::new(Tree::<R::State>::new(settings, 3 * each, seed)),
        Method::Nested => Box::new(Nested::new(each, seed)),
    }
}

/// The techniques of a thread.
pub(super) struct Team<R: Reasoner> {
    workers: Vec<Worker<R>>,
    /// Those that wait for the next move of the match.
    resting: Vec<Worker<R>>,
    /// What has no use for this puzzle, wherever it goes.
    useless: Vec<Method>,
    /// Whose turn it is.
    turn: usize,
    thread: usize,
    seed: u64,
}

impl<R: Reasoner + 'static> Team<R> {
    pub(super) fn new(settings: &Settings, thread: usize) -> Self {
        let mut team = Self {
            workers: Vec::new(),
            resting: Vec::new(),
            useless: Vec::new(),
            turn: 0,
            thread,
            seed: settings.seed.wrapping_add(thread as u64 * 1000),
        };
        team.complete(settings);
        team
    }

    /// The time of who worked least. Whoever comes to the others begins there: what these have done
    /// before is no debt to anybody.
    fn least(&self) -> Duration {
        let times = self.workers.iter().map(|worker| worker.time);
        times.min().unwrap_or_default()
    }

    /// Calls back those who were done: they may have something to do again.
    pub(super) fn complete(&mut self, settings: &Settings) {
        let least = self.least();
        for kind in share(&kinds(settings), self.thread, settings.threads) {
            let is_there = |worker: &Worker<R>| worker.technique.method() == kind;
            let is_there = self.workers.iter().chain(&self.resting).any(is_there);
            if !is_there && !self.useless.contains(&kind) {
                let technique = make(settings, kind, self.seed);
                self.workers.push(Worker::new(technique, least));
            }
        }
    }

    /// A move was played; `goes_on` tells whether it was that of the best line. Those that cannot
    /// go on begin anew.
    pub(super) fn advance(&mut self, settings: &Settings, id: MoveId, goes_on: bool) {
        let least = self.least();
        for mut worker in self.resting.drain(..) {
            worker.time = worker.time.max(least);
            self.workers.push(worker);
        }
        let mut made = 0;
        for worker in &mut self.workers {
            let method = worker.technique.method();
            // Without the line, what others have seen to its end is no longer known: all of them
            // look again. Those that only look for one goal have seen nothing to its end.
            let stays = goes_on || method == Method::Factors;
            if !(worker.technique.advance(id) && stays) {
                worker.technique = make(settings, method, self.seed.wrapping_add(made));
                made += 1;
            }
        }
        self.complete(settings);
    }

    /// For each technique that is at work, positions and bytes.
    pub(super) fn sizes(&self) -> Vec<(Method, u64, u64)> {
        let workers = self.workers.iter().chain(&self.resting);
        let size = |worker: &Worker<R>| {
            let (positions, bytes) = worker.technique.size();
            (worker.technique.method(), positions, bytes)
        };
        workers.map(size).collect()
    }

    /// One turn of one technique.
    pub(super) fn turn(
        &mut self,
        task: &Task<'_, R>,
        reasoner: &mut R,
    ) -> Result<Option<Proof>, ReasonError> {
        if self.workers.is_empty() {
            // All systematic techniques are done and could prove nothing: what is left is chance.
            self.seed = self.seed.wrapping_add(500);
            for method in [Method::Tree, Method::Nested] {
                let technique = make(task.settings, method, self.seed);
                self.workers.push(Worker::new(technique, Duration::ZERO));
            }
        }
        let chosen = if task.settings.simulations > 0 {
            self.turn % self.workers.len()
        } else {
            let times = self.workers.iter().map(|worker| worker.time).enumerate();
            times.min_by_key(|(_, time)| *time).map_or(0, |(i, _)| i)
        };
        self.turn += 1;
        let worker = &mut self.workers[chosen];
        let begin = Instant::now();
        let is_timed = task.settings.simulations == 0;
        let patience = begin + worker.patience;
        let end = match task.until {
            Some(until) if is_timed => until.min(patience),
            Some(until) => until,
            None => patience,
        };
        reasoner.set_deadline(Some(end));
        let mut desk = Desk {
            reasoner,
            root: task.root,
            sheet: task.sheet,
            best: task.best,
            stop: task.stop,
            until: is_timed.then_some(end),
            pulse: Pulse::default(),
            limit: task.settings.limit,
            positions: 0,
            simulations: 0,
        };
        let progress = worker.technique.work(&mut desk, TURN);
        task.simulations
            .fetch_add(desk.simulations, Ordering::AcqRel);
        let has_finished = desk.simulations > 0;
        let method = worker.technique.method();
        worker.time += begin.elapsed() / worth(method);
        match progress {
            Ok(Progress::More) => Ok(None),
            Ok(Progress::Done) => {
                self.workers.remove(chosen);
                Ok(None)
            }
            Ok(Progress::Resting) => {
                let worker = self.workers.remove(chosen);
                self.resting.push(worker);
                Ok(None)
            }
            Ok(Progress::Useless) => {
                self.workers.remove(chosen);
                self.useless.push(method);
                Ok(None)
            }
            Ok(Progress::Proven) => {
                task.is_proven.store(true, Ordering::Release);
                Ok(Some(Proof::Exhausted(method)))
            }
            // It is asked again, with new patience; whether all time is over, others see.
            Err(ReasonError::Stopped) => {
                if !has_finished {
                    worker.patience = worker.patience.saturating_mul(2).min(MOST_PATIENCE);
                }
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ludorum_player::OptionValues;
    use ludorum_prover::Prover;

    /// A team of all techniques in the middle of a match.
    fn team() -> (Settings, Team<Prover>) {
        let options = OptionValues::defaults(crate::options::SOLO);
        let settings = Settings {
            threads: 1,
            ..Settings::new(&options)
        };
        let mut team: Team<Prover> = Team::new(&settings, 0);
        for (i, worker) in (0..).zip(&mut team.workers) {
            worker.time = Duration::from_secs(100 + i);
        }
        (settings, team)
    }

    #[test]
    fn who_is_called_back_has_no_time_to_make_up_for() {
        let (settings, mut team) = team();
        team.workers.pop();
        let count = team.workers.len();
        team.complete(&settings);
        assert_eq!(team.workers.len(), count + 1);
        assert_eq!(team.workers[count].time, Duration::from_secs(100));
    }

    #[test]
    fn who_rests_is_back_after_the_next_move() {
        let (settings, mut team) = team();
        let mut worker = team.workers.remove(0);
        let method = worker.technique.method();
        worker.time = Duration::ZERO;
        team.resting.push(worker);
        let count = team.workers.len();
        team.complete(&settings);
        assert_eq!(team.workers.len(), count, "there would be two of a kind");
        team.advance(&settings, MoveId::default(), true);
        assert_eq!(team.workers.len(), count + 1);
        let back = &team.workers[count];
        assert_eq!(back.technique.method(), method);
        assert_eq!(back.time, Duration::from_secs(101));
    }

    #[test]
    fn every_technique_is_on_one_thread_and_no_thread_is_idle() {
        for threads in 1..9 {
            let all: Vec<Method> = (0..threads)
                .flat_map(|thread| {
                    let own: Vec<Method> = share(&Method::ALL, thread, threads).collect();
                    assert!(!own.is_empty(), "{thread} of {threads}");
                    own
                })
                .collect();
            assert!(Method::ALL.iter().all(|method| all.contains(method)));
            assert_eq!(all.len(), threads.max(Method::ALL.len()));
        }
    }
}
