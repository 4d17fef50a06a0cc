//! All positions, the nearest first.
//!
//! Positions are asked about by the hundred where that is quick, so that engines that look at many
//! at once can, and by the few where it is not, so that a turn has an end. Of positions that are
//! done only the key is kept, and the way to them; a layer of positions is whole. Where a part of
//! the game runs by itself, such as a counter of steps, a first pass takes positions that differ in
//! nothing else for the same: it finds most solutions much sooner and proves nothing. The second
//! pass tells all positions apart, and when it comes to its end without having run out of memory,
//! the best line is the best there is.

use std::time::{Duration, Instant};

use ludorum_reasoner::zobrist::fluent_key;
use ludorum_reasoner::{MoveId, ReasonError, Reasoner};
use rustc_hash::FxHashSet;

use crate::best_line::SolveMethod;
use crate::memory_estimate;
use crate::rule_analysis::ROLE;
use crate::technique::{Technique, TechniqueContext, TechniqueStatus, goal_points};

/// How many positions are asked about at once, at first and at most.
const INITIAL_BATCH: usize = 4;
const MAX_BATCH: usize = 512;
/// What takes less may be twice as much.
const BATCH_TIME: Duration = Duration::from_millis(10);
/// What is asked about at once may take such a part of the memory.
const MEMORY_SHARE_OF_BATCH: usize = 32;
/// Where there is no position before.
const NO_PARENT: u32 = u32::MAX;

/// Which positions are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pass {
    /// Those that differ in nothing but time.
    IgnoringClocks,
    /// Only equal ones.
    Exact,
}

/// Positions that were looked at, and are to be gone on from.
#[derive(Debug)]
struct PendingMoves {
    /// Places in the layer, with a move from there.
    moves_of_batch: Vec<(usize, MoveId)>,
    /// How many of them are made.
    done: usize,
}

/// Breadth-first search.
#[derive(Debug)]
pub(crate) struct BreadthFirst<S> {
    pass: Pass,
    /// The positions of the current depth, with their numbers.
    layer: Vec<(S, u32)>,
    /// How many of them were looked at.
    done: usize,
    /// The last of these.
    pending: Option<PendingMoves>,
    /// How many positions to look at at once, and how many to make.
    state_batch: usize,
    move_batch: usize,
    /// Those of the next depth.
    next: Vec<(S, u32)>,
    depth: usize,
    /// What the clocks of the next depth add to its keys.
    clock_key: u128,
    is_clock_key_known: bool,
    seen_keys: FxHashSet<u128>,
    /// For each number the one before and the move from there.
    parents: Vec<(u32, MoveId)>,
    /// What the states of the layer and of the next have beside their places in the lists, and the
    /// most that one of them takes.
    layer_bytes: usize,
    next_bytes: usize,
    max_state_bytes: usize,
    /// The most moves that were legal in one position.
    max_branching: usize,
    max_bytes: usize,
    has_begun: bool,
}

impl<S> BreadthFirst<S> {
    pub(crate) fn new(max_bytes: usize) -> Self {
        Self {
            pass: Pass::IgnoringClocks,
            layer: Vec::new(),
            done: 0,
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

    /// The moves to a position.
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

    /// The bytes of so many moves that are yet to be made: what was asked about is told move by
    /// move.
    fn moves_of_batch(moves: usize) -> usize {
        2 * moves * size_of::<(usize, MoveId)>()
    }

    /// What it takes while `more` positions come in.
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
        let moves_of_batch = self
            .pending
            .as_ref()
            .map_or(0, |pending| pending.moves_of_batch.capacity());
        let moves_of_batch = Self::moves_of_batch(moves_of_batch);
        // Those that are being made are there as well.
        let states = self.layer_bytes + self.next_bytes + more * self.max_state_bytes;
        layer + next + parents + seen_keys + moves_of_batch + states
    }

    /// How many to ask about at once at most.
    fn max_move_batch(&self) -> usize {
        (self.max_bytes / MEMORY_SHARE_OF_BATCH / self.max_state_bytes.max(1)).clamp(1, MAX_BATCH)
    }

    /// How many to look at at once at most: what is asked about comes with all its moves.
    fn max_state_batch(&self) -> usize {
        let each = self.max_state_bytes + Self::moves_of_batch(self.max_branching);
        (self.max_bytes / MEMORY_SHARE_OF_BATCH / each.max(1)).clamp(1, MAX_BATCH)
    }

    /// Whether there are positions to be made after those that were looked at.
    fn has_pending_moves(&self) -> bool {
        let pending = self.pending.as_ref();
        pending.is_some_and(|pending| pending.done < pending.moves_of_batch.len())
    }

    /// What a state has beside its place in a list.
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

    /// What clocks add to the key of a state, if they do not matter in this pass.
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

    /// Looks at some positions of the layer, or makes some of those after them. What is done stays
    /// done, whatever interrupts the rest.
    fn expand<R: Reasoner<State = S>>(
        &mut self,
        context: &mut TechniqueContext<'_, R>,
    ) -> Result<(), ReasonError> {
        let start_pass = Instant::now();
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
            Ok(()) => state_batch(*count, context, start_pass),
            // It was too much.
            Err(_) => (*count / 4).max(1),
        };
        result
    }

    /// Looks at the next positions of the layer.
    fn evaluate_states<R: Reasoner<State = S>>(
        &mut self,
        context: &mut TechniqueContext<'_, R>,
    ) -> Result<(), ReasonError> {
        let end = self.done + self.state_batch.min(self.max_state_batch());
        let end = self.layer.len().min(end);
        let states: Vec<S> = self.layer[self.done..end]
            .iter()
            .map(|(state, _)| state.clone())
            .collect();
        let summaries = context.reasoner.summaries(&states)?;
        let mut moves_of_batch: Vec<(usize, MoveId)> = Vec::new();
        for (i, evaluate_states) in (self.done..).zip(&summaries) {
            let number = self.layer[i].1;
            if evaluate_states.terminal {
                let value = goal_points(&evaluate_states.goals[ROLE]);
                context
                    .best
                    .offer(value, self.depth, SolveMethod::Breadth, || {
                        self.line(number)
                    });
            } else {
                let legal = &evaluate_states.legal[ROLE];
                self.max_branching = self.max_branching.max(legal.len());
                moves_of_batch.extend(legal.iter().map(|id| (i, *id)));
            }
        }
        // A layer of ends is work as well.
        context.positions += 1;
        self.pending = Some(PendingMoves {
            moves_of_batch,
            done: 0,
        });
        self.done = end;
        Ok(())
    }

    /// Makes positions after those that were looked at.
    fn generate_successors<R: Reasoner<State = S>>(
        &mut self,
        context: &mut TechniqueContext<'_, R>,
    ) -> Result<(), ReasonError> {
        let max_move_batch = self.move_batch.min(self.max_move_batch());
        let Some(pending) = &mut self.pending else {
            return Ok(());
        };
        let end = pending
            .moves_of_batch
            .len()
            .min(pending.done + max_move_batch);
        let moves_of_batch = &pending.moves_of_batch[pending.done..end];
        let moves: Vec<(&S, &[MoveId])> = moves_of_batch
            .iter()
            .map(|(i, id)| (&self.layer[*i].0, std::slice::from_ref(id)))
            .collect();
        let made = context.reasoner.next_states(&moves)?;
        context.positions += made.len() as u64;
        context.simulations += made.len() as u64;
        let moves_of_batch = moves_of_batch.to_vec();
        pending.done = end;
        if !self.is_clock_key_known
            && let Some(state) = made.first()
        {
            self.clock_key = self.clock_key_of(context, state);
            self.is_clock_key_known = true;
        }
        for ((i, id), state) in moves_of_batch.into_iter().zip(made) {
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

    /// Whether everything of this depth is done.
    fn is_layer_done(&self) -> bool {
        self.done == self.layer.len() && !self.has_pending_moves()
    }
}

/// How many to ask about at once after this many took so long. Where turns are counted in
/// positions, time tells nothing.
fn state_batch<R: Reasoner>(
    before: usize,
    context: &TechniqueContext<'_, R>,
    start_pass: Instant,
) -> usize {
    let passed = context
        .deadline
        .map_or(Duration::ZERO, |_| start_pass.elapsed());
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
                self.done = 0;
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
            // Before they come in: afterwards it is too late to keep within the bound.
            let bytes = if self.has_pending_moves() {
                self.bytes(self.max_move_batch().min(self.move_batch))
            } else {
                let max_state_batch = self.max_state_batch().min(self.state_batch);
                self.bytes(max_state_batch)
                    + Self::moves_of_batch(max_state_batch * self.max_branching)
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
    fn whole_positions_count_by_what_they_take() {
        let most = 128 << 10;
        let mut puzzle = TestPuzzle::new(&history_puzzle(60));
        let mut context = puzzle.context();
        let mut breadth = BreadthFirst::new(most);
        let mut most_seen = 0;
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
            most_seen = most_seen.max(breadth.seen_keys.len());
            if progress != TechniqueStatus::Running {
                assert_eq!(progress, TechniqueStatus::Finished);
                break;
            }
        }
        assert!(most_seen > 50, "{most_seen}");
    }

    #[test]
    fn positions_with_many_moves_are_looked_at_a_few_at_a_time() {
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
        let mut most_seen = 0;
        while breadth.depth < 1 || breadth.done < 60 {
            assert_eq!(
                breadth.work(&mut context, 1).unwrap(),
                TechniqueStatus::Running
            );
            let pending = breadth.pending.as_ref();
            let moves_of_batch = pending.map_or(0, |pending| {
                BreadthFirst::<()>::moves_of_batch(pending.moves_of_batch.len())
            });
            most_seen = most_seen.max(moves_of_batch);
        }
        // All 225 positions of the first depth at once would have been fifty times as much.
        assert!(
            most_seen > 0 && most_seen <= most / MEMORY_SHARE_OF_BATCH,
            "{most_seen}"
        );
    }

    #[test]
    fn with_enough_memory_the_best_line_is_proven() {
        let mut puzzle = TestPuzzle::new(&history_puzzle(5));
        let mut context = puzzle.context();
        let mut breadth = BreadthFirst::new(1 << 20);
        while breadth.work(&mut context, 100).unwrap() == TechniqueStatus::Running {}
        assert_eq!(context.best.value(), Some(70));
    }
}
