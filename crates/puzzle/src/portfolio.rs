//! The portfolio of all techniques on one puzzle.
//!
//! Each thread has a [scheduler](crate::scheduler) that gives turns to its techniques. All threads
//! share the best line. One rollout comes first, so that there is a line to play even if there is
//! no time for more. The rules are [analysed in the background](crate::background_analysis)
//! meanwhile.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use ludorum_propnet::CompiledGame;
use ludorum_reasoner::{MoveId, ReasonError, Reasoner};

use crate::background_analysis::BackgroundAnalysis;
use crate::best_line::{BestLine, SolveMethod};
use crate::nested_rollout::NestedRollout;
use crate::rule_analysis::PuzzleAnalysis;
use crate::scheduler::{SearchTask, TURN_TIME, TechniqueScheduler, selected_methods};
use crate::settings::Settings;
use crate::status::{OptimalityProof, SearchStatus};
use crate::technique::{StopPoll, Technique as _, TechniqueContext};

/// The search of one puzzle.
pub(crate) struct PortfolioSearch<R: Reasoner> {
    settings: Settings,
    /// The game whose rules are analysed; `None` if only the engine is known.
    game: Option<Arc<CompiledGame>>,
    /// The rule analysis, once it is finished.
    analysis: Option<Arc<PuzzleAnalysis>>,
    /// The running rule analysis.
    background: Option<BackgroundAnalysis>,
    best: BestLine,
    /// Why the best line is optimal, if a technique has proven it.
    proof: Option<OptimalityProof>,
    /// One for each thread; empty before the first search.
    schedulers: Vec<TechniqueScheduler<R>>,
    /// Simulations of the current search, of all threads.
    simulations: AtomicU64,
}

impl<R: Reasoner + 'static> PortfolioSearch<R> {
    pub(crate) fn new(settings: Settings, game: Option<Arc<CompiledGame>>) -> Self {
        Self {
            settings,
            game,
            analysis: None,
            background: None,
            best: BestLine::default(),
            proof: None,
            schedulers: Vec::new(),
            simulations: AtomicU64::new(0),
        }
    }

    /// Searches from a position until `stop` holds or no better line can exist. `observe` is called
    /// between the turns of the first thread. `deadline` and `cancel` interrupt engines during a
    /// query. `stop` includes both conditions, and the first engine has the flag already.
    pub(crate) fn run(
        &mut self,
        reasoner: &mut R,
        root: &R::State,
        deadline: Option<Instant>,
        stop: &(dyn Fn() -> bool + Sync),
        cancel: &Arc<AtomicBool>,
        observe: &mut dyn FnMut(&SearchStatus),
    ) -> Result<(), ReasonError> {
        self.simulations.store(0, Ordering::Release);
        self.find_first_line(reasoner, root, deadline, stop)?;
        observe(&self.status());
        if self.schedulers.is_empty() {
            let threads = 0..self.settings.threads;
            let scheduler = |thread| TechniqueScheduler::new(&self.settings, thread);
            self.schedulers = threads.map(scheduler).collect();
        }
        // Most analyses finish quickly, and waiting pays off: techniques use what is known when
        // they start.
        let now = Instant::now();
        let wait_until = match deadline {
            Some(deadline) => Some(now + deadline.saturating_duration_since(now) / 4),
            // Without a deadline the result is used when it is there. With a budget of simulations
            // the search waits, so that runs are reproducible.
            None if self.settings.simulations == 0 => Some(now + TURN_TIME),
            None => None,
        };
        self.await_analysis(wait_until, stop);
        loop {
            let result =
                self.run_until_analysis_ends(reasoner, root, deadline, stop, cancel, observe);
            let status = self.status();
            observe(&status);
            if status.is_proven() {
                // An interrupted engine query does not matter any more.
                return Ok(());
            }
            let is_spent = self.settings.simulations > 0
                && self.simulations.load(Ordering::Acquire) >= self.settings.simulations;
            if result.is_err() || is_spent || self.proof.is_some() || stop() {
                return result;
            }
            // The background analysis has ended.
            self.await_analysis(Some(Instant::now()), stop);
        }
    }

    /// Searches until nothing is left to do or the background analysis ends.
    fn run_until_analysis_ends(
        &mut self,
        reasoner: &mut R,
        root: &R::State,
        deadline: Option<Instant>,
        stop: &(dyn Fn() -> bool + Sync),
        cancel: &Arc<AtomicBool>,
        observe: &mut dyn FnMut(&SearchStatus),
    ) -> Result<(), ReasonError> {
        if self.proof.is_some() {
            return Ok(());
        }
        let budget = self.settings.simulations;
        let is_proven = AtomicBool::new(false);
        let analysis = self.analysis.clone().unwrap_or_default();
        let mut schedulers = std::mem::take(&mut self.schedulers);
        let simulations = &self.simulations;
        let analysis_done = self.background.as_ref().map(BackgroundAnalysis::done_flag);
        let should_stop = || {
            let made = simulations.load(Ordering::Acquire);
            let is_set = |flag: &Arc<AtomicBool>| flag.load(Ordering::Acquire);
            (budget > 0 && made >= budget)
                || is_proven.load(Ordering::Acquire)
                || analysis_done.as_ref().is_some_and(is_set)
                || stop()
        };
        let task = SearchTask {
            settings: &self.settings,
            analysis: &analysis,
            best: &self.best,
            root,
            deadline,
            stop: &should_stop,
            cancel,
            simulations: &self.simulations,
            is_proven: &is_proven,
        };
        let (proof, result) = self.run_threads(&task, reasoner, &mut schedulers, observe);
        self.schedulers = schedulers;
        self.proof = self.proof.or(proof);
        result
    }

    /// Runs the schedulers of all threads. Returns a proof if there is one, and the error of the
    /// first thread.
    fn run_threads(
        &self,
        task: &SearchTask<'_, R>,
        reasoner: &mut R,
        schedulers: &mut [TechniqueScheduler<R>],
        observe: &mut dyn FnMut(&SearchStatus),
    ) -> (Option<OptimalityProof>, Result<(), ReasonError>) {
        let Some((first, others)) = schedulers.split_first_mut() else {
            return (None, Ok(()));
        };
        std::thread::scope(|scope| {
            let mut handles = Vec::new();
            for scheduler in others {
                let mut reasoner = reasoner.fork();
                reasoner.set_cancel(Some(Arc::clone(task.cancel)));
                let work = move || {
                    let mut proof = None;
                    while !task.should_stop() {
                        // The same error occurs on the first thread and is reported there.
                        let Ok(found) = scheduler.turn(task, &mut reasoner) else {
                            break;
                        };
                        proof = proof.or(found);
                    }
                    proof
                };
                // If the thread cannot be started, the others continue without it.
                handles.extend(std::thread::Builder::new().spawn_scoped(scope, work).ok());
            }
            let mut proof = None;
            let mut result = Ok(());
            while result.is_ok() && !task.should_stop() {
                match first.turn(task, reasoner) {
                    Ok(found) => proof = proof.or(found),
                    Err(error) => result = Err(error),
                }
                let mut status = self.status();
                status.sizes = first.sizes();
                observe(&status);
            }
            // The other threads stop by the same condition. If this thread failed, the flag stops
            // them.
            if result.is_err() {
                task.is_proven.store(true, Ordering::Release);
            }
            for handle in handles {
                proof = proof.or(handle.join().ok().flatten());
            }
            (proof, result)
        })
    }

    /// Plays one rollout if there is no line yet, so that there is always a line to play.
    fn find_first_line(
        &mut self,
        reasoner: &mut R,
        root: &R::State,
        deadline: Option<Instant>,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<(), ReasonError> {
        let is_used = selected_methods(&self.settings).contains(&SolveMethod::Nested);
        if !is_used || self.best.value().is_some() || self.proof.is_some() || stop() {
            return Ok(());
        }
        let now = Instant::now();
        let is_timed = self.settings.simulations == 0;
        let end = match deadline {
            // If half of the time is too short for a rollout, another technique may find a line.
            Some(deadline) if is_timed => now + deadline.saturating_duration_since(now) / 2,
            Some(deadline) => deadline,
            None => now + TURN_TIME,
        };
        reasoner.set_deadline(Some(end));
        let unread = PuzzleAnalysis::default();
        let mut context = TechniqueContext {
            reasoner,
            root,
            analysis: self.analysis.as_deref().unwrap_or(&unread),
            best: &self.best,
            stop: &|| stop() || (is_timed && Instant::now() >= end),
            deadline: is_timed.then_some(end),
            stop_poll: StopPoll::default(),
            max_steps: self.settings.max_steps,
            positions: 0,
            simulations: 0,
        };
        // It is dropped before the techniques exist, so it may use the share of one of them.
        let bytes = self.settings.bytes / 16;
        let result = NestedRollout::new(bytes, self.settings.seed).work(&mut context, 1);
        self.simulations
            .fetch_add(context.simulations, Ordering::AcqRel);
        match result {
            Ok(_) | Err(ReasonError::Stopped) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Starts the rule analysis at the first call, and waits for it until the deadline. A longer
    /// analysis continues in the background.
    fn await_analysis(&mut self, deadline: Option<Instant>, stop: &(dyn Fn() -> bool + Sync)) {
        if self.analysis.is_some() {
            return;
        }
        if self.background.is_none() {
            self.background = self.game.clone().map(BackgroundAnalysis::new);
        }
        self.analysis = match &self.background {
            Some(background) => background.wait(deadline, stop),
            None => Some(Arc::default()),
        };
        if self.analysis.is_some() {
            self.background = None;
            // Techniques that could not work without the analysis can start now.
            for scheduler in &mut self.schedulers {
                scheduler.restore_missing(&self.settings);
            }
        }
    }

    /// The current status.
    pub(crate) fn status(&self) -> SearchStatus {
        let analysis = self.analysis.as_deref();
        SearchStatus {
            line: self.best.line(),
            ceiling: analysis.map_or(100, |analysis| analysis.ceiling),
            is_ceiling_derived: analysis.is_some_and(|analysis| analysis.is_ceiling_derived),
            proof: self.proof,
            simulations: self.simulations.load(Ordering::Acquire),
            sizes: self
                .schedulers
                .iter()
                .flat_map(TechniqueScheduler::sizes)
                .collect(),
        }
    }

    /// Advances by a move of the match. The best line continues if the move is its first;
    /// techniques that cannot continue are replaced by new ones.
    pub(crate) fn advance(&mut self, id: MoveId) {
        let follows_best_line = self.best.advance(id);
        if !follows_best_line {
            self.proof = None;
        }
        for scheduler in &mut self.schedulers {
            scheduler.advance(&self.settings, id, follows_best_line);
        }
    }

    /// Resets everything but the rule analysis.
    pub(crate) fn reset(&mut self) {
        self.best.clear();
        self.proof = None;
        self.schedulers.clear();
    }
}
