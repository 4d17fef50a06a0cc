//! The work of one search thread: selection of a batch of leaves, expansion, playouts,
//! backpropagation.

use std::sync::atomic::Ordering;
use std::time::Instant;

use ludorum_reasoner::{
    GuidedRequest, GuidedResult, MoveId, PlayoutPolicy, PlayoutTotals, ReasonError, Reasoner, Rng,
    Role,
};

use super::amaf_groups::AmafGroups;
use super::backpropagation::{backpropagate, points};
use super::batch::{Batch, PathEnd};
use super::batch_size::{BatchRequest, BatchSize, PlayoutsPerLeaf};
use super::mast::Mast;
use super::node::{Expansion, MAX_GOAL, NONE, Node, NodeId, spilled};
use super::rollout_policy::{LeafBatch, RolloutPolicy};
use super::settings::Settings;
use super::transpositions;
use super::tree::Tree;

/// Nodes of garbage that are freed after each path. This is faster than new nodes come, and too
/// little to be noticed.
const COLLECTED_PER_PATH: usize = 4;

/// The number of paths ending at leaves of other threads after which a batch is played as it is.
const MAX_COLLISIONS: usize = 8;

/// The buffers of a search thread.
#[derive(Debug)]
pub(super) struct Worker<S> {
    rng: Rng,
    batch: Batch<S>,
    starts: Vec<S>,
    depths: Vec<u32>,
    /// For each leaf its first index among the starts.
    places: Vec<usize>,
    playouts_per_leaf: PlayoutsPerLeaf,
}

/// The rollout policy of the thread, if the engine does not play alone.
type OwnPolicy<'a, R> = Option<&'a mut Box<dyn RolloutPolicy<R>>>;

/// What all batches of a search have in common.
#[derive(Clone, Copy, Debug)]
pub(super) struct BatchTask<'a> {
    pub(super) settings: &'a Settings,
    pub(super) mast: Option<&'a Mast>,
    /// A move that its role has already made at the root.
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
            playouts_per_leaf: PlayoutsPerLeaf::new(),
        }
    }

    /// Runs one batch, and gives how many simulations it counts for. `helpers` play from the same
    /// leaves at the same time (leaf parallelisation), unless there is a rollout policy.
    pub(super) fn run_batch<R: Reasoner<State = S>>(
        &mut self,
        tree: &Tree<S>,
        reasoner: &mut R,
        helpers: &mut [R],
        rollout: OwnPolicy<'_, R>,
        task: BatchTask<'_>,
    ) -> Result<u64, ReasonError> {
        let made = {
            let _here = tree.read_access();
            // Playouts guided by N-grams are played one at a time.
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
            tree.collect(COLLECTED_PER_PATH * self.batch.paths.len());
            result?
        };
        tree.simulations.fetch_add(made, Ordering::AcqRel);
        if made == 0 {
            // All leaves belong to other threads.
            std::thread::yield_now();
        }
        if tree.is_full.load(Ordering::Acquire) {
            tree.make_room();
        }
        Ok(made)
    }

    fn size(&self, tree: &Tree<S>, engine: u32, settings: &Settings) -> BatchSize {
        let root = tree.arena.lock(tree.root());
        let (visits, moves) = root.node().map_or((0, 0), |node| {
            let expansion = node.expansion.as_deref();
            (
                node.visits,
                expansion.map_or(0, |expansion| expansion.edges.len()),
            )
        });
        let left = settings.left(tree.simulations.load(Ordering::Acquire));
        let need = BatchRequest {
            engine,
            visits,
            moves,
            left,
            each: self.playouts_per_leaf.each(settings),
        };
        BatchSize::new(need, settings)
    }

    /// Gives the number of simulations, visits of solved nodes included.
    fn play<R: Reasoner<State = S>>(
        &mut self,
        tree: &Tree<S>,
        reasoner: &mut R,
        helpers: &mut [R],
        rollout: OwnPolicy<'_, R>,
        task: BatchTask<'_>,
        size: BatchSize,
    ) -> Result<u64, ReasonError> {
        let begin = Instant::now();
        self.select_leaves(tree, task, size.leaves);
        self.expand_nodes(tree, reasoner, task)?;
        self.compute_states(reasoner)?;
        let found = Instant::now();
        self.collect_starts();
        let tallies = match rollout {
            _ if self.starts.is_empty() => Vec::new(),
            Some(rollout) => {
                let leaves = LeafBatch {
                    states: &self.starts,
                    depths: &self.depths,
                    limit: task.settings.limit,
                    is_guided: task
                        .mast
                        .is_none_or(|mast| mast.is_on_trial() || mast.is_followed()),
                };
                rollout.play(reasoner, leaves, &mut self.rng)?
            }
            None => self.run_playouts(tree, reasoner, helpers, task, size.each)?,
        };
        let played = found.elapsed();
        self.add_nodes(tree, reasoner, &tallies);
        self.batch.undo_busy(tree);
        let made = backpropagate(&self.batch, tree, &tallies, task.settings);
        let playouts: u64 = tallies.iter().map(|tally| tally.playouts).sum();
        tree.playouts.fetch_add(playouts, Ordering::AcqRel);
        self.playouts_per_leaf.learn(played, begin.elapsed());
        Ok(made)
    }

    fn select_leaves(&mut self, tree: &Tree<S>, task: BatchTask<'_>, leaves: usize) {
        // A path that ends at a leaf of another thread keeps its pending visits until the batch is
        // done, so that the next path goes elsewhere.
        let mut collisions = 0;
        while self.batch.paths.len() < leaves + collisions {
            if self.batch.select_path(tree, task.settings, task.only) == PathEnd::Busy {
                collisions += 1;
                if collisions > MAX_COLLISIONS {
                    break;
                }
            }
        }
    }

    /// Expands the nodes that were reached for the second time, and continues their paths.
    fn expand_nodes<R: Reasoner<State = S>>(
        &mut self,
        tree: &Tree<S>,
        reasoner: &mut R,
        task: BatchTask<'_>,
    ) -> Result<(), ReasonError> {
        let mut closed: Vec<(NodeId, usize)> = Vec::new();
        for (i, path) in self.batch.paths.iter().enumerate() {
            if let PathEnd::Unexpanded(id) = path.end {
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
                self.expand(tree, *id, &survey.legal, task);
            }
        } else {
            let mut legal = vec![Vec::new(); reasoner.roles().len()];
            for (id, state) in nodes.iter().zip(&states) {
                for (role, moves) in legal.iter_mut().enumerate() {
                    reasoner.legal_moves(state, role, moves)?;
                }
                self.expand(tree, *id, &legal, task);
            }
        }
        for (id, path) in closed {
            self.batch.continue_path(tree, task.settings, path, id);
            if let PathEnd::Unexpanded(id) = self.batch.paths[path].end {
                self.batch.play_from(tree, path, id);
            }
        }
        Ok(())
    }

    /// Expands a node, if the memory limit allows it.
    fn expand(&mut self, tree: &Tree<S>, id: NodeId, legal: &[Vec<MoveId>], task: BatchTask<'_>) {
        // If a role has no legal move, the state counts as terminal. Its playouts have shown that,
        // so the node is not expanded.
        if legal.iter().any(Vec::is_empty) {
            return;
        }
        let rng = &mut self.rng;
        let expansion = Expansion::new(legal, |role, moves| {
            super::order_moves(rng, task.mast, role, moves);
        });
        let bytes = expansion.bytes();
        if !tree.arena.reserve(bytes) {
            tree.set_full();
            return;
        }
        if let Some(node) = tree.arena.lock(id).node_mut()
            && node.expansion.is_none()
        {
            node.bytes += bytes;
            node.expansion = Some(Box::new(expansion));
        } else {
            tree.arena.release(bytes);
        }
    }

    /// Computes the states of new leaves.
    fn compute_states<R: Reasoner<State = S>>(
        &mut self,
        reasoner: &mut R,
    ) -> Result<(), ReasonError> {
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

    /// Collects the states of the paths that end at a leaf, in the order of paths.
    fn collect_starts(&mut self) {
        let batch = &mut self.batch;
        self.starts.clear();
        self.depths.clear();
        self.places.clear();
        self.places.resize(batch.leaves.len(), usize::MAX);
        for number in 0..batch.paths.len() {
            let path = batch.paths[number];
            if let PathEnd::Leaf(leaf) = path.end {
                let leaf = leaf as usize;
                // Most leaves are the end of one path. Their state is moved; only further paths
                // copy it.
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

    /// Plays from each path that ends at a leaf, in the order of paths.
    fn run_playouts<R: Reasoner<State = S>>(
        &mut self,
        tree: &Tree<S>,
        reasoner: &mut R,
        helpers: &mut [R],
        task: BatchTask<'_>,
        each: u32,
    ) -> Result<Vec<PlayoutTotals>, ReasonError> {
        let amaf_groups = match task.settings.grave {
            Some(_) => AmafGroups::new(tree, &self.batch),
            None => AmafGroups::default(),
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
                groups: &amaf_groups.groups,
                each,
                policy: guide.as_deref().unwrap_or(&unguided),
                limit,
                // With a simulation budget the result must not depend on the clock.
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
            amaf_groups.learn(tree, &histories);
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
                // A panic of a helper ends the search like a panic of the thread itself.
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

    /// Adds the new leaves to the tree.
    fn add_nodes<R: Reasoner<State = S>>(
        &mut self,
        tree: &Tree<S>,
        reasoner: &R,
        tallies: &[PlayoutTotals],
    ) {
        let roles = reasoner.roles().len();
        let at_leaf = self.batch.paths.iter();
        let at_leaf = at_leaf.filter_map(|path| match path.end {
            PathEnd::Leaf(leaf) => Some(leaf as usize),
            _ => None,
        });
        let mut outcomes: Vec<Option<(&PlayoutTotals, S)>> = Vec::new();
        outcomes.resize_with(self.batch.leaves.len(), || None);
        for ((leaf, tally), state) in at_leaf.zip(tallies).zip(self.starts.drain(..)) {
            // Without a playout it is not known whether the state is terminal.
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
            let key = tree.transpositions.is_used();
            let key = key.then(|| reasoner.key(&state) as u64);
            if let Some(key) = key {
                let shared = tree.find_shared(key, &state);
                tree.transpositions.learn(shared.is_some());
                if let Some(shared) = shared {
                    self.batch.redirect(tree, leaf, shared);
                    self.batch.leaves[number].id = shared;
                    continue;
                }
            }
            let mut node = Node::new(state, roles);
            node.bytes = bytes(reasoner.state_bytes(&node.state), &node);
            // A playout makes no step only if the state is terminal or a role has no legal move.
            if tally.steps == 0 && tally.limited == 0 {
                node.is_end = true;
                for (role, stat) in node.stats.iter_mut().enumerate() {
                    let goal = points(tally, role) / tally.playouts.max(1);
                    stat.low = goal.min(u64::from(MAX_GOAL)) as u8;
                    stat.high = stat.low;
                }
            }
            node.key = key;
            node.bytes += if key.is_some() {
                transpositions::ENTRY_BYTES
            } else {
                0
            };
            if tree.arena.reserve(node.bytes) {
                tree.arena.insert(leaf.id, node);
                if let Some(key) = key {
                    tree.transpositions.put(key, leaf.id);
                }
            } else {
                tree.set_full();
                self.batch.abandon(tree, leaf);
                self.batch.leaves[number].id = NONE;
            }
        }
    }
}

/// The bytes of a node outside its slot, given those of its state.
pub(super) fn bytes<S>(state_bytes: usize, node: &Node<S>) -> usize {
    state_bytes.saturating_sub(size_of::<S>()) + spilled(&node.stats)
}
