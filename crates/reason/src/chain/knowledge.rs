//! The knowledge base of section 3 of the paper: for each predicate a list in the order of production, for each instance whether it is there.

use super::clause::PredicateId;
use super::schema::{Predicate, Schema};

/// What is known about one state.
#[derive(Clone, Debug)]
pub(super) struct Knowledge {
    /// For every instance of every predicate, 1 if it holds.
    pub(super) present: Vec<u8>,
    /// The lists, each from the base of its predicate on.
    pub(super) lists: Vec<u32>,
    /// The lengths of the lists, by predicate.
    pub(super) counts: Vec<u32>,
    bases: Vec<u32>,
}

impl Knowledge {
    pub(super) fn new(schema: &Schema) -> Self {
        let predicates = schema.predicates();
        Self {
            present: vec![0; schema.ids as usize],
            lists: vec![0; schema.ids as usize],
            counts: vec![0; predicates.len()],
            bases: predicates.iter().map(|p| p.base).collect(),
        }
    }

    /// Whether an instance holds.
    #[inline]
    pub(super) fn has(&self, id: u32) -> bool {
        self.present[id as usize] != 0
    }

    /// Writes an instance of a predicate.
    #[inline]
    pub(super) fn add(&mut self, predicate: PredicateId, id: u32) {
        let present = &mut self.present[id as usize];
        if *present == 0 {
            *present = 1;
            let count = &mut self.counts[predicate as usize];
            self.lists[(self.bases[predicate as usize] + *count) as usize] = id;
            *count += 1;
        }
    }

    /// What holds of a predicate, in the order in which it was found.
    pub(super) fn list(&self, predicate: &Predicate) -> &[u32] {
        self.list_of(predicate.number)
    }

    /// The same by number.
    #[inline]
    pub(super) fn list_of(&self, predicate: PredicateId) -> &[u32] {
        let base = self.bases[predicate as usize] as usize;
        &self.lists[base..base + self.counts[predicate as usize] as usize]
    }

    /// Writes what holds of one predicate for another one that holds nothing yet, whose instances are so far below.
    #[inline]
    pub(super) fn copy(&mut self, from: PredicateId, to: PredicateId, distance: u32) {
        let count = self.counts[from as usize] as usize;
        let source = self.bases[from as usize] as usize;
        let target = self.bases[to as usize] as usize;
        for i in 0..count {
            let id = self.lists[source + i] - distance;
            self.lists[target + i] = id;
            self.present[id as usize] = 1;
        }
        self.counts[to as usize] = count as u32;
    }

    /// Forgets all about a predicate: the array by walking the list, the list at once.
    #[inline]
    pub(super) fn clear(&mut self, predicate: PredicateId) {
        let base = self.bases[predicate as usize] as usize;
        let count = self.counts[predicate as usize] as usize;
        for id in &self.lists[base..base + count] {
            self.present[*id as usize] = 0;
        }
        self.counts[predicate as usize] = 0;
    }
}
