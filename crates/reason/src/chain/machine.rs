//! What is known about one state, found out as it is asked for.

use std::sync::Arc;
use std::time::Instant;

use super::budget::{Clock, Stop};
use super::compile::Compiled;
use super::demand::{ACTION, GROUPS, Question};
use super::knowledge::Knowledge;

/// A state under examination.
#[derive(Clone, Debug)]
pub(super) struct Machine {
    pub(super) compiled: Arc<Compiled>,
    pub(super) knowledge: Knowledge,
    /// The groups whose rules have run.
    done: [bool; GROUPS + 1],
    clock: Clock,
    /// Fluents on their way from `next` to `true`.
    fluents: Vec<u32>,
    /// How many there are of each predicate.
    counts: Vec<u32>,
}

impl Machine {
    pub(super) fn new(compiled: Arc<Compiled>) -> Self {
        Self {
            knowledge: Knowledge::new(&compiled.schema),
            compiled,
            done: [false; GROUPS + 1],
            clock: Clock::default(),
            fluents: Vec::new(),
            counts: Vec::new(),
        }
    }

    pub(super) fn set_deadline(&mut self, deadline: Option<Instant>) {
        self.clock = Clock::until(deadline);
    }

    /// Forgets all that does not hold in every state.
    fn forget(&mut self) {
        self.forget_moves();
        for group in 1..GROUPS {
            if std::mem::take(&mut self.done[group]) {
                for predicate in &self.compiled.groups[group].predicates {
                    self.knowledge.clear(*predicate);
                }
            }
        }
        for predicate in &self.compiled.schema.fluents {
            self.knowledge.clear(*predicate);
        }
    }

    /// Forgets the joint move and what follows from it.
    fn forget_moves(&mut self) {
        if std::mem::take(&mut self.done[ACTION]) {
            for predicate in &self.compiled.groups[ACTION].predicates {
                self.knowledge.clear(*predicate);
            }
            for predicate in &self.compiled.does {
                self.knowledge.clear(*predicate);
            }
        }
    }

    /// Turns to a state.
    pub(super) fn load(&mut self, fluents: &[u32]) {
        self.forget();
        let schema = &self.compiled.schema;
        let mut predicates = schema.fluents.iter().map(|number| schema.predicate(*number));
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

    /// Runs what a question needs and has not run yet.
    pub(super) fn settle(&mut self, question: Question) -> Result<(), Stop> {
        let compiled = Arc::clone(&self.compiled);
        for group in &compiled.needs[question as usize] {
            if !self.done[*group] {
                self.run(&compiled, *group)?;
            }
        }
        Ok(())
    }

    fn run(&mut self, compiled: &Compiled, group: usize) -> Result<(), Stop> {
        // Set before: what a run that was cut short has written must go as well.
        self.done[group] = true;
        for unit in &compiled.groups[group].units {
            let ran = self
                .clock
                .tick()
                .and_then(|()| unit.run(&mut self.knowledge, compiled, &self.clock));
            if let Err(stop) = ran {
                self.done[group] = false;
                for predicate in &compiled.groups[group].predicates {
                    self.knowledge.clear(*predicate);
                }
                return Err(stop);
            }
        }
        Ok(())
    }

    /// The legal moves of each role, as predicates of `does` and instances of `legal`; false if a role has none.
    pub(super) fn collect_moves(&self, moves: &mut [Vec<(u32, u32)>]) -> bool {
        self.compiled.moves.by_role(&self.knowledge, moves);
        moves.iter().all(|moves| !moves.is_empty())
    }

    /// Derives what follows from a joint move, given by the numbers of its `legal` instances with their predicates.
    pub(super) fn act(&mut self, joint: impl Iterator<Item = (u32, u32)>) -> Result<(), Stop> {
        self.settle(Question::Next)?;
        self.forget_moves();
        let compiled = Arc::clone(&self.compiled);
        for (does, id) in joint {
            self.knowledge.add(does, id + compiled.schema.to_does);
        }
        let result = self.run(&compiled, ACTION);
        if result.is_err() {
            for predicate in &compiled.does {
                self.knowledge.clear(*predicate);
            }
        }
        result
    }

    /// The fluents that `next` gives, in the order in which they were found.
    pub(super) fn next_fluents(&self, fluents: &mut Vec<u32>) {
        fluents.clear();
        for predicate in &self.compiled.next {
            let list = self.knowledge.list_of(*predicate);
            let distance = self.compiled.schema.to_next;
            fluents.extend(list.iter().map(|id| id - distance));
        }
    }

    /// Goes on to the state that `next` gives.
    pub(super) fn advance(&mut self) {
        let compiled = Arc::clone(&self.compiled);
        let mut fluents = std::mem::take(&mut self.fluents);
        self.next_fluents(&mut fluents);
        self.counts.clear();
        let counts = &self.knowledge.counts;
        let next = compiled.next.iter();
        self.counts.extend(next.map(|number| counts[*number as usize]));
        self.forget();
        let mut rest = &fluents[..];
        for (fluent, count) in compiled.schema.fluents.iter().zip(&self.counts) {
            let (these, others) = rest.split_at(*count as usize);
            for id in these {
                self.knowledge.add(*fluent, *id);
            }
            rest = others;
        }
        self.fluents = fluents;
    }
}
