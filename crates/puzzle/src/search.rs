//! All techniques on one puzzle, side by side.
//!
//! Each thread has a [team](super::team) of techniques; all threads share the best line. One
//! playout comes before everything else, so that there is a line even if there is time for nothing
//! more. Meanwhile the rules are [read](super::reading).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use ludorum_propnet::CompiledGame;
use ludorum_reasoner::{MoveId, ReasonError, Reasoner};

use super::best::{Best, Method};
use super::desk::{Desk, Pulse, Technique as _};
use super::nested::Nested;
use super::reading::Reading;
use super::settings::Settings;
use super::sheet::Sheet;
use super::standing::{Proof, Standing};
use super::team::{PATIENCE, Task, Team, kinds};

/// The search of one puzzle.
pub(super) struct Search<R: Reasoner> {
    settings: Settings,
    /// The game whose rules are read; `None` where only the engine is known.
    game: Option<Arc<CompiledGame>>,
    /// The rules, once they are read.
    sheet: Option<Arc<Sheet>>,
    /// The same while they are being read.
    reading: Option<Reading>,
    best: Best,
    proof: Option<Proof>,
    teams: Vec<Team<R>>,
    simulations: AtomicU64,
}

impl<R: Reasoner + 'static> Search<R> {
    pub(super) fn new(settings: Settings, game: Option<Arc<CompiledGame>>) -> Self {
        Self {
            settings,
            game,
            sheet: None,
            reading: None,
            best: Best::default(),
            proof: None,
            teams: Vec::new(),
            simulations: AtomicU64::new(0),
        }
    }

    /// Searches from a position until `stop`, or until nothing better can be found. `look` is
    /// called between turns of the first thread. The deadline and the flag are for engines that
    /// take long over an answer; `stop` knows of both, and the first engine has the flag already.
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
        if self.teams.is_empty() {
            let threads = 0..self.settings.threads;
            let team = |thread| Team::new(&self.settings, thread);
            self.teams = threads.map(team).collect();
        }
        // Most sheets are read at once, and it is worth waiting for: techniques go by what is known
        // at their beginning.
        let now = Instant::now();
        let patience = match until {
            Some(until) => Some(now + until.saturating_duration_since(now) / 4),
            // It comes in later, when it is there; but whoever counts simulations is to do the same
            // on every run.
            None if self.settings.simulations == 0 => Some(now + PATIENCE),
            None => None,
        };
        self.read(patience, stop);
        loop {
            let result = self.stretch(reasoner, root, until, stop, cancel, look);
            let standing = self.standing();
            look(&standing);
            if standing.is_proven() {
                // Nobody needs an answer of the engine any more.
                return Ok(());
            }
            let is_spent = self.settings.simulations > 0
                && self.simulations.load(Ordering::Acquire) >= self.settings.simulations;
            if result.is_err() || is_spent || self.proof.is_some() || stop() {
                return result;
            }
            // There is news about the rules.
            self.read(Some(Instant::now()), stop);
        }
    }

    /// Searches until there is no more to do, or news about the rules.
    fn stretch(
        &mut self,
        reasoner: &mut R,
        root: &R::State,
        until: Option<Instant>,
        stop: &(dyn Fn() -> bool + Sync),
        cancel: &Arc<AtomicBool>,
        look: &mut dyn FnMut(&Standing),
    ) -> Result<(), ReasonError> {
        if self.proof.is_some() {
            return Ok(());
        }
        let budget = self.settings.simulations;
        let is_proven = AtomicBool::new(false);
        let sheet = self.sheet.clone().unwrap_or_default();
        let mut teams = std::mem::take(&mut self.teams);
        let simulations = &self.simulations;
        let news = self.reading.as_ref().map(Reading::done);
        let is_over = || {
            let made = simulations.load(Ordering::Acquire);
            let is_news = |news: &Arc<AtomicBool>| news.load(Ordering::Acquire);
            (budget > 0 && made >= budget)
                || is_proven.load(Ordering::Acquire)
                || news.as_ref().is_some_and(is_news)
                || stop()
        };
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
        result
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
            // The others have seen that it is over, or will: the task tells them, unless this
            // thread failed.
            if result.is_err() {
                task.is_proven.store(true, Ordering::Release);
            }
            for helper in helpers {
                proof = proof.or(helper.join().ok().flatten());
            }
            (proof, result)
        })
    }

    /// Plays once to the end, if there is no line yet: whatever comes after it, there is something
    /// to play.
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
            sheet: self.sheet.as_deref().unwrap_or(&unread),
            best: &self.best,
            stop: &|| stop() || (is_timed && Instant::now() >= end),
            until: is_timed.then_some(end),
            pulse: Pulse::default(),
            limit: self.settings.limit,
            positions: 0,
            simulations: 0,
        };
        // It is gone before it could be missed elsewhere, so it has what one of its kind may take.
        let bytes = self.settings.bytes / 16;
        let result = Nested::new(bytes, self.settings.seed).work(&mut desk, 1);
        self.simulations
            .fetch_add(desk.simulations, Ordering::AcqRel);
        match result {
            Ok(_) | Err(ReasonError::Stopped) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Reads the rules, the first time, and waits for that until some moment. What takes longer
    /// goes on meanwhile.
    fn read(&mut self, until: Option<Instant>, stop: &(dyn Fn() -> bool + Sync)) {
        if self.sheet.is_some() {
            return;
        }
        if self.reading.is_none() {
            self.reading = self.game.clone().map(Reading::new);
        }
        self.sheet = match &self.reading {
            Some(reading) => reading.wait(until, stop),
            None => Some(Arc::default()),
        };
        if self.sheet.is_some() {
            self.reading = None;
            // Who could do nothing without the rules can now.
            for team in &mut self.teams {
                team.complete(&self.settings);
            }
        }
    }

    /// What there is so far.
    pub(super) fn standing(&self) -> Standing {
        let sheet = self.sheet.as_deref();
        Standing {
            line: self.best.line(),
            ceiling: sheet.map_or(100, |sheet| sheet.ceiling),
            is_ceiling_read: sheet.is_some_and(|sheet| sheet.is_read),
            proof: self.proof,
            simulations: self.simulations.load(Ordering::Acquire),
            sizes: self.teams.iter().flat_map(Team::sizes).collect(),
        }
    }

    /// A move was played. What was found goes on if the move is that of the best line; techniques
    /// that cannot go on begin anew.
    pub(super) fn advance(&mut self, id: MoveId) {
        let goes_on = self.best.advance(id);
        if !goes_on {
            self.proof = None;
        }
        for team in &mut self.teams {
            team.advance(&self.settings, id, goes_on);
        }
    }

    /// Forgets everything but the rules.
    pub(super) fn forget(&mut self) {
        self.best.clear();
        self.proof = None;
        self.teams.clear();
    }
}
