//! All techniques on one puzzle, side by side.
//!
//! Each thread has some techniques and lets them work in turns; all threads share the best line. With a budget of simulations turns are counted in
//! positions, so that one thread does the same on every run; otherwise every technique has the same time, and a turn ends by the clock as well. One
//! playout comes before everything else, so that there is a line even if there is time for nothing more.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use ludorum_reason::{MoveId, ReasonError, Reasoner};

use super::best::{Best, Method};
use super::breadth::Breadth;
use super::depth::Depth;
use super::desk::{Desk, Progress, Pulse, Technique};
use super::factors::Factors;
use super::nested::Nested;
use super::settings::{Settings, Use};
use super::sheet::Sheet;
use super::standing::{Proof, Standing};
use super::tree::Tree;

/// The positions of a turn.
const TURN: u64 = 2048;
/// A turn ends after this, and an engine is interrupted; a technique that could finish nothing gets twice as much the next time.
const PATIENCE: Duration = Duration::from_millis(250);
const MOST_PATIENCE: Duration = Duration::from_mins(10);

/// A technique at work.
struct Worker<R: Reasoner> {
    technique: Box<dyn Technique<R>>,
    /// How long it has worked, by what its time is worth.
    time: Duration,
    /// The most time of a turn.
    patience: Duration,
}

/// How much time a technique gets, compared with the others: where parts are independent, nothing else comes near, and what is small is
/// best proven at once.
fn worth(method: Method) -> u32 {
    match method {
        Method::Factors => 6,
        Method::Breadth => 2,
        Method::Depth | Method::Tree | Method::Nested => 1,
    }
}

/// The techniques of a thread.
struct Team<R: Reasoner> {
    workers: Vec<Worker<R>>,
    /// Whose turn it is.
    turn: usize,
    seed: u64,
}

/// The search of one puzzle.
pub(super) struct Search<R: Reasoner> {
    settings: Settings,
    sheet: Option<Sheet>,
    best: Best,
    proof: Option<Proof>,
    teams: Vec<Team<R>>,
    simulations: AtomicU64,
}

/// The work of one call of [`Search::run`], the same for all threads.
struct Task<'a, R: Reasoner> {
    settings: &'a Settings,
    sheet: &'a Sheet,
    best: &'a Best,
    root: &'a R::State,
    until: Option<Instant>,
    /// Whether to stop.
    stop: &'a (dyn Fn() -> bool + Sync),
    /// The same for engines, as far as it comes from outside.
    cancel: &'a Arc<AtomicBool>,
    simulations: &'a AtomicU64,
    is_proven: &'a AtomicBool,
}

impl<R: Reasoner + 'static> Search<R> {
    pub(super) fn new(settings: Settings) -> Self {
        Self {
            settings,
            sheet: None,
            best: Best::default(),
            proof: None,
            teams: Vec::new(),
            simulations: AtomicU64::new(0),
        }
    }

    /// Searches from a position until `stop`, or until nothing better can be found. `look` is called between turns of the first thread. The
    /// deadline and the flag are for engines that take long over an answer; `stop` knows of both, and the first engine has the flag already.
    pub(super) fn run(
        &mut self,
        reasoner: &mut R,
        root: &R::State,
        until: Option<Instant>,
        stop: &(dyn Fn() -> bool + Sync),
        cancel: &Arc<AtomicBool>,
        look: &mut dyn FnMut(&Standing),
    ) -> Result<(), ReasonError> {
        self.simulations.store(0, Ordering::Release);
        self.first_line(reasoner, root, until, stop)?;
        look(&self.standing());
        let is_read = self.read(reasoner, until, cancel);
        if self.teams.is_empty() {
            let kinds = kinds(&self.settings);
            let threads = self.settings.threads;
            self.teams = (0..threads)
                .map(|thread| Team::new(&self.settings, &kinds, thread))
                .collect();
        }
        let budget = self.settings.simulations;
        let is_proven = AtomicBool::new(false);
        let simulations = &self.simulations;
        let proven = &is_proven;
        let is_over = move || {
            let made = simulations.load(Ordering::Acquire);
            (budget > 0 && made >= budget) || proven.load(Ordering::Acquire) || stop()
        };
        if self.proof.is_some() || is_over() {
            look(&self.standing());
            if !is_read {
                self.sheet = None;
            }
            return Ok(());
        }
        let sheet = self.sheet.clone().unwrap_or_default();
        let mut teams = std::mem::take(&mut self.teams);
        let task = Task {
            settings: &self.settings,
            sheet: &sheet,
            best: &self.best,
            root,
            until,
            stop: &is_over,
            cancel,
            simulations: &self.simulations,
            is_proven: &is_proven,
        };
        let (proof, result) = self.work(&task, reasoner, &mut teams, look);
        self.teams = teams;
        self.proof = self.proof.or(proof);
        let standing = self.standing();
        look(&standing);
        if !is_read {
            // There may be more time the next time.
            self.sheet = None;
        }
        // Nobody needs an answer of the engine any more.
        if standing.is_proven() { Ok(()) } else { result }
    }

    /// Lets all teams work. Gives a proof if there is one, and what went wrong on the first thread.
    fn work(
        &self,
        task: &Task<'_, R>,
        reasoner: &mut R,
        teams: &mut [Team<R>],
        look: &mut dyn FnMut(&Standing),
    ) -> (Option<Proof>, Result<(), ReasonError>) {
        let Some((first, others)) = teams.split_first_mut() else {
            return (None, Ok(()));
        };
        std::thread::scope(|scope| {
            let mut helpers = Vec::new();
            for team in others {
                let mut reasoner = reasoner.fork();
                reasoner.set_cancel(Some(Arc::clone(task.cancel)));
                let work = move || {
                    let mut proof = None;
                    while !task.is_over() {
                        // What goes wrong here goes wrong on the first thread as well.
                        let Ok(found) = team.turn(task, &mut reasoner) else {
                            break;
                        };
                        proof = proof.or(found);
                    }
                    proof
                };
                // Without the thread the others do what they can.
                helpers.extend(std::thread::Builder::new().spawn_scoped(scope, work).ok());
            }
            let mut proof = None;
            let mut result = Ok(());
            while result.is_ok() && !task.is_over() {
                match first.turn(task, reasoner) {
                    Ok(found) => proof = proof.or(found),
                    Err(error) => result = Err(error),
                }
                let mut standing = self.standing();
                standing.sizes = first.sizes();
                look(&standing);
            }
            // The others have seen that it is over, or will: the task tells them, unless this thread failed.
            if result.is_err() {
                task.is_proven.store(true, Ordering::Release);
            }
            for helper in helpers {
                proof = proof.or(helper.join().ok().flatten());
            }
            (proof, result)
        })
    }

    /// Plays once to the end, if there is no line yet: whatever comes after it, there is something to play.
    fn first_line(
        &mut self,
        reasoner: &mut R,
        root: &R::State,
        until: Option<Instant>,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<(), ReasonError> {
        let is_used = kinds(&self.settings).contains(&Method::Nested);
        if !is_used || self.best.value().is_some() || self.proof.is_some() || stop() {
            return Ok(());
        }
        let now = Instant::now();
        let is_timed = self.settings.simulations == 0;
        let end = match until {
            // If half of the time is not enough, something else may be.
            Some(until) if is_timed => now + until.saturating_duration_since(now) / 2,
            Some(until) => until,
            None => now + PATIENCE,
        };
        reasoner.set_deadline(Some(end));
        let unread = Sheet::default();
        let mut desk = Desk {
            reasoner,
            root,
            sheet: self.sheet.as_ref().unwrap_or(&unread),
            best: &self.best,
            stop: &|| stop() || (is_timed && Instant::now() >= end),
            until: is_timed.then_some(end),
            pulse: Pulse::default(),
            limit: self.settings.limit,
            positions: 0,
            simulations: 0,
        };
        let result = Nested::new(self.settings.seed).work(&mut desk, 1);
        self.simulations
            .fetch_add(desk.simulations, Ordering::AcqRel);
        match result {
            Ok(_) | Err(ReasonError::Late) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Reads the rules, the first time. Gives whether they need not be read again.
    fn read(&mut self, reasoner: &R, until: Option<Instant>, cancel: &Arc<AtomicBool>) -> bool {
        if self.sheet.is_some() {
            return true;
        }
        let Some(rules) = reasoner.rules() else {
            self.sheet = Some(Sheet::default());
            return true;
        };
        let left = until.map(|until| until.saturating_duration_since(Instant::now()));
        let time = left.map_or(Duration::MAX, |left| left / 4);
        let (sheet, is_all) = Sheet::read(&rules, time, Some(Arc::clone(cancel)));
        self.sheet = Some(sheet);
        is_all
    }

    /// What there is so far.
    pub(super) fn standing(&self) -> Standing {
        let sheet = self.sheet.as_ref();
        Standing {
            line: self.best.line(),
            ceiling: sheet.map_or(100, |sheet| sheet.ceiling),
            is_ceiling_read: sheet.is_some_and(|sheet| sheet.is_read),
            proof: self.proof,
            simulations: self.simulations.load(Ordering::Acquire),
            sizes: self.teams.iter().flat_map(Team::sizes).collect(),
        }
    }

    /// A move was played. What was found goes on if the move is that of the best line; techniques that cannot go on begin anew.
    pub(super) fn advance(&mut self, id: MoveId) {
        // Without the line, what others have seen to its end is no longer known: all of them look again.
        let goes_on = self.best.advance(id);
        if !goes_on {
            self.proof = None;
        }
        let mut made = 0;
        for team in &mut self.teams {
            for worker in &mut team.workers {
                let method = worker.technique.method();
                // Those that only look for one goal have seen nothing to its end.
                let stays = goes_on || method == Method::Factors;
                if !(worker.technique.advance(id) && stays) {
                    worker.technique = make(&self.settings, method, team.seed.wrapping_add(made));
                    made += 1;
                }
            }
        }
        // Those that were done may have something to do again.
        let kinds = kinds(&self.settings);
        let threads = self.settings.threads;
        for (thread, team) in self.teams.iter_mut().enumerate() {
            for kind in share(&kinds, thread, threads) {
                let is_there = |worker: &Worker<R>| worker.technique.method() == kind;
                if !team.workers.iter().any(is_there) {
                    let technique = make(&self.settings, kind, team.seed);
                    team.workers.push(Worker::new(technique));
                }
            }
        }
    }

    /// Forgets everything but the rules.
    pub(super) fn forget(&mut self) {
        self.best.clear();
        self.proof = None;
        self.teams.clear();
    }
}

impl<R: Reasoner> Task<'_, R> {
    fn is_over(&self) -> bool {
        let value = self.best.value();
        value.is_some_and(|value| value >= self.sheet.ceiling) || (self.stop)()
    }
}

impl<R: Reasoner> Worker<R> {
    fn new(technique: Box<dyn Technique<R>>) -> Self {
        Self {
            technique,
            time: Duration::ZERO,
            patience: PATIENCE,
        }
    }
}

/// The techniques to use.
fn kinds(settings: &Settings) -> Vec<Method> {
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

fn make<R: Reasoner + 'static>(
    settings: &Settings,
    method: Method,
    seed: u64,
) -> Box<dyn Technique<R>> {
    let bytes = settings.bytes;
    // The chance that there are several of a kind is with trees only.
    let trees = settings
        .threads
        .saturating_sub(Method::ALL.len())
        .div_ceil(2)
        + 1;
    match method {
        Method::Factors => Box::new(Factors::new(bytes / 4, seed)),
        Method::Breadth => Box::new(Breadth::<R::State>::new(bytes * 3 / 8)),
        Method::Depth => Box::new(Depth::<R::State>::new(bytes / 8, seed)),
        Method::Tree => Box::new(Tree::<R::State>::new(settings, bytes / 4 / trees, seed)),
        Method::Nested => Box::new(Nested::new(seed)),
    }
}

impl<R: Reasoner + 'static> Team<R> {
    fn new(settings: &Settings, kinds: &[Method], thread: usize) -> Self {
        let seed = settings.seed.wrapping_add(thread as u64 * 1000);
        let workers = share(kinds, thread, settings.threads);
        Self {
            workers: workers
                .map(|kind| Worker::new(make(settings, kind, seed)))
                .collect(),
            turn: 0,
            seed,
        }
    }

    fn sizes(&self) -> Vec<(Method, u64, u64)> {
        let workers = self.workers.iter();
        let size = |worker: &Worker<R>| {
            let (positions, bytes) = worker.technique.size();
            (worker.technique.method(), positions, bytes)
        };
        workers.map(size).collect()
    }

    /// One turn of one technique.
    fn turn(&mut self, task: &Task<'_, R>, reasoner: &mut R) -> Result<Option<Proof>, ReasonError> {
        if self.workers.is_empty() {
            // All systematic techniques are done and could prove nothing: what is left is chance.
            self.seed = self.seed.wrapping_add(500);
            for method in [Method::Tree, Method::Nested] {
                self.workers
                    .push(Worker::new(make(task.settings, method, self.seed)));
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
            Ok(Progress::Proven) => {
                task.is_proven.store(true, Ordering::Release);
                Ok(Some(Proof::Exhausted(method)))
            }
            // It is asked again, with new patience; whether all time is over, others see.
            Err(ReasonError::Late) => {
                if !has_finished {
                    worker.patience = worker.patience.saturating_mul(2).min(MOST_PATIENCE);
                }
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }
}
