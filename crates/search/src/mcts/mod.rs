/*!
Monte Carlo tree search (UCT: Kocsis and Szepesvári 2006; survey: Browne et al. 2012).

[`worker`]s grow a [`tree`] of [`node`]s, which are stored in an [`arena`]. Each works in batches:
UCB1 selection ([`select`]) of paths from the root to a batch of leaves ([`batch`]), expansion,
playouts from all leaves together, and [`backpropagation`]. Pending visits count as a partial loss
(virtual loss), so the paths of one batch, and those of several threads, spread out. [`batch_size`]
sets the size of a batch. On engines that play one playout at a time it is one path with one
playout, by the same code.

- [`transpositions`]: positions that several paths lead to are stored once, in games with enough of
  them.
- [`bounds`]: proven bounds of goals (score-bounded search, MCTS-Solver).
- [`amaf`]: all-moves-as-first statistics in selection (RAVE, GRAVE); [`mast`]: the move-average
  sampling technique in playouts. [`guidance_trial`] finds out whether guided playouts suit the
  game.
- [`recycle`]: node recycling in a full arena.
- [`root_evaluation`]: the final move and the report.
- [`rollout_policy`]: the interface of playout policies other than the engine's own. Further players
  are built on it.
*/

mod amaf;
mod amaf_groups;
mod arena;
mod backpropagation;
mod batch;
mod batch_size;
mod bounds;
mod guidance_trial;
mod mast;
mod node;
mod recycle;
mod rollout_policy;
mod root_evaluation;
mod select;
mod selection_benchmark;
mod settings;
mod transpositions;
mod tree;
mod worker;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use ludorum_reasoner::{MoveId, ReasonError, Reasoner, Rng};

pub(crate) use backpropagation::points;
use guidance_trial::GuidanceTrial;
use ludorum_player::OptionValues;
use ludorum_player::{Position, Searcher};
use ludorum_player::{SearchContext, SearchResult};
use mast::Mast;
use node::Node;
pub(crate) use rollout_policy::{LeafBatch, RolloutPolicy, SearchBudget, StrategyLog};
use root_evaluation::RootEvaluation;
pub use selection_benchmark::SelectionBenchmark;
use settings::{Parallel, Settings};
use tree::Tree;
use worker::{BatchTask, Worker};

/// The interval at which results are published.
const PUBLISH_INTERVAL: Duration = Duration::from_millis(20);
/// The interval before the second result; every further one is twice as long, up to
/// [`PUBLISH_INTERVAL`].
const FIRST_PUBLISH: Duration = Duration::from_millis(1);
/// The deadline of a batch while pondering, which has no deadline of its own.
const PONDER_SLICE: Duration = Duration::from_millis(250);

/// Monte Carlo tree search.
#[derive(Debug)]
pub struct Mcts<R: Reasoner> {
    settings: Settings,
    /// One tree, or one for each thread in root parallelisation.
    trees: Vec<Tree<R::State>>,
    workers: Vec<Worker<R::State>>,
    /// The reasoners of all threads but the first.
    forks: Vec<R>,
    mast: Option<Mast>,
    /// Decides whether playouts follow `mast`.
    trial: Option<GuidanceTrial<R>>,
    /// The rollout policy of each worker; empty if the engine plays alone.
    rollouts: Vec<Box<dyn RolloutPolicy<R>>>,
    /// The statistics of their strategies.
    strategy_log: Arc<StrategyLog>,
    rng: Rng,
}

impl<R: Reasoner + 'static> Mcts<R> {
    /// A search with rollout policies, which write their statistics into the log.
    pub(crate) fn with_rollouts(
        options: &OptionValues,
        reasoner: &R,
        strategy_log: Arc<StrategyLog>,
        rollout: impl FnMut(usize) -> Box<dyn RolloutPolicy<R>>,
    ) -> Self {
        let mut mcts = Self::new(options, reasoner);
        mcts.rollouts = (0..mcts.workers.len()).map(rollout).collect();
        mcts.strategy_log = strategy_log;
        mcts
    }

    /// Adds a trial, by a search with these options, of whether rollouts are to be guided. They are
    /// guided unless the trial decides otherwise.
    pub(crate) fn with_guidance_trial(mut self, options: &OptionValues, reasoner: &R) -> Self {
        let settings = Settings::new(options);
        if let Some(guidance) = settings.guidance {
            let roles = reasoner.roles().len();
            self.mast = Some(Mast::new(roles, guidance.epsilon, false));
            self.trial = Some(GuidanceTrial::new(options).with_guided_prior());
        }
        self
    }

    /// Makes the searcher from its options.
    pub fn new(options: &OptionValues, reasoner: &R) -> Self {
        let settings = Settings::new(options);
        let threads = settings.threads.max(1);
        let (trees, workers) = match settings.parallel {
            Parallel::Tree => (1, threads),
            Parallel::Root => (threads, threads),
            Parallel::Leaf => (1, 1),
        };
        let roles = reasoner.roles().len();
        Self {
            trees: (0..trees)
                .map(|_| Tree::new(settings.bytes / trees, settings.sharing))
                .collect(),
            workers: (0..workers)
                .map(|number| Worker::new(number, settings.seed))
                .collect(),
            forks: (1..threads).map(|_| reasoner.fork()).collect(),
            mast: settings.guidance.map(|guidance| {
                let mast = Mast::new(roles, guidance.epsilon, settings.ngrams);
                if guidance.is_certain {
                    mast.decide(true);
                }
                mast
            }),
            trial: settings
                .guidance
                .filter(|guidance| !guidance.is_certain)
                .map(|_| GuidanceTrial::new(options)),
            rollouts: Vec::new(),
            strategy_log: Arc::default(),
            rng: Rng::new(settings.seed.wrapping_add(1)),
            settings,
        }
    }
}

/// The first thread's view of the search: it keeps the clock, publishes results and decides when to
/// stop.
struct SearchMonitor<'a, S> {
    trees: &'a [Tree<S>],
    settings: &'a Settings,
    position: &'a Position<S>,
    context: &'a SearchContext,
    strategy_log: &'a StrategyLog,
    begin: Instant,
    published: Instant,
    pause: Duration,
    /// Whether part of the time goes into a trial. The simulation rate is no estimate then.
    is_on_trial: bool,
    /// The policy on trial.
    mast: Option<&'a Mast>,
    /// Cloned for each published result, so that the number of results does not change the search.
    rng: Rng,
}

impl<S: Clone + Eq> SearchMonitor<'_, S> {
    fn simulations(&self) -> u64 {
        let all = self.trees.iter();
        all.map(|tree| tree.simulations.load(Ordering::Acquire))
            .sum()
    }

    fn root_evaluation(&self) -> RootEvaluation {
        RootEvaluation::new(self.trees, self.position.role, self.settings.choice)
    }

    /// Whether to stop.
    fn is_done(&mut self) -> bool {
        // A trial may begin late, when the engine has become fast enough.
        let is_tried = |mast: &Mast| mast.is_on_trial() && mast.is_followed();
        self.is_on_trial |= self.mast.is_some_and(is_tried);
        let made = self.simulations();
        if self.context.is_over()
            || (self.settings.simulations > 0 && made >= self.settings.simulations)
        {
            return true;
        }
        let now = Instant::now();
        let is_time = now.duration_since(self.published) >= self.pause;
        if self.is_solved() {
            return true;
        }
        if !is_time && self.settings.simulations == 0 && made > 0 {
            return false;
        }
        let evaluation = self.root_evaluation();
        if is_time {
            self.published = now;
            self.pause = (self.pause * 2).min(PUBLISH_INTERVAL);
            self.publish();
        }
        // Pondering searches the replies to all moves, so it does not stop early.
        if self.context.deadline.is_none() || !self.settings.early {
            return false;
        }
        evaluation.is_decided()
            || evaluation
                .lead()
                .is_some_and(|lead| lead > self.left(made, now))
    }

    /// Whether the goals of all roles are proven.
    fn is_solved(&self) -> bool {
        self.trees.iter().any(|tree| {
            let root = tree.arena.lock(tree.root());
            root.node().is_none_or(Node::is_solved)
        })
    }

    /// An upper estimate of the simulations to come.
    #[allow(clippy::cast_precision_loss, clippy::cast_sign_loss)] // an estimate
    fn left(&self, made: u64, now: Instant) -> u64 {
        let budget = self.settings.left(made);
        let elapsed = now.duration_since(self.begin).as_secs_f64();
        let time = match self.context.deadline {
            // The rate is known only after some time. With a simulation budget the result must not
            // depend on the clock.
            Some(until) if elapsed > 0.05 && budget == u64::MAX && !self.is_on_trial => {
                let left = until.saturating_duration_since(now).as_secs_f64();
                // Engines may become faster during the search.
                (2.0 * left * made as f64 / elapsed) as u64
            }
            _ => u64::MAX,
        };
        budget.min(time)
    }

    fn publish(&mut self) {
        if let Some(result) = self
            .root_evaluation()
            .search_result(self.trees, &mut self.rng.clone())
        {
            self.context.publish(SearchResult {
                strategies: self.strategy_log.read(),
                ..result
            });
        }
    }
}

impl<R: Reasoner + 'static> Searcher<R> for Mcts<R> {
    fn search(
        &mut self,
        reasoner: &mut R,
        position: &Position<R::State>,
        context: &SearchContext,
    ) -> Result<(), ReasonError> {
        let own = &position.legal[position.role];
        context.publish(SearchResult::guess(own[self.rng.below(own.len())]));
        if position.legal.iter().any(Vec::is_empty) || reasoner.is_terminal(&position.state)? {
            return Ok(());
        }
        let roles = position.legal.len();
        for tree in &mut self.trees {
            let bytes = reasoner.state_bytes(&position.state);
            let (rng, mast) = (&mut self.rng, self.mast.as_ref());
            let order = |role: usize, moves: &mut [MoveId]| order_moves(rng, mast, role, moves);
            tree.set_root(&position.state, &position.legal, order, || {
                let mut node = Node::new(position.state.clone(), roles);
                node.bytes = worker::bytes(bytes, &node);
                node
            });
            tree.simulations.store(0, Ordering::Release);
            tree.playouts.store(0, Ordering::Release);
        }
        let now = Instant::now();
        let task = BatchTask {
            settings: &self.settings,
            mast: self.mast.as_ref(),
            only: position.chosen.map(|id| (position.role, id)),
        };
        let mut monitor = SearchMonitor {
            trees: &self.trees,
            settings: &self.settings,
            position,
            context,
            strategy_log: &self.strategy_log,
            begin: now,
            published: now,
            pause: FIRST_PUBLISH,
            mast: self.mast.as_ref(),
            is_on_trial: match (&self.trial, &self.mast) {
                (Some(trial), Some(mast)) => trial.will_continue(reasoner, mast),
                _ => false,
            },
            rng: Rng::new(self.rng.next_u64()),
        };
        for rollout in &mut self.rollouts {
            rollout.begin(SearchBudget {
                until: context.deadline,
                simulations: self.settings.simulations,
            });
        }
        let threads = SearchThreads {
            workers: &mut self.workers,
            rollouts: &mut self.rollouts,
            reasoner,
            forks: &mut self.forks,
            trial: self.trial.as_mut(),
            root: &position.state,
        };
        let result = search(&self.trees, threads, task, context, &mut || {
            monitor.is_done()
        });
        monitor.publish();
        result
    }

    fn advance(&mut self, joint_move: &[MoveId], state: &R::State) {
        for tree in &mut self.trees {
            tree.advance(joint_move, state);
        }
        if let Some(mast) = &self.mast {
            mast.discount();
        }
    }

    fn reset(&mut self) {
        for tree in &mut self.trees {
            tree.clear();
        }
    }
}

/// Sorts the moves of a role in the order in which they are tried: at random, or by MAST if it is
/// followed.
fn order_moves(rng: &mut Rng, mast: Option<&Mast>, role: usize, moves: &mut [MoveId]) {
    for i in (1..moves.len()).rev() {
        moves.swap(i, rng.below(i + 1));
    }
    if let Some(mast) = mast.filter(|mast| mast.is_followed()) {
        mast.sort(role, moves);
    }
}

/// The threads of a search and what they work with.
struct SearchThreads<'a, R: Reasoner> {
    workers: &'a mut [Worker<R::State>],
    rollouts: &'a mut [Box<dyn RolloutPolicy<R>>],
    /// The reasoner of the first worker.
    reasoner: &'a mut R,
    /// The reasoners of the other workers and of helpers.
    forks: &'a mut [R],
    trial: Option<&'a mut GuidanceTrial<R>>,
    root: &'a R::State,
}

/// Runs all workers until `is_done`, which the first worker evaluates after each batch.
fn search<R: Reasoner + 'static>(
    trees: &[Tree<R::State>],
    threads: SearchThreads<'_, R>,
    task: BatchTask<'_>,
    context: &SearchContext,
    is_done: &mut dyn FnMut() -> bool,
) -> Result<(), ReasonError> {
    let stop = AtomicBool::new(false);
    let SearchThreads {
        workers,
        rollouts,
        reasoner,
        forks,
        mut trial,
        root,
    } = threads;
    for fork in &mut *forks {
        fork.set_cancel(Some(context.cancel_flag()));
    }
    let [first, others @ ..] = workers else {
        return Ok(());
    };
    let Some(first_tree) = trees.first() else {
        return Ok(());
    };
    let mut rollouts = rollouts.iter_mut();
    let mut first_rollout = rollouts.next();
    // The reasoners of the other workers, and those that help the first worker with its leaves.
    let (partners, helpers) = forks.split_at_mut(others.len().min(forks.len()));
    std::thread::scope(|scope| {
        for (i, (worker, reasoner)) in others.iter_mut().zip(partners).enumerate() {
            let tree = trees.get(i + 1).unwrap_or(first_tree);
            let stop = &stop;
            let mut rollout = rollouts.next();
            let work = move || {
                let mut go_on = Ok(());
                let is_spent = || {
                    let made = tree.simulations.load(Ordering::Acquire);
                    task.settings.left(made) == 0
                };
                while go_on.is_ok()
                    && !stop.load(Ordering::Acquire)
                    && !context.is_over()
                    && !is_spent()
                {
                    go_on = with_deadline(context, reasoner, &mut [], |reasoner, none| {
                        let rollout = rollout.as_deref_mut();
                        worker
                            .run_batch(tree, reasoner, none, rollout, task)
                            .map(|_| ())
                    });
                }
            };
            // Without the thread the other workers do its work.
            let _ = std::thread::Builder::new().spawn_scoped(scope, work);
        }
        let mut result = Ok(());
        let began = Instant::now();
        while result.is_ok() && !is_done() {
            let begin = Instant::now();
            let mut made = 0;
            result = with_deadline(context, reasoner, helpers, |reasoner, helpers| {
                let rollout = first_rollout.as_deref_mut();
                made = first.run_batch(first_tree, reasoner, helpers, rollout, task)?;
                Ok(())
            });
            if let (Ok(()), Some(trial), Some(mast)) = (&result, &mut trial, task.mast) {
                trial.record_search(made, begin.elapsed());
                // A step of a trial may be long, so a result is published first.
                if task.settings.simulations > 0 || began.elapsed() > 2 * PUBLISH_INTERVAL {
                    trial.go_on(reasoner, mast, root, context, began);
                }
            }
        }
        stop.store(true, Ordering::Release);
        result
    })
}

/// Runs a batch with the deadline of the search. While pondering the batch ends after
/// [`PONDER_SLICE`], which is no error.
fn with_deadline<R: Reasoner>(
    context: &SearchContext,
    reasoner: &mut R,
    helpers: &mut [R],
    work: impl FnOnce(&mut R, &mut [R]) -> Result<(), ReasonError>,
) -> Result<(), ReasonError> {
    let deadline = match context.deadline {
        Some(until) => until,
        None => Instant::now() + PONDER_SLICE,
    };
    reasoner.set_deadline(Some(deadline));
    for helper in &mut *helpers {
        helper.set_deadline(Some(deadline));
    }
    match work(reasoner, helpers) {
        Err(ReasonError::Stopped) if context.deadline.is_none() => Ok(()),
        result => result,
    }
}
