/*!
Monte Carlo tree search.

A [`tree`] of [`node`]s in an [`arena`] is grown by [`worker`]s. Each works in batches: it finds
ways from the root to leaves ([`batch`], [`select`]), opens nodes and works out states, has the
engine play from all leaves together, and takes the results back to the root. A way counts as taken,
and a little as lost, until its result is there (virtual loss), so that the ways of one batch, and
those of several threads, spread out. [`size`] says how large a batch is; on engines that play one
playout at a time it is one way with one playout, by the same code.

Positions that several ways lead to are found in a [`table`] and kept once, in games that have
enough of them. What is certain is kept as [`bounds`] of the goals. A full arena is [`recycle`]d.
[`choose`] makes the move out of the root. Playouts can be left to a [`rollout`], which is how other
players are built on this tree.
*/

mod amaf;
mod arena;
mod back_up;
mod batch;
mod bounds;
mod choose;
mod lineage;
mod mast;
mod node;
mod recycle;
mod rollout;
mod select;
mod selection_benchmark;
mod settings;
mod size;
mod table;
mod tree;
mod trial;
mod worker;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use ludorum_reasoner::{MoveId, ReasonError, Reasoner, Rng};

pub(crate) use back_up::points;
use choose::Verdict;
use ludorum_player::OptionValues;
use ludorum_player::{Position, Searcher};
use ludorum_player::{SearchContext, SearchResult};
use mast::Mast;
use node::Node;
pub(crate) use rollout::{Leaves, Ledger, Rollout, Span};
pub use selection_benchmark::SelectionBenchmark;
use settings::{Parallel, Settings};
use tree::Tree;
use trial::Trial;
use worker::{Task, Worker};

/// How often the state of things is shown while thinking,
const SHOWN_EVERY: Duration = Duration::from_millis(20);
/// and how soon for the first time; each pause is twice the one before.
const FIRST_SHOWN: Duration = Duration::from_millis(1);
/// While pondering an engine is interrupted now and then: nobody has said when it will end.
const PONDERED_FOR: Duration = Duration::from_millis(250);

/// The mind of `mcts`.
#[derive(Debug)]
pub struct Mcts<R: Reasoner> {
    settings: Settings,
    /// One, or one for each thread.
    trees: Vec<Tree<R::State>>,
    workers: Vec<Worker<R::State>>,
    /// Reasoners for all threads but the first.
    forks: Vec<R>,
    mast: Option<Mast>,
    /// Finds out whether to follow it.
    trial: Option<Trial<R>>,
    /// One for each worker, or none if the engine plays.
    rollouts: Vec<Box<dyn Rollout<R>>>,
    /// What they have earned.
    ledger: Arc<Ledger>,
    rng: Rng,
}

impl<R: Reasoner + 'static> Mcts<R> {
    /// A search whose playouts are made by others; they write into the ledger.
    pub(crate) fn with_rollouts(
        options: &OptionValues,
        reasoner: &R,
        ledger: Arc<Ledger>,
        rollout: impl FnMut(usize) -> Box<dyn Rollout<R>>,
    ) -> Self {
        let mut mcts = Self::new(options, reasoner);
        mcts.rollouts = (0..mcts.workers.len()).map(rollout).collect();
        mcts.ledger = ledger;
        mcts
    }

    /// The same with a trial, by such a search, of whether rollouts are to be guided. They are
    /// unless it tells otherwise.
    pub(crate) fn with_trial(mut self, options: &OptionValues, reasoner: &R) -> Self {
        let settings = Settings::new(options);
        if let Some(guidance) = settings.guidance {
            let roles = reasoner.roles().len();
            self.mast = Some(Mast::new(roles, guidance.epsilon, false));
            self.trial = Some(Trial::new(options).of_the_usual());
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
                .map(|_| Trial::new(options)),
            rollouts: Vec::new(),
            ledger: Arc::default(),
            rng: Rng::new(settings.seed.wrapping_add(1)),
            settings,
        }
    }
}

/// What the first thread does besides its share of the work: it looks at the clock and shows what
/// is found.
struct Lead<'a, S> {
    trees: &'a [Tree<S>],
    settings: &'a Settings,
    position: &'a Position<S>,
    context: &'a SearchContext,
    ledger: &'a Ledger,
    begin: Instant,
    shown: Instant,
    pause: Duration,
    /// Whether some of the time went into a trial, so that what was made in it says little about
    /// what will be,
    is_on_trial: bool,
    /// and whose trial that is.
    mast: Option<&'a Mast>,
    /// The same for every show, so that their number makes no difference.
    rng: Rng,
}

impl<S: Clone + Eq> Lead<'_, S> {
    fn simulations(&self) -> u64 {
        let all = self.trees.iter();
        all.map(|tree| tree.simulations.load(Ordering::Acquire))
            .sum()
    }

    fn verdict(&self) -> Verdict {
        Verdict::new(self.trees, self.position.role, self.settings.choice)
    }

    /// Whether to stop.
    fn is_done(&mut self) -> bool {
        // It may begin when an engine has become fast enough for it.
        let is_tried = |mast: &Mast| mast.is_on_trial() && mast.is_followed();
        self.is_on_trial |= self.mast.is_some_and(is_tried);
        let made = self.simulations();
        if self.context.is_over()
            || (self.settings.simulations > 0 && made >= self.settings.simulations)
        {
            return true;
        }
        let now = Instant::now();
        let is_time = now.duration_since(self.shown) >= self.pause;
        if self.is_solved() {
            return true;
        }
        if !is_time && self.settings.simulations == 0 && made > 0 {
            return false;
        }
        let verdict = self.verdict();
        if is_time {
            self.shown = now;
            self.pause = (self.pause * 2).min(SHOWN_EVERY);
            self.publish();
        }
        // While pondering the others' moves are looked at as well.
        if self.context.deadline.is_none() || !self.settings.early {
            return false;
        }
        verdict.is_decided()
            || verdict
                .lead()
                .is_some_and(|lead| lead > self.left(made, now))
    }

    /// Whether it is proven what everybody gets.
    fn is_solved(&self) -> bool {
        self.trees.iter().any(|tree| {
            let root = tree.arena.lock(tree.root());
            root.node().is_none_or(Node::is_solved)
        })
    }

    /// How many more playouts are to be expected.
    #[allow(clippy::cast_precision_loss, clippy::cast_sign_loss)] // an estimate
    fn left(&self, made: u64, now: Instant) -> u64 {
        let budget = self.settings.left(made);
        let elapsed = now.duration_since(self.begin).as_secs_f64();
        let time = match self.context.deadline {
            // Nothing can be said about a rate before it was seen for a while, and with a budget
            // the clock is to make no difference.
            Some(until) if elapsed > 0.05 && budget == u64::MAX && !self.is_on_trial => {
                let left = until.saturating_duration_since(now).as_secs_f64();
                // Engines become faster on the way.
                (2.0 * left * made as f64 / elapsed) as u64
            }
            _ => u64::MAX,
        };
        budget.min(time)
    }

    fn publish(&mut self) {
        if let Some(thought) = self.verdict().thought(self.trees, &mut self.rng.clone()) {
            self.context.publish(SearchResult {
                strategies: self.ledger.read(),
                ..thought
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
            let order = |role: usize, moves: &mut [MoveId]| arrange(rng, mast, role, moves);
            tree.set_root(&position.state, &position.legal, order, || {
                let mut node = Node::new(position.state.clone(), roles);
                node.bytes = worker::bytes(bytes, &node);
                node
            });
            tree.simulations.store(0, Ordering::Release);
            tree.playouts.store(0, Ordering::Release);
        }
        let now = Instant::now();
        let task = Task {
            settings: &self.settings,
            mast: self.mast.as_ref(),
            only: position.chosen.map(|id| (position.role, id)),
        };
        let mut lead = Lead {
            trees: &self.trees,
            settings: &self.settings,
            position,
            context,
            ledger: &self.ledger,
            begin: now,
            shown: now,
            pause: FIRST_SHOWN,
            mast: self.mast.as_ref(),
            is_on_trial: match (&self.trial, &self.mast) {
                (Some(trial), Some(mast)) => trial.is_to_go_on(reasoner, mast),
                _ => false,
            },
            rng: Rng::new(self.rng.next_u64()),
        };
        for rollout in &mut self.rollouts {
            rollout.begin(Span {
                until: context.deadline,
                simulations: self.settings.simulations,
            });
        }
        let crew = Crew {
            workers: &mut self.workers,
            rollouts: &mut self.rollouts,
            reasoner,
            forks: &mut self.forks,
            trial: self.trial.as_mut(),
            root: &position.state,
        };
        let result = search(&self.trees, crew, task, context, &mut || lead.is_done());
        lead.publish();
        result
    }

    fn advance(&mut self, joint_move: &[MoveId], state: &R::State) {
        for tree in &mut self.trees {
            tree.advance(joint_move, state);
        }
        if let Some(mast) = &self.mast {
            mast.age();
        }
    }

    fn reset(&mut self) {
        for tree in &mut self.trees {
            tree.forget();
        }
    }
}

/// Puts the moves of a role in the order in which they are tried: any, or the best by the history
/// first.
fn arrange(rng: &mut Rng, mast: Option<&Mast>, role: usize, moves: &mut [MoveId]) {
    for i in (1..moves.len()).rev() {
        moves.swap(i, rng.below(i + 1));
    }
    if let Some(mast) = mast.filter(|mast| mast.is_followed()) {
        mast.sort(role, moves);
    }
}

/// Those who search, and what they search with.
struct Crew<'a, R: Reasoner> {
    workers: &'a mut [Worker<R::State>],
    rollouts: &'a mut [Box<dyn Rollout<R>>],
    /// The reasoner of the first worker,
    reasoner: &'a mut R,
    /// and those of the others.
    forks: &'a mut [R],
    trial: Option<&'a mut Trial<R>>,
    root: &'a R::State,
}

/// Lets all workers work until `is_done`, which the first of them asks.
fn search<R: Reasoner + 'static>(
    trees: &[Tree<R::State>],
    crew: Crew<'_, R>,
    task: Task<'_>,
    context: &SearchContext,
    is_done: &mut dyn FnMut() -> bool,
) -> Result<(), ReasonError> {
    let stop = AtomicBool::new(false);
    let Crew {
        workers,
        rollouts,
        reasoner,
        forks,
        mut trial,
        root,
    } = crew;
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
    // Forks of workers, and forks that help the first worker with its leaves.
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
                    go_on = patiently(context, reasoner, &mut [], |reasoner, none| {
                        let rollout = rollout.as_deref_mut();
                        worker.work(tree, reasoner, none, rollout, task).map(|_| ())
                    });
                }
            };
            // Without the thread the others do its work.
            let _ = std::thread::Builder::new().spawn_scoped(scope, work);
        }
        let mut result = Ok(());
        let began = Instant::now();
        while result.is_ok() && !is_done() {
            let begin = Instant::now();
            let mut made = 0;
            result = patiently(context, reasoner, helpers, |reasoner, helpers| {
                let rollout = first_rollout.as_deref_mut();
                made = first.work(first_tree, reasoner, helpers, rollout, task)?;
                Ok(())
            });
            if let (Ok(()), Some(trial), Some(mast)) = (&result, &mut trial, task.mast) {
                trial.earn(made, begin.elapsed());
                // Something is to be shown before: a step may last.
                if task.settings.simulations > 0 || began.elapsed() > 2 * SHOWN_EVERY {
                    trial.go_on(reasoner, mast, root, context, began);
                }
            }
        }
        stop.store(true, Ordering::Release);
        result
    })
}

/// Does something with the deadline that there is; without one, interrupts it after a while, which
/// is no error.
fn patiently<R: Reasoner>(
    context: &SearchContext,
    reasoner: &mut R,
    helpers: &mut [R],
    work: impl FnOnce(&mut R, &mut [R]) -> Result<(), ReasonError>,
) -> Result<(), ReasonError> {
    let deadline = match context.deadline {
        Some(until) => until,
        None => Instant::now() + PONDERED_FOR,
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
