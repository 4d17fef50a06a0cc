//! Breadth-first search over all positions, with duplicate detection.
//!
//! Positions are expanded in batches, so that engines can evaluate many at once. The batch size
//! adapts to the engine's speed, so that a turn ends in time. Whole states are kept for two layers
//! only; of older positions the Zobrist key (Zobrist 1970) and the back pointer remain.
//!
//! If some factor of the game is autonomous, such as a step counter, a first pass identifies
//! positions that differ only in such factors. It finds most solutions much earlier, but proves
//! nothing. The second pass distinguishes all positions. If it ends without exhausting the memory,
//! the best line is optimal.

use std::time::{Duration, Instant};

use ludorum_reasoner::zobrist::fluent_key;
use ludorum_reasoner::{MoveId, ReasonError, Reasoner};
use rustc_hash::FxHashSet;

use crate::best_line::SolveMethod;
use crate::memory_estimate;
use crate::rule_analysis::ROLE;
use crate::technique::{Technique, TechniqueContext, TechniqueStatus, goal_points};

/// Initial batch size.
const INITIAL_BATCH: usize = 4;
/// Maximal batch size.
const MAX_BATCH: usize = 512;
/// A batch that takes less time than this is followed by one of double size.
const BATCH_TIME: Duration = Duration::from_millis(10);
/// A batch may use this fraction (1/n) of the memory.
const BATCH_MEMORY_DIVISOR: usize = 32;
/// Parent index of the root.
const NO_PARENT: u32 = u32::MAX;

/// Which positions count as equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pass {
    /// Positions that differ only in autonomous factors.
    IgnoringClocks,
    /// Identical positions.
    Exact,
}

/// The moves of the last evaluated positions, whose successors are generated in batches.
#[derive(Debug)]
struct PendingMoves {
    /// Indices into the layer, each with a legal move there.
    moves: Vec<(usize, MoveId)>,
    /// How many successors were generated.
    done: usize,
}

/// The state of the search.
#[derive(Debug)]
pub(crate) struct BreadthFirst<S> {
    pass: Pass,
    /// The positions of the current depth, each with its node number.
    layer: Vec<(S, u32)>,
    /// How many positions of the layer were evaluated.
    evaluated: usize,
    /// Moves of the positions evaluated last.
    pending: Option<PendingMoves>,
    /// Batch size for evaluating positions.
    state_batch: usize,
    /// Batch size for generating successors.
    move_batch: usize,
    /// The positions of the next depth.
    next: Vec<(S, u32)>,
    depth: usize,
    /// The part of the next layer's keys that belongs to autonomous factors. All positions of one
    /// depth share it.
    clock_key: u128,
    is_clock_key_known: bool,
    seen_keys: FxHashSet<u128>,
    /// For each node the parent and the move from there.
    parents: Vec<(u32, MoveId)>,
    /// Heap bytes of the states of the layer.
    layer_bytes: usize,
    /// Heap bytes of the states of the next layer.
    next_bytes: usize,
    /// The largest size of a state.
    max_state_bytes: usize,
    /// The largest number of legal moves of a position.
    max_branching: usize,
    max_bytes: usize,
    has_begun: bool,
}

impl<S> BreadthFirst<S> {
    pub(crate) fn new(max_bytes: usize) -> Self {
        Self {
            pass: Pass::IgnoringClocks,
            layer: Vec::new(),
            evaluated: 0,
            pending: None,
            state_batch: INITIAL_BATCH,
            move_batch: INITIAL_BATCH,
            next: Vec::new(),
            depth: 0,
            clock_key: 0,
            is_clock_key_known: false,
            seen_keys: FxHashSet::default(),
            parents: Vec::new(),
            layer_bytes: 0,
            next_bytes: 0,
            max_state_bytes: size_of::<S>(),
            max_branching: 1,
            max_bytes,
            has_begun: false,
        }
    }

    /// The moves from the root to a node.
    fn line(&self, mut number: u32) -> Vec<MoveId> {
        let mut moves = Vec::with_capacity(self.depth);
        while let Some((before, id)) = self.parents.get(number as usize).copied()
            && before != NO_PARENT
        {
            moves.push(id);
            number = before;
        }
        moves.reverse();
        moves
    }

    /// The bytes of a list of pending moves, doubled: the list can grow, and the summaries that it
    /// comes from hold the same moves.
    fn move_list_bytes(moves: usize) -> usize {
        2 * moves * size_of::<(usize, MoveId)>()
    }

    /// The bytes in use while `more` positions are added.
    fn bytes(&self, more: usize) -> usize {
        let entry_bytes = size_of::<(S, u32)>();
        let layer =
            memory_estimate::vec_bytes(self.layer.len(), self.layer.capacity(), 0, entry_bytes);
        let next =
            memory_estimate::vec_bytes(self.next.len(), self.next.capacity(), more, entry_bytes);
        let parent_bytes = size_of::<(u32, MoveId)>();
        let parents = memory_estimate::vec_bytes(
            self.parents.len(),
            self.parents.capacity(),
            more,
            parent_bytes,
        );
        let seen_keys = memory_estimate::hash_table_bytes(
            self.seen_keys.len(),
            self.seen_keys.capacity(),
            more,
            16,
        );
        let moves = self
            .pending
            .as_ref()
            .map_or(0, |pending| pending.moves.capacity());
        let moves = Self::move_list_bytes(moves);
        // States under construction are counted with the largest size seen.
        let states = self.layer_bytes + self.next_bytes + more * self.max_state_bytes;
        layer + next + parents + seen_keys + moves + states
    }

    /// The largest batch of successors.
    fn max_move_batch(&self) -> usize {
        (self.max_bytes / BATCH_MEMORY_DIVISOR / self.max_state_bytes.max(1)).clamp(1, MAX_BATCH)
    }

    /// The largest batch of evaluated positions; the memory of an evaluation includes its move
    /// list.
    fn max_state_batch(&self) -> usize {
        let each = self.max_state_bytes + Self::move_list_bytes(self.max_branching);
        (self.max_bytes / BATCH_MEMORY_DIVISOR / each.max(1)).clamp(1, MAX_BATCH)
    }

    /// Whether successors of evaluated positions remain to be generated.
    fn has_pending_moves(&self) -> bool {
        let pending = self.pending.as_ref();
        pending.is_some_and(|pending| pending.done < pending.moves.len())
    }

    /// The heap bytes of a state, which are not in the list entry. Also updates the maximum.
    fn heap_bytes(&mut self, bytes: usize) -> usize {
        self.max_state_bytes = self.max_state_bytes.max(bytes);
        bytes.saturating_sub(size_of::<S>())
    }

    fn reset(&mut self) {
        *self = Self::new(self.max_bytes);
    }
}

impl<S: Clone> BreadthFirst<S> {
    fn start_pass<R: Reasoner<State = S>>(
        &mut self,
        context: &TechniqueContext<'_, R>,
        pass: Pass,
    ) {
        self.reset();
        self.has_begun = true;
        self.pass = pass;
        self.parents.push((NO_PARENT, MoveId::default()));
        self.layer.push((context.root.clone(), 0));
        self.layer_bytes = self.heap_bytes(context.reasoner.state_bytes(context.root));
        self.seen_keys.insert(context.reasoner.key(context.root));
    }

    /// The key of the autonomous factors of a state; 0 in the pass that distinguishes them.
    fn clock_key_of<R: Reasoner<State = S>>(
        &self,
        context: &mut TechniqueContext<'_, R>,
        state: &S,
    ) -> u128 {
        let (Pass::IgnoringClocks, Some(factors)) = (self.pass, &context.analysis.factors) else {
            return 0;
        };
        let facts = context.reasoner.facts(state);
        let is_autonomous = |fact: &&String| {
            let factor = factors.factor_of(fact);
            factor.is_some_and(|factor| factors.all[factor].is_autonomous)
        };
        let keys = facts
            .iter()
            .filter(is_autonomous)
            .map(|fact| fluent_key(fact));
        keys.fold(0, |all, key| all ^ key)
    }

    /// Evaluates a batch of positions or generates a batch of successors. Finished batches are kept
    /// if a later one is interrupted.
    fn expand<R: Reasoner<State = S>>(
        &mut self,
        context: &mut TechniqueContext<'_, R>,
    ) -> Result<(), ReasonError> {
        let begin = Instant::now();
        let has_pending_moves = self.has_pending_moves();
        let result = if has_pending_moves {
            self.generate_successors(context)
        } else {
            self.evaluate_states(context)
        };
        let count = if has_pending_moves {
            &mut self.move_batch
        } else {
            &mut self.state_batch
        };
        *count = match &result {
            Ok(()) => adapted_batch(*count, context, begin),
            // The engine was interrupted: use a smaller batch next time.
            Err(_) => (*count / 4).max(1),
        };
        result
    }

    /// Evaluates the next positions of the layer: offers lines to terminal states and collects the
    /// moves of the others.
    fn evaluate_states<R: Reasoner<State = S>>(
        &mut self,
        context: &mut TechniqueContext<'_, R>,
    ) -> Result<(), ReasonError> {
        let end = self.evaluated + self.state_batch.min(self.max_state_batch());
        let end = self.layer.len().min(end);
        let states: Vec<S> = self.layer[self.evaluated..end]
            .iter()
            .map(|(state, _)| state.clone())
            .collect();
        let summaries = context.reasoner.summaries(&states)?;
        let mut moves: Vec<(usize, MoveId)> = Vec::new();
        for (i, summary) in (self.evaluated..).zip(&summaries) {
            let number = self.layer[i].1;
            if summary.terminal {
                let value = goal_points(&summary.goals[ROLE]);
                context
                    .best
                    .offer(value, self.depth, SolveMethod::Breadth, || {
                        self.line(number)
                    });
            } else {
                let legal = &summary.legal[ROLE];
                self.max_branching = self.max_branching.max(legal.len());
                moves.extend(legal.iter().map(|id| (i, *id)));
            }
        }
        // A layer of terminal states counts as work too.
        context.positions += 1;
        self.pending = Some(PendingMoves { moves, done: 0 });
        self.evaluated = end;
        Ok(())
    }

    /// Generates a batch of successors and keeps the new ones.
    fn generate_successors<R: Reasoner<State = S>>(
        &mut self,
        context: &mut TechniqueContext<'_, R>,
    ) -> Result<(), ReasonError> {
        let max_move_batch = self.move_batch.min(self.max_move_batch());
        let Some(pending) = &mut self.pending else {
            return Ok(());
        };
        let end = pending.moves.len().min(pending.done + max_move_batch);
        let batch = &pending.moves[pending.done..end];
        let moves: Vec<(&S, &[MoveId])> = batch
            .iter()
            .map(|(i, id)| (&self.layer[*i].0, std::slice::from_ref(id)))
            .collect();
        let made = context.reasoner.next_states(&moves)?;
        context.positions += made.len() as u64;
        context.simulations += made.len() as u64;
        let batch = batch.to_vec();
        pending.done = end;
        if !self.is_clock_key_known
            && let Some(state) = made.first()
        {
            self.clock_key = self.clock_key_of(context, state);
            self.is_clock_key_known = true;
        }
        for ((i, id), state) in batch.into_iter().zip(made) {
            let key = context.reasoner.key(&state) ^ self.clock_key;
            if self.seen_keys.insert(key) {
                self.next_bytes += self.heap_bytes(context.reasoner.state_bytes(&state));
                let number = self.parents.len() as u32;
                self.parents.push((self.layer[i].1, id));
                self.next.push((state, number));
            }
        }
        Ok(())
    }

    /// Whether the current layer is finished.
    fn is_layer_done(&self) -> bool {
        self.evaluated == self.layer.len() && !self.has_pending_moves()
    }
}

/// The next batch size, from the last one and the time it took. With a budget of simulations the
/// time is ignored, so that runs are reproducible.
fn adapted_batch<R: Reasoner>(
    before: usize,
    context: &TechniqueContext<'_, R>,
    begin: Instant,
) -> usize {
    let passed = context.deadline.map_or(Duration::ZERO, |_| begin.elapsed());
    if passed < BATCH_TIME {
        (before * 2).min(MAX_BATCH)
    } else if passed > 4 * BATCH_TIME {
        (before / 2).max(1)
    } else {
        before
    }
}

impl<R: Reasoner> Technique<R> for BreadthFirst<R::State> {
    fn method(&self) -> SolveMethod {
        SolveMethod::Breadth
    }

    fn work(
        &mut self,
        context: &mut TechniqueContext<'_, R>,
        quota: u64,
    ) -> Result<TechniqueStatus, ReasonError> {
        if !self.has_begun {
            let has_autonomous_factor = context
                .analysis
                .factors
                .as_ref()
                .is_some_and(crate::rule_analysis::Factorization::has_autonomous_factor);
            self.start_pass(
                context,
                if has_autonomous_factor {
                    Pass::IgnoringClocks
                } else {
                    Pass::Exact
                },
            );
        }
        let end = context.positions + quota;
        while context.positions < end {
            if context.should_stop() {
                return Ok(TechniqueStatus::Running);
            }
            if self.is_layer_done() {
                self.pending = None;
                self.layer = std::mem::take(&mut self.next);
                self.layer_bytes = std::mem::take(&mut self.next_bytes);
                self.evaluated = 0;
                self.depth += 1;
                self.is_clock_key_known = false;
                if self.layer.is_empty() {
                    if self.pass == Pass::Exact {
                        self.reset();
                        return Ok(TechniqueStatus::Proven);
                    }
                    self.start_pass(context, Pass::Exact);
                }
            }
            // The bound is checked before a batch, because its memory is in use as soon as it
            // starts.
            let bytes = if self.has_pending_moves() {
                self.bytes(self.max_move_batch().min(self.move_batch))
            } else {
                let max_state_batch = self.max_state_batch().min(self.state_batch);
                self.bytes(max_state_batch)
                    + Self::move_list_bytes(max_state_batch * self.max_branching)
            };
            let is_full =
                bytes > self.max_bytes || self.parents.len() >= NO_PARENT as usize - (1 << 24);
            if is_full {
                self.reset();
                return Ok(TechniqueStatus::Finished);
            }
            self.expand(context)?;
        }
        Ok(TechniqueStatus::Running)
    }

    fn size(&self) -> (u64, u64) {
        (self.parents.len() as u64, self.bytes(0) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{TestPuzzle, history_puzzle};

    #[test]
    fn states_and_keys_stay_within_the_memory() {
        let most = 128 << 10;
        let mut puzzle = TestPuzzle::new(&history_puzzle(60));
        let mut context = puzzle.context();
        let mut breadth = BreadthFirst::new(most);
        let mut max_seen = 0;
        loop {
            let progress = breadth.work(&mut context, 1).unwrap();
            let whole = breadth.layer.iter().chain(&breadth.next);
            let states = whole.map(|(state, _)| context.reasoner.state_bytes(state));
            let states: usize = states.sum();
            let keys = memory_estimate::hash_table_bytes(
                breadth.seen_keys.len(),
                breadth.seen_keys.capacity(),
                0,
                16,
            );
            assert!(states + keys <= most, "{states} and {keys}");
            max_seen = max_seen.max(breadth.seen_keys.len());
            if progress != TechniqueStatus::Running {
                assert_eq!(progress, TechniqueStatus::Finished);
                break;
            }
        }
        assert!(max_seen > 50, "{max_seen}");
    }

    #[test]
    fn positions_with_many_moves_are_evaluated_in_small_batches() {
        let numbers: Vec<String> = (0..15).map(|n| format!("(number {n})")).collect();
        let rules = format!(
            "(role r) {} (init (at 0 0)) (<= (legal r (go ?x ?y)) (number ?x) (number ?y))
             (<= (next (at ?x ?y)) (does r (go ?x ?y)))
             (<= terminal (true (at 40 0))) (goal r 0) (<= (goal r 100) (true (at 0 0)))",
            numbers.join(" ")
        );
        let mut puzzle = TestPuzzle::new(&rules);
        let mut context = puzzle.context();
        let most = 1 << 20;
        let mut breadth = BreadthFirst::new(most);
        let mut max_seen = 0;
        while breadth.depth < 1 || breadth.evaluated < 60 {
            assert_eq!(
                breadth.work(&mut context, 1).unwrap(),
                TechniqueStatus::Running
            );
            let pending = breadth.pending.as_ref();
            let moves = pending.map_or(0, |pending| {
                BreadthFirst::<()>::move_list_bytes(pending.moves.len())
            });
            max_seen = max_seen.max(moves);
        }
        // A batch of all 225 positions of the first layer would need fifty times as much.
        assert!(
            max_seen > 0 && max_seen <= most / BATCH_MEMORY_DIVISOR,
            "{max_seen}"
        );
    }

    #[test]
    fn an_exhausted_search_finds_the_optimal_line() {
        let mut puzzle = TestPuzzle::new(&history_puzzle(5));
        let mut context = puzzle.context();
        let mut breadth = BreadthFirst::new(1 << 20);
        while breadth.work(&mut context, 100).unwrap() == TechniqueStatus::Running {}
        assert_eq!(context.best.value(), Some(70));
    }
}
