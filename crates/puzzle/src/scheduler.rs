//! Turns of the techniques of one thread.
//!
//! With a budget of simulations turns are measured in positions, in fixed rotation, so that one
//! thread is reproducible. Otherwise every technique has a weighted share of the time, the one with
//! the least weighted time gets the next turn, and a turn ends by the clock as well.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use ludorum_reasoner::{MoveId, ReasonError, Reasoner};

use crate::best_line::{BestLine, SolveMethod};
use crate::breadth_first::BreadthFirst;
use crate::factored_search::FactoredSearch;
use crate::iterative_deepening::IterativeDeepening;
use crate::nested_rollout::NestedRollout;
use crate::rule_analysis::PuzzleAnalysis;
use crate::settings::{Settings, TechniqueSelection};
use crate::status::OptimalityProof;
use crate::technique::{StopPoll, Technique, TechniqueContext, TechniqueStatus};
use crate::uct::UctTree;

/// Positions of a turn.
const TURN_POSITIONS: u64 = 2048;
/// Time limit of a turn, after which the engine is interrupted. It doubles for a technique that
/// could finish nothing.
pub(crate) const TURN_TIME: Duration = Duration::from_millis(250);
/// Maximal time limit of a turn.
const MAX_TURN_TIME: Duration = Duration::from_mins(10);

/// What a turn needs, the same for all threads.
pub(crate) struct SearchTask<'a, R: Reasoner> {
    pub(crate) settings: &'a Settings,
    pub(crate) analysis: &'a PuzzleAnalysis,
    pub(crate) best: &'a BestLine,
    pub(crate) root: &'a R::State,
    pub(crate) deadline: Option<Instant>,
    /// The stop condition.
    pub(crate) stop: &'a (dyn Fn() -> bool + Sync),
    /// The cancel flag of engines: the part of the stop condition that comes from outside.
    pub(crate) cancel: &'a Arc<AtomicBool>,
    pub(crate) simulations: &'a AtomicU64,
    /// Set when a technique has proven the best line optimal.
    pub(crate) is_proven: &'a AtomicBool,
}

impl<R: Reasoner> SearchTask<'_, R> {
    /// Whether the search is over.
    pub(crate) fn should_stop(&self) -> bool {
        let value = self.best.value();
        value.is_some_and(|value| value >= self.analysis.ceiling) || (self.stop)()
    }
}

/// A technique with its share of the time.
struct ScheduledTechnique<R: Reasoner> {
    technique: Box<dyn Technique<R>>,
    /// Working time divided by the technique's weight.
    time: Duration,
    /// Time limit of its next turn.
    turn_time: Duration,
}

impl<R: Reasoner> ScheduledTechnique<R> {
    fn new(technique: Box<dyn Technique<R>>, time: Duration) -> Self {
        Self {
            technique,
            time,
            turn_time: TURN_TIME,
        }
    }
}

/// Weight of a technique in the division of time. Factored search solves what no other technique
/// can, and a small puzzle is best proven at once by breadth-first search.
fn time_weight(method: SolveMethod) -> u32 {
    match method {
        SolveMethod::Factors => 6,
        SolveMethod::Breadth => 2,
        SolveMethod::Depth | SolveMethod::Tree | SolveMethod::Nested => 1,
    }
}

/// The techniques that the options select.
pub(crate) fn selected_methods(settings: &Settings) -> Vec<SolveMethod> {
    match settings.uses {
        TechniqueSelection::All => SolveMethod::ALL.to_vec(),
        TechniqueSelection::Only(method) => vec![method],
    }
}

/// The techniques of one thread.
fn methods_of_thread(
    selected_methods: &[SolveMethod],
    thread: usize,
    threads: usize,
) -> impl Iterator<Item = SolveMethod> + '_ {
    // With more threads than techniques, the remaining threads run randomised techniques with seeds
    // of their own.
    let randomised = [SolveMethod::Tree, SolveMethod::Nested];
    let extra = (thread >= selected_methods.len()).then(|| randomised[thread % 2]);
    let own = selected_methods.iter().enumerate();
    let own = own.filter(move |(i, _)| i % threads == thread);
    own.map(|(_, kind)| *kind).chain(extra)
}

/// A technique with its part of the memory.
fn make_technique<R: Reasoner + 'static>(
    settings: &Settings,
    method: SolveMethod,
    seed: u64,
) -> Box<dyn Technique<R>> {
    let bytes = settings.bytes;
    // Every thread may run the randomised techniques, once the others have ended.
    let each = bytes / 16 / settings.threads;
    match method {
        SolveMethod::Factors => Box::new(FactoredSearch::new(bytes / 4, seed)),
        SolveMethod::Breadth => Box::new(BreadthFirst::<R::State>::new(bytes * 3 / 8)),
        SolveMethod::Depth => Box::new(IterativeDeepening::<R::State>::new(bytes / 8, seed)),
        SolveMethod::Tree => Box::new(UctTree::<R::State>::new(settings, 3 * each, seed)),
        SolveMethod::Nested => Box::new(NestedRollout::new(each, seed)),
    }
}

/// The techniques of one thread.
pub(crate) struct TechniqueScheduler<R: Reasoner> {
    /// Techniques that take turns.
    active: Vec<ScheduledTechnique<R>>,
    /// Techniques that wait for the next move of the match.
    suspended: Vec<ScheduledTechnique<R>>,
    /// Techniques that cannot be used for this puzzle in any position.
    inapplicable: Vec<SolveMethod>,
    /// The number of turns so far.
    turn: usize,
    thread: usize,
    seed: u64,
}

impl<R: Reasoner + 'static> TechniqueScheduler<R> {
    pub(crate) fn new(settings: &Settings, thread: usize) -> Self {
        let mut scheduler = Self {
            active: Vec::new(),
            suspended: Vec::new(),
            inapplicable: Vec::new(),
            turn: 0,
            thread,
            seed: settings.seed.wrapping_add(thread as u64 * 1000),
        };
        scheduler.restore_missing(settings);
        scheduler
    }

    /// The least weighted time. A technique that joins starts there, so that it does not have to
    /// catch up.
    fn least_time(&self) -> Duration {
        let times = self.active.iter().map(|entry| entry.time);
        times.min().unwrap_or_default()
    }

    /// Adds the techniques of this thread that are neither active nor suspended: they may have
    /// something to do again.
    pub(crate) fn restore_missing(&mut self, settings: &Settings) {
        let least_time = self.least_time();
        for kind in methods_of_thread(&selected_methods(settings), self.thread, settings.threads) {
            let is_there = |entry: &ScheduledTechnique<R>| entry.technique.method() == kind;
            let is_there = self.active.iter().chain(&self.suspended).any(is_there);
            if !is_there && !self.inapplicable.contains(&kind) {
                let technique = make_technique(settings, kind, self.seed);
                self.active
                    .push(ScheduledTechnique::new(technique, least_time));
            }
        }
    }

    /// Advances by a move of the match; `follows_best_line` tells whether it is the first of the
    /// best line. Techniques that cannot continue are replaced by new ones.
    pub(crate) fn advance(&mut self, settings: &Settings, id: MoveId, follows_best_line: bool) {
        let least_time = self.least_time();
        for mut entry in self.suspended.drain(..) {
            entry.time = entry.time.max(least_time);
            self.active.push(entry);
        }
        let mut made = 0;
        for entry in &mut self.active {
            let method = entry.technique.method();
            // Without the best line, exhausted parts of the search would hide it, so all techniques
            // start again. Factored search looks for one goal only and has exhausted nothing.
            let stays = follows_best_line || method == SolveMethod::Factors;
            if !(entry.technique.advance(id) && stays) {
                entry.technique = make_technique(settings, method, self.seed.wrapping_add(made));
                made += 1;
            }
        }
        self.restore_missing(settings);
    }

    /// For each technique the positions and bytes that it keeps.
    pub(crate) fn sizes(&self) -> Vec<(SolveMethod, u64, u64)> {
        let active = self.active.iter().chain(&self.suspended);
        let size = |entry: &ScheduledTechnique<R>| {
            let (positions, bytes) = entry.technique.size();
            (entry.technique.method(), positions, bytes)
        };
        active.map(size).collect()
    }

    /// Runs one turn of one technique.
    pub(crate) fn turn(
        &mut self,
        task: &SearchTask<'_, R>,
        reasoner: &mut R,
    ) -> Result<Option<OptimalityProof>, ReasonError> {
        if self.active.is_empty() {
            // The systematic techniques have ended without a proof: only the randomised ones can
            // find more.
            self.seed = self.seed.wrapping_add(500);
            for method in [SolveMethod::Tree, SolveMethod::Nested] {
                let technique = make_technique(task.settings, method, self.seed);
                self.active
                    .push(ScheduledTechnique::new(technique, Duration::ZERO));
            }
        }
        let chosen = if task.settings.simulations > 0 {
            self.turn % self.active.len()
        } else {
            let times = self.active.iter().map(|entry| entry.time).enumerate();
            times.min_by_key(|(_, time)| *time).map_or(0, |(i, _)| i)
        };
        self.turn += 1;
        let entry = &mut self.active[chosen];
        let begin = Instant::now();
        let is_timed = task.settings.simulations == 0;
        let turn_end = begin + entry.turn_time;
        let end = match task.deadline {
            Some(deadline) if is_timed => deadline.min(turn_end),
            Some(deadline) => deadline,
            None => turn_end,
        };
        reasoner.set_deadline(Some(end));
        let mut context = TechniqueContext {
            reasoner,
            root: task.root,
            analysis: task.analysis,
            best: task.best,
            stop: task.stop,
            deadline: is_timed.then_some(end),
            stop_poll: StopPoll::default(),
            max_steps: task.settings.max_steps,
            positions: 0,
            simulations: 0,
        };
        let status = entry.technique.work(&mut context, TURN_POSITIONS);
        task.simulations
            .fetch_add(context.simulations, Ordering::AcqRel);
        let has_finished = context.simulations > 0;
        let method = entry.technique.method();
        entry.time += begin.elapsed() / time_weight(method);
        match status {
            Ok(TechniqueStatus::Running) => Ok(None),
            Ok(TechniqueStatus::Finished) => {
                self.active.remove(chosen);
                Ok(None)
            }
            Ok(TechniqueStatus::Suspended) => {
                let entry = self.active.remove(chosen);
                self.suspended.push(entry);
                Ok(None)
            }
            Ok(TechniqueStatus::Inapplicable) => {
                self.active.remove(chosen);
                self.inapplicable.push(method);
                Ok(None)
            }
            Ok(TechniqueStatus::Proven) => {
                task.is_proven.store(true, Ordering::Release);
                Ok(Some(OptimalityProof::Exhausted(method)))
            }
            // It continues with a longer turn. The callers check whether the whole time is over.
            Err(ReasonError::Stopped) => {
                if !has_finished {
                    entry.turn_time = entry.turn_time.saturating_mul(2).min(MAX_TURN_TIME);
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

    /// A scheduler of all techniques in the middle of a match.
    fn scheduler() -> (Settings, TechniqueScheduler<Prover>) {
        let options = OptionValues::defaults(crate::options::SOLO);
        let settings = Settings {
            threads: 1,
            ..Settings::new(&options)
        };
        let mut scheduler: TechniqueScheduler<Prover> = TechniqueScheduler::new(&settings, 0);
        for (i, entry) in (0..).zip(&mut scheduler.active) {
            entry.time = Duration::from_secs(100 + i);
        }
        (settings, scheduler)
    }

    #[test]
    fn a_restored_technique_starts_with_the_least_time() {
        let (settings, mut scheduler) = scheduler();
        scheduler.active.pop();
        let count = scheduler.active.len();
        scheduler.restore_missing(&settings);
        assert_eq!(scheduler.active.len(), count + 1);
        assert_eq!(scheduler.active[count].time, Duration::from_secs(100));
    }

    #[test]
    fn a_suspended_technique_returns_after_the_next_move() {
        let (settings, mut scheduler) = scheduler();
        let mut entry = scheduler.active.remove(0);
        let method = entry.technique.method();
        entry.time = Duration::ZERO;
        scheduler.suspended.push(entry);
        let count = scheduler.active.len();
        scheduler.restore_missing(&settings);
        assert_eq!(
            scheduler.active.len(),
            count,
            "there would be two of a kind"
        );
        scheduler.advance(&settings, MoveId::default(), true);
        assert_eq!(scheduler.active.len(), count + 1);
        let back = &scheduler.active[count];
        assert_eq!(back.technique.method(), method);
        assert_eq!(back.time, Duration::from_secs(101));
    }

    #[test]
    fn every_technique_has_a_thread_and_no_thread_is_idle() {
        for threads in 1..9 {
            let all: Vec<SolveMethod> = (0..threads)
                .flat_map(|thread| {
                    let own: Vec<SolveMethod> =
                        methods_of_thread(&SolveMethod::ALL, thread, threads).collect();
                    assert!(!own.is_empty(), "{thread} of {threads}");
                    own
                })
                .collect();
            assert!(SolveMethod::ALL.iter().all(|method| all.contains(method)));
            assert_eq!(all.len(), threads.max(SolveMethod::ALL.len()));
        }
    }
}
