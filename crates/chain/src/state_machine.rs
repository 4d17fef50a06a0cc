//! What is known about one state, found out as it is asked for.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use super::budget::{ChainError, WorkClock};
use super::compiled::CompiledGame;
use super::knowledge_base::KnowledgeBase;
use super::rule_groups::{ACTION, GROUPS, Query};

/// How many units of work the rules of a group are at least: a look at the clock takes as long as a
/// small group.
const GROUP: u32 = 256;

/// A state under examination. It belongs to one compiled game, which comes with every call: a
/// shared pointer would be counted up and down a dozen times in every state.
#[derive(Clone, Debug)]
pub(super) struct StateMachine {
    pub(super) knowledge: KnowledgeBase,
    /// The groups whose rules have run, a bit each.
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

    pub(super) fn set_clock(&mut self, clock: WorkClock) {
        self.clock = clock;
    }

    /// Forgets what was derived from the state.
    fn forget(&mut self, compiled: &CompiledGame) {
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

    /// Forgets the joint move and what follows from it.
    fn forget_moves(&mut self, compiled: &CompiledGame) {
        if self.done >> ACTION & 1 == 0 {
            return;
        }
        self.done &= !(1 << ACTION);
        let derived = compiled.groups[ACTION].predicates.iter();
        for predicate in derived.chain(&compiled.does) {
            self.knowledge.clear(*predicate);
        }
    }

    /// Turns to a state.
    pub(super) fn load(&mut self, compiled: &CompiledGame, fluents: &[u32]) {
        self.forget(compiled);
        let schema = &compiled.schema;
        for predicate in &schema.fluents {
            self.knowledge.clear(*predicate);
        }
        let mut predicates = schema
            .fluents
            .iter()
            .map(|number| schema.predicate(*number));
        // Fluents come sorted, so their predicates come in order.
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

    /// Runs what a query needs and has not run yet.
    #[inline]
    pub(super) fn settle(
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
        if self.clock.spend(GROUP) {
            self.clock.check()?;
        }
        for unit in &compiled.groups[group].units {
            if let Err(stop) = unit.run(&mut self.knowledge, compiled, &self.clock) {
                // What a run that was cut short has written must go.
                for predicate in &compiled.groups[group].predicates {
                    self.knowledge.clear(*predicate);
                }
                return Err(stop);
            }
        }
        self.done |= 1 << group;
        Ok(())
    }

    /// The legal moves of each role, as predicates of `does` and instances of `legal`; false if a
    /// role has none.
    pub(super) fn collect_moves(
        &self,
        compiled: &CompiledGame,
        moves: &mut [Vec<(u32, u32)>],
    ) -> bool {
        compiled.moves.by_role(&self.knowledge, moves);
        moves.iter().all(|moves| !moves.is_empty())
    }

    /// Derives what follows from a joint move, given by the numbers of its `legal` instances with
    /// their predicates of `does`.
    pub(super) fn act(
        &mut self,
        compiled: &CompiledGame,
        joint: impl Iterator<Item = (u32, u32)>,
    ) -> Result<(), ChainError> {
        self.settle(compiled, Query::Next)?;
        self.forget_moves(compiled);
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

    /// The fluents that `next` gives, in the order in which they were found.
    pub(super) fn next_fluents(&self, compiled: &CompiledGame, fluents: &mut Vec<u32>) {
        fluents.clear();
        for predicate in &compiled.next {
            let list = self.knowledge.list_of(*predicate);
            let distance = compiled.schema.to_next;
            fluents.extend(list.iter().map(|id| id - distance));
        }
    }

    /// Goes on to the state that `next` gives.
    pub(super) fn advance(&mut self, compiled: &CompiledGame) {
        let distance = compiled.schema.to_next;
        for predicate in &compiled.schema.fluents {
            self.knowledge.clear(*predicate);
        }
        for (fluent, next) in compiled.schema.fluents.iter().zip(&compiled.next) {
            self.knowledge.copy(*next, *fluent, distance);
        }
        self.forget(compiled);
    }
}
