//! One thread's work: batches of ways to leaves, playouts from there, and what came of them back to
//! the root.

use std::sync::atomic::Ordering;
use std::time::Instant;

use ludorum_reasoner::{
    GuidedRequest, GuidedResult, MoveId, PlayoutPolicy, PlayoutTotals, ReasonError, Reasoner, Rng,
    Role,
};

use super::back_up::{back_up, points};
use super::batch::{Batch, End};
use super::lineage::Lineages;
use super::mast::Mast;
use super::node::{Body, MOST, NONE, Node, NodeId, spilled};
use super::rollout::{Leaves, Rollout};
use super::settings::Settings;
use super::size::{Need, Pace, Size};
use super::table;
use super::tree::Tree;

/// Garbage that is taken apart after each leaf, in nodes: faster than new nodes come, and not
/// enough to be felt.
const TIDY: usize = 4;

/// After so many ways that end where another thread works, a batch is left as small as it is.
const MOST_IN_VAIN: usize = 8;

/// What a thread works with besides the tree.
#[derive(Debug)]
pub(super) struct Worker<S> {
    rng: Rng,
    batch: Batch<S>,
    starts: Vec<S>,
    depths: Vec<u32>,
    /// For each leaf its first place among the starts.
    places: Vec<usize>,
    pace: Pace,
}

/// A thread's own way of playing from leaves, if it has one.
type OwnRollout<'a, R> = Option<&'a mut Box<dyn Rollout<R>>>;

/// What a batch is made for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Task<'a> {
    pub(super) settings: &'a Settings,
    pub(super) mast: Option<&'a Mast>,
    /// A move that its role has already made in the root.
    pub(super) only: Option<(Role, MoveId)>,
}

impl<S: Clone + Eq + Send + Sync> Worker<S> {
    pub(super) fn new(number: usize, seed: u64) -> Self {
        Self {
            rng: Rng::new(seed.wrapping_add((number as u64) << 32)),
            batch: Batch::new(number as u32),
            starts: Vec::new(),
            depths: Vec::new(),
            places: Vec::new(),
            pace: Pace::new(),
        }
    }

    /// Makes a batch; gives how many playouts it is worth. `helpers` play from the same leaves at
    /// the same time, unless there is a rollout to do that.
    pub(super) fn work<R: Reasoner<State = S>>(
        &mut self,
        tree: &Tree<S>,
        reasoner: &mut R,
        helpers: &mut [R],
        rollout: OwnRollout<'_, R>,
        task: Task<'_>,
    ) -> Result<u64, ReasonError> {
        let made = {
            let _here = tree.enter();
            // Playouts that look at pairs of moves are played one at a time.
            let at_once = if task.settings.ngrams {
                1
            } else {
                reasoner.preferred_batch()
            };
            let mut size = self.size(tree, at_once, task.settings);
            let mut times = size.each * (helpers.len() as u32 + 1);
            if let Some(rollout) = &rollout {
                let made = tree.simulations.load(Ordering::Acquire);
                let left = task.settings.left(made);
                let left = usize::try_from(left).unwrap_or(usize::MAX);
                (size.leaves, size.each) = (rollout.leaves(reasoner).min(left).max(1), 1);
                times = 1;
            }
            self.batch.clear(times);
            let result = self.play(tree, reasoner, helpers, rollout, task, size);
            if result.is_err() {
                self.batch.undo_all(tree);
            }
            tree.collect(TIDY * self.batch.paths.len());
            result?
        };
        tree.simulations.fetch_add(made, Ordering::AcqRel);
        if made == 0 {
            // All leaves are in other hands.
            std::thread::yield_now();
        }
        if tree.is_full.load(Ordering::Acquire) {
            tree.make_room();
        }
        Ok(made)
    }

    fn size(&self, tree: &Tree<S>, engine: u32, settings: &Settings) -> Size {
        let root = tree.arena.lock(tree.root());
        let (visits, moves) = root.node().map_or((0, 0), |node| {
            let body = node.body.as_deref();
            (node.visits, body.map_or(0, |body| body.arms.len()))
        });
        let left = settings.left(tree.simulations.load(Ordering::Acquire));
        let need = Need {
            engine,
            visits,
            moves,
            left,
            each: self.pace.each(settings),
        };
        Size::new(need, settings)
    }

    /// Gives how many playouts were made, those that would have told nothing new included.
    fn play<R: Reasoner<State = S>>(
        &mut self,
        tree: &Tree<S>,
        reasoner: &mut R,
        helpers: &mut [R],
        rollout: OwnRollout<'_, R>,
        task: Task<'_>,
        size: Size,
    ) -> Result<u64, ReasonError> {
        let begin = Instant::now();
        self.find_ways(tree, task, size.leaves);
        self.open_nodes(tree, reasoner, task)?;
        self.find_states(reasoner)?;
        let found = Instant::now();
        self.find_starts();
        let tallies = match rollout {
            _ if self.starts.is_empty() => Vec::new(),
            Some(rollout) => {
                let leaves = Leaves {
                    states: &self.starts,
                    depths: &self.depths,
                    limit: task.settings.limit,
                    is_guided: task
                        .mast
                        .is_none_or(|mast| mast.is_on_trial() || mast.is_followed()),
                };
                rollout.play(reasoner, leaves, &mut self.rng)?
            }
            None => self.play_out(tree, reasoner, helpers, task, size.each)?,
        };
        let played = found.elapsed();
        self.put_nodes(tree, reasoner, &tallies);
        self.batch.undo_taken(tree);
        let made = back_up(&self.batch, tree, &tallies, task.settings);
        let playouts: u64 = tallies.iter().map(|tally| tally.playouts).sum();
        tree.playouts.fetch_add(playouts, Ordering::AcqRel);
        self.pace.learn(played, begin.elapsed());
        Ok(made)
    }

    fn find_ways(&mut self, tree: &Tree<S>, task: Task<'_>, leaves: usize) {
        // A way that ends where another thread works stays counted until the batch is done, so that
        // the next one goes elsewhere.
        let mut in_vain = 0;
        while self.batch.paths.len() < leaves + in_vain {
            if self.batch.descend(tree, task.settings, task.only) == End::Taken {
                in_vain += 1;
                if in_vain > MOST_IN_VAIN {
                    break;
                }
            }
        }
    }

    /// Opens nodes that were reached for the second time, and goes on from there.
    fn open_nodes<R: Reasoner<State = S>>(
        &mut self,
        tree: &Tree<S>,
        reasoner: &mut R,
        task: Task<'_>,
    ) -> Result<(), ReasonError> {
        let mut closed: Vec<(NodeId, usize)> = Vec::new();
        for (i, path) in self.batch.paths.iter().enumerate() {
            if let End::Closed(id) = path.end {
                closed.push((id, i));
            }
        }
        if closed.is_empty() {
            return Ok(());
        }
        let mut nodes: Vec<NodeId> = closed.iter().map(|(id, _)| *id).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let state = |id: &NodeId| {
            let slot = tree.arena.lock(*id);
            slot.node().map(|node| (*id, node.state.clone()))
        };
        let (nodes, states): (Vec<NodeId>, Vec<S>) = nodes.iter().filter_map(state).unzip();
        if reasoner.preferred_batch() > 1 {
            let surveys = reasoner.summaries(&states)?;
            for (id, survey) in nodes.iter().zip(surveys) {
                self.open(tree, *id, &survey.legal, task);
            }
        } else {
            let mut legal = vec![Vec::new(); reasoner.roles().len()];
            for (id, state) in nodes.iter().zip(&states) {
                for (role, moves) in legal.iter_mut().enumerate() {
                    reasoner.legal_moves(state, role, moves)?;
                }
                self.open(tree, *id, &legal, task);
            }
        }
        for (id, path) in closed {
            self.batch.go_on(tree, task.settings, path, id);
            if let End::Closed(id) = self.batch.paths[path].end {
                self.batch.play_from(tree, path, id);
            }
        }
        Ok(())
    }

    /// Gives a node its moves, if there is room for them.
    fn open(&mut self, tree: &Tree<S>, id: NodeId, legal: &[Vec<MoveId>], task: Task<'_>) {
        // A node without a legal move for everybody is an end, which its playouts have told; it is
        // not opened.
        if legal.iter().any(Vec::is_empty) {
            return;
        }
        let rng = &mut self.rng;
        let body = Body::new(legal, |role, moves| {
            super::arrange(rng, task.mast, role, moves);
        });
        let bytes = body.bytes();
        if !tree.arena.reserve(bytes) {
            tree.set_full();
            return;
        }
        if let Some(node) = tree.arena.lock(id).node_mut()
            && node.body.is_none()
        {
            node.bytes += bytes;
            node.body = Some(Box::new(body));
        } else {
            tree.arena.release(bytes);
        }
    }

    /// Works out the states of new leaves.
    fn find_states<R: Reasoner<State = S>>(&mut self, reasoner: &mut R) -> Result<(), ReasonError> {
        let leaves = &mut self.batch.leaves;
        let moves: Vec<(&S, &[MoveId])> = leaves
            .iter()
            .filter_map(|leaf| Some((leaf.state.as_ref()?, leaf.joint_move.as_deref()?)))
            .collect();
        let states = reasoner.next_states(&moves)?;
        debug_assert_eq!(states.len(), moves.len(), "a state for each move");
        let mut states = states.into_iter();
        for leaf in leaves.iter_mut().filter(|leaf| leaf.joint_move.is_some()) {
            if let Some(state) = states.next() {
                leaf.state = Some(state);
            }
        }
        Ok(())
    }

    /// The states of paths that end at a leaf, in the order of paths.
    fn find_starts(&mut self) {
        let batch = &mut self.batch;
        self.starts.clear();
        self.depths.clear();
        self.places.clear();
        self.places.resize(batch.leaves.len(), usize::MAX);
        for number in 0..batch.paths.len() {
            let path = batch.paths[number];
            if let End::Leaf(leaf) = path.end {
                let leaf = leaf as usize;
                // Most leaves are the end of one path; only the others are copied, from where the
                // first path put them.
                let start = match batch.leaves[leaf].state.take() {
                    Some(state) => {
                        self.places[leaf] = self.starts.len();
                        state
                    }
                    None => self.starts[self.places[leaf]].clone(),
                };
                self.starts.push(start);
                self.depths.push(batch.steps_of(path).len() as u32);
            }
        }
    }

    /// Playouts for each path that ends at a leaf, in the order of paths.
    fn play_out<R: Reasoner<State = S>>(
        &mut self,
        tree: &Tree<S>,
        reasoner: &mut R,
        helpers: &mut [R],
        task: Task<'_>,
        each: u32,
    ) -> Result<Vec<PlayoutTotals>, ReasonError> {
        let lineages = match task.settings.grave {
            Some(_) => Lineages::new(tree, &self.batch),
            None => Lineages::default(),
        };
        let unguided = PlayoutPolicy {
            epsilon: 1.0,
            ..PlayoutPolicy::default()
        };
        let starts = &self.starts;
        let limit = task.settings.limit;
        let mast = task.mast.filter(|mast| mast.is_followed());
        let play = |reasoner: &mut R, rng: &mut Rng| {
            if mast.is_none() && task.settings.grave.is_none() {
                return reasoner.playouts(starts, each, rng, limit);
            }
            let guide = mast.map(Mast::guide);
            let wanted = GuidedRequest {
                starts,
                groups: &lineages.groups,
                each,
                policy: guide.as_deref().unwrap_or(&unguided),
                limit,
                // With a budget the clock is to make no difference.
                wait_until_ready: task.settings.simulations > 0,
            };
            let GuidedResult {
                totals: tallies,
                histories,
            } = reasoner.guided_playouts(&wanted, rng)?;
            for history in &histories {
                if let Some(mast) = mast {
                    mast.learn(history);
                }
            }
            lineages.learn(tree, &histories);
            Ok(tallies)
        };
        if helpers.is_empty() {
            return play(reasoner, &mut self.rng);
        }
        let rng = &mut self.rng;
        std::thread::scope(|scope| {
            let threads: Vec<_> = helpers
                .iter_mut()
                .map(|helper| {
                    let mut rng = Rng::new(rng.next_u64());
                    let play = &play;
                    scope.spawn(move || play(helper, &mut rng))
                })
                .collect();
            let mut tallies = play(reasoner, rng)?;
            for thread in threads {
                // A helper's panic is an engine's, and ends the search as it would without helpers.
                let more = thread
                    .join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
                for (tally, more) in tallies.iter_mut().zip(&more) {
                    tally.merge(more);
                }
            }
            Ok(tallies)
        })
    }

    /// Puts new leaves into the tree.
    fn put_nodes<R: Reasoner<State = S>>(
        &mut self,
        tree: &Tree<S>,
        reasoner: &R,
        tallies: &[PlayoutTotals],
    ) {
        let roles = reasoner.roles().len();
        let at_leaf = self.batch.paths.iter();
        let at_leaf = at_leaf.filter_map(|path| match path.end {
            End::Leaf(leaf) => Some(leaf as usize),
            _ => None,
        });
        let mut outcomes: Vec<Option<(&PlayoutTotals, S)>> = Vec::new();
        outcomes.resize_with(self.batch.leaves.len(), || None);
        for ((leaf, tally), state) in at_leaf.zip(tallies).zip(self.starts.drain(..)) {
            // What was never played from is not known to be an end.
            if tally.playouts > 0 {
                outcomes[leaf] = Some((tally, state));
            }
        }
        for (number, outcome) in outcomes.into_iter().enumerate() {
            let leaf = &self.batch.leaves[number];
            let Some((tally, state)) = outcome else {
                self.batch.abandon(tree, leaf);
                self.batch.leaves[number].id = NONE;
                continue;
            };
            if leaf.id == NONE || leaf.joint_move.is_none() {
                continue;
            }
            let key = tree.table.is_used();
            let key = key.then(|| reasoner.key(&state) as u64);
            if let Some(key) = key {
                let shared = tree.share(key, &state);
                tree.table.learn(shared.is_some());
                if let Some(shared) = shared {
                    self.batch.redirect(tree, leaf, shared);
                    self.batch.leaves[number].id = shared;
                    continue;
                }
            }
            let mut node = Node::new(state, roles);
            node.bytes = bytes(reasoner.state_bytes(&node.state), &node);
            // The first step of a playout is missing only where the game is over or somebody cannot
            // move.
            if tally.steps == 0 && tally.limited == 0 {
                node.is_end = true;
                for (role, share) in node.shares.iter_mut().enumerate() {
                    let goal = points(tally, role) / tally.playouts.max(1);
                    share.low = goal.min(u64::from(MOST)) as u8;
                    share.high = share.low;
                }
            }
            node.key = key;
            node.bytes += if key.is_some() { table::ENTRY } else { 0 };
            if tree.arena.reserve(node.bytes) {
                tree.arena.put(leaf.id, node);
                if let Some(key) = key {
                    tree.table.put(key, leaf.id);
                }
            } else {
                tree.set_full();
                self.batch.abandon(tree, leaf);
                self.batch.leaves[number].id = NONE;
            }
        }
    }
}

/// The bytes of a node outside its slot, for a state of so many bytes.
pub(super) fn bytes<S>(state_bytes: usize, node: &Node<S>) -> usize {
    state_bytes.saturating_sub(size_of::<S>()) + spilled(&node.shares)
}
