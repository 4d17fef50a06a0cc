//! The state machine: evaluates queries about one state on demand.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use super::budget::{ChainError, WorkClock};
use super::compiled::CompiledGame;
use super::knowledge_base::KnowledgeBase;
use super::rule_groups::{ACTION, GROUPS, Query};

/// Units of work charged for a group, at least. Checking the clock takes as long as a small group.
const MIN_GROUP_WORK: u32 = 256;

/// The knowledge base of one state, and what has been derived in it.
///
/// The compiled game is passed to every call instead of being stored as an `Arc`, whose counter
/// would be incremented and decremented a dozen times in every state.
#[derive(Clone, Debug)]
pub(super) struct StateMachine {
    pub(super) knowledge: KnowledgeBase,
    /// A bit set of the groups whose rules have run.
    done: u32,
    clock: WorkClock,
}

impl StateMachine {
    pub(super) fn new(compiled: &CompiledGame) -> Self {
        const { assert!(GROUPS < 32, "a bit for each group") };
        Self {
            knowledge: KnowledgeBase::new(&compiled.schema, &compiled.sparse),
            done: 0,
            clock: WorkClock::default(),
        }
    }

    pub(super) fn set_deadline(&mut self, deadline: Option<Instant>) {
        self.clock.set_deadline(deadline);
    }

    pub(super) fn set_cancel(&mut self, cancel: Option<Arc<AtomicBool>>) {
        self.clock.set_cancel(cancel);
    }

    pub(super) fn set_interrupt(&mut self, interrupt: Option<Arc<AtomicBool>>) {
        self.clock.set_interrupt(interrupt);
    }

    pub(super) fn set_clock(&mut self, clock: WorkClock) {
        self.clock = clock;
    }

    /// Removes everything derived from the state.
    fn clear_derived(&mut self, compiled: &CompiledGame) {
        let mut done = std::mem::take(&mut self.done);
        while done != 0 {
            let group = &compiled.groups[done.trailing_zeros() as usize];
            done &= done - 1;
            for predicate in &group.predicates {
                self.knowledge.clear(*predicate);
            }
        }
        for predicate in &compiled.does {
            self.knowledge.clear(*predicate);
        }
    }

    /// Removes the joint move and everything derived from it.
    fn clear_moves(&mut self, compiled: &CompiledGame) {
        if self.done >> ACTION & 1 == 0 {
            return;
        }
        self.done &= !(1 << ACTION);
        let derived = compiled.groups[ACTION].predicates.iter();
        for predicate in derived.chain(&compiled.does) {
            self.knowledge.clear(*predicate);
        }
    }

    /// Loads a state.
    pub(super) fn load(&mut self, compiled: &CompiledGame, fluents: &[u32]) {
        self.clear_derived(compiled);
        let schema = &compiled.schema;
        for predicate in &schema.fluents {
            self.knowledge.clear(*predicate);
        }
        let mut predicates = schema
            .fluents
            .iter()
            .map(|number| schema.predicate(*number));
        // Fluents are sorted, so their predicates come in order.
        let mut current = predicates.next();
        for id in fluents {
            while let Some(predicate) = current
                && u64::from(*id) >= u64::from(predicate.base) + predicate.size
            {
                current = predicates.next();
            }
            if let Some(predicate) = current {
                self.knowledge.add(predicate.number, *id);
            }
        }
    }

    /// Evaluates the groups that a query needs and that have not run yet.
    #[inline]
    pub(super) fn ensure(
        &mut self,
        compiled: &CompiledGame,
        query: Query,
    ) -> Result<(), ChainError> {
        for group in &compiled.needs[query as usize] {
            if self.done >> group & 1 == 0 {
                self.run(compiled, *group)?;
            }
        }
        Ok(())
    }

    fn run(&mut self, compiled: &CompiledGame, group: usize) -> Result<(), ChainError> {
        if self.clock.spend(MIN_GROUP_WORK) {
            self.clock.check()?;
        }
        for unit in &compiled.groups[group].units {
            if let Err(error) = unit.run(&mut self.knowledge, compiled, &self.clock) {
                // An interrupted evaluation leaves partial results, which are removed.
                for predicate in &compiled.groups[group].predicates {
                    self.knowledge.clear(*predicate);
                }
                return Err(error);
            }
        }
        self.done |= 1 << group;
        Ok(())
    }

    /// The legal moves of each role, as predicates of `does` and instances of `legal`. Returns
    /// false if a role has none.
    pub(super) fn collect_moves(
        &self,
        compiled: &CompiledGame,
        moves: &mut [Vec<(u32, u32)>],
    ) -> bool {
        compiled.moves.legal_by_role(&self.knowledge, moves);
        moves.iter().all(|moves| !moves.is_empty())
    }

    /// Applies a joint move and derives its consequences. Moves are given as predicates of `does`
    /// and instances of `legal`.
    pub(super) fn apply_moves(
        &mut self,
        compiled: &CompiledGame,
        joint: impl Iterator<Item = (u32, u32)>,
    ) -> Result<(), ChainError> {
        self.ensure(compiled, Query::Next)?;
        self.clear_moves(compiled);
        for (does, id) in joint {
            self.knowledge.add(does, id + compiled.schema.to_does);
        }
        let result = self.run(compiled, ACTION);
        if result.is_err() {
            for predicate in &compiled.does {
                self.knowledge.clear(*predicate);
            }
        }
        result
    }

    /// The fluents derived by `next`, in the order of derivation.
    pub(super) fn next_fluents(&self, compiled: &CompiledGame, fluents: &mut Vec<u32>) {
        fluents.clear();
        for predicate in &compiled.next {
            let list = self.knowledge.list_of(*predicate);
            let distance = compiled.schema.to_next;
            fluents.extend(list.iter().map(|id| id - distance));
        }
    }

    /// Replaces the state by its successor.
    pub(super) fn advance(&mut self, compiled: &CompiledGame) {
        let distance = compiled.schema.to_next;
        for predicate in &compiled.schema.fluents {
            self.knowledge.clear(*predicate);
        }
        for (fluent, next) in compiled.schema.fluents.iter().zip(&compiled.next) {
            self.knowledge.copy(*next, *fluent, distance);
        }
        self.clear_derived(compiled);
    }
}
