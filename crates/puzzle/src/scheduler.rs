//! The techniques of one thread, which work in turns.
//!
//! With a budget of simulations turns are counted in positions, so that one thread does the same on
//! every run; otherwise every technique has its share of the time, and a turn ends by the clock as
//! well.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use ludorum_reasoner::{MoveId, ReasonError, Reasoner};

use crate::best_line::{BestLine, SolveMethod};
use crate::breadth_first::BreadthFirst;
use crate::factored_search::FactoredSearch;
use crate::iterative_deepening::IterativeDeepening;
use crate::nested_rollout::NestedRollout;
use crate::rule_analysis::RuleAnalysis;
use crate::settings::{Settings, TechniqueSelection};
use crate::status::OptimalityProof;
use crate::technique::{StopPoll, Technique, TechniqueContext, TechniqueStatus};
use crate::uct::UctTree;

/// The positions of a turn.
const TURN_POSITIONS: u64 = 2048;
/// A turn ends after this, and an engine is interrupted; a technique that could finish nothing gets
/// twice as much the next time.
pub(crate) const TURN_TIME: Duration = Duration::from_millis(250);
const MAX_TURN_TIME: Duration = Duration::from_mins(10);

/// The work of one stretch of a search, the same for all threads.
pub(crate) struct SearchTask<'a, R: Reasoner> {
    pub(crate) settings: &'a Settings,
    pub(crate) analysis: &'a RuleAnalysis,
    pub(crate) best: &'a BestLine,
    pub(crate) root: &'a R::State,
    pub(crate) deadline: Option<Instant>,
    /// Whether to stop.
    pub(crate) stop: &'a (dyn Fn() -> bool + Sync),
    /// The same for engines, as far as it comes from outside.
    pub(crate) cancel: &'a Arc<AtomicBool>,
    pub(crate) simulations: &'a AtomicU64,
    pub(crate) is_proven: &'a AtomicBool,
}

impl<R: Reasoner> SearchTask<'_, R> {
    pub(crate) fn should_stop(&self) -> bool {
        let value = self.best.value();
        value.is_some_and(|value| value >= self.analysis.ceiling) || (self.stop)()
    }
}

/// A technique at work.
struct ScheduledTechnique<R: Reasoner> {
    technique: Box<dyn Technique<R>>,
    /// How long it has worked, by what its time is worth.
    time: Duration,
    /// The most time of a turn.
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

/// How much time a technique gets, compared with the others: where parts are independent, nothing
/// else comes near, and what is small is best proven at once.
fn time_weight(method: SolveMethod) -> u32 {
    match method {
        SolveMethod::Factors => 6,
        SolveMethod::Breadth => 2,
        SolveMethod::Depth | SolveMethod::Tree | SolveMethod::Nested => 1,
    }
}

/// The techniques to use.
pub(crate) fn selected_methods(settings: &Settings) -> Vec<SolveMethod> {
    match settings.uses {
        TechniqueSelection::All => SolveMethod::ALL.to_vec(),
        TechniqueSelection::Only(method) => vec![method],
    }
}

/// The techniques of a thread among some.
fn methods_of_thread(
    selected_methods: &[SolveMethod],
    thread: usize,
    threads: usize,
) -> impl Iterator<Item = SolveMethod> + '_ {
    // With more threads than techniques, the last ones roll dice of their own.
    let chance = [SolveMethod::Tree, SolveMethod::Nested];
    let extra = (thread >= selected_methods.len()).then(|| chance[thread % 2]);
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
    // There may be one of those that roll dice on every thread, once the others are done.
    let each = bytes / 16 / settings.threads;
    match method {
        SolveMethod::Factors => Box::new(FactoredSearch::new(bytes / 4, seed)),
        SolveMethod::Breadth => Box::new(BreadthFirst::<R::State>::new(bytes * 3 / 8)),
        SolveMethod::Depth => Box::new(IterativeDeepening::<R::State>::new(bytes / 8, seed)),
        SolveMethod::Tree => Box::new(UctTree::<R::State>::new(settings, 3 * each, seed)),
        SolveMethod::Nested => Box::new(NestedRollout::new(each, seed)),
    }
}

/// The techniques of a thread.
pub(crate) struct TechniqueScheduler<R: Reasoner> {
    active: Vec<ScheduledTechnique<R>>,
    /// Those that wait for the next move of the match.
    suspended: Vec<ScheduledTechnique<R>>,
    /// What has no use for this puzzle, wherever it goes.
    inapplicable: Vec<SolveMethod>,
    /// Whose turn it is.
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

    /// The time of who worked least. Whoever comes to the others begins there: what these have done
    /// before is no debt to anybody.
    fn least_time(&self) -> Duration {
        let times = self.active.iter().map(|entry| entry.time);
        times.min().unwrap_or_default()
    }

    /// Calls back those who were done: they may have something to do again.
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

    /// A move was played; `goes_on` tells whether it was that of the best line. Those that cannot
    /// go on begin anew.
    pub(crate) fn advance(&mut self, settings: &Settings, id: MoveId, follows_best_line: bool) {
        let least_time = self.least_time();
        for mut entry in self.suspended.drain(..) {
            entry.time = entry.time.max(least_time);
            self.active.push(entry);
        }
        let mut made = 0;
        for entry in &mut self.active {
            let method = entry.technique.method();
            // Without the line, what others have seen to its end is no longer known: all of them
            // look again. Those that only look for one goal have seen nothing to its end.
            let stays = follows_best_line || method == SolveMethod::Factors;
            if !(entry.technique.advance(id) && stays) {
                entry.technique = make_technique(settings, method, self.seed.wrapping_add(made));
                made += 1;
            }
        }
        self.restore_missing(settings);
    }

    /// For each technique that is at work, positions and bytes.
    pub(crate) fn sizes(&self) -> Vec<(SolveMethod, u64, u64)> {
        let active = self.active.iter().chain(&self.suspended);
        let size = |entry: &ScheduledTechnique<R>| {
            let (positions, bytes) = entry.technique.size();
            (entry.technique.method(), positions, bytes)
        };
        active.map(size).collect()
    }

    /// One turn of one technique.
    pub(crate) fn turn(
        &mut self,
        task: &SearchTask<'_, R>,
        reasoner: &mut R,
    ) -> Result<Option<OptimalityProof>, ReasonError> {
        if self.active.is_empty() {
            // All systematic techniques are done and could prove nothing: what is left is chance.
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
        let turn_time = begin + entry.turn_time;
        let end = match task.deadline {
            Some(deadline) if is_timed => deadline.min(turn_time),
            Some(deadline) => deadline,
            None => turn_time,
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
        let progress = entry.technique.work(&mut context, TURN_POSITIONS);
        task.simulations
            .fetch_add(context.simulations, Ordering::AcqRel);
        let has_finished = context.simulations > 0;
        let method = entry.technique.method();
        entry.time += begin.elapsed() / time_weight(method);
        match progress {
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
            // It is asked again, with new patience; whether all time is over, others see.
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

    /// A team of all techniques in the middle of a match.
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
    fn who_is_called_back_has_no_time_to_make_up_for() {
        let (settings, mut scheduler) = scheduler();
        scheduler.active.pop();
        let count = scheduler.active.len();
        scheduler.restore_missing(&settings);
        assert_eq!(scheduler.active.len(), count + 1);
        assert_eq!(scheduler.active[count].time, Duration::from_secs(100));
    }

    #[test]
    fn who_rests_is_back_after_the_next_move() {
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
    fn every_technique_is_on_one_thread_and_no_thread_is_idle() {
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
