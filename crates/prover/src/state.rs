//! The state of the prover: a sorted set of fluents, and the indexed view of the current state.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use ludorum_gdl::Symbol;
use ludorum_logic::{TermId, Terms};
use rustc_hash::FxHashMap;

use super::mask::Mask;
use super::rule_plan::IndexKeys;
use ludorum_reasoner::{HeapSize, allocation};

/// A state: its fluents, sorted by id, and its Zobrist key.
#[derive(Clone)]
pub struct ProverState {
    pub(super) fluents: Arc<[TermId]>,
    pub(super) key: u128,
}

impl ProverState {
    /// A state from its fluents, sorted by id without duplicates, and its key. The ids are those of
    /// the [vocabulary](super::Prover::shared_vocabulary).
    pub fn new(fluents: Arc<[TermId]>, key: u128) -> Self {
        Self { fluents, key }
    }

    /// The fluents, sorted by id.
    pub fn fluents(&self) -> &[TermId] {
        &self.fluents
    }

    /// The Zobrist key, the same in all engines.
    pub fn key(&self) -> u128 {
        self.key
    }
}

impl PartialEq for ProverState {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key && self.fluents == other.fluents
    }
}

impl Eq for ProverState {}

impl Hash for ProverState {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        hasher.write_u64(self.key as u64);
    }
}

impl HeapSize for ProverState {
    fn heap_bytes(&self) -> usize {
        // The reference counts are stored in front of the fluents.
        allocation(2 * size_of::<usize>() + size_of_val(&*self.fluents))
    }
}

impl fmt::Debug for ProverState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x} ({} fluents)", self.key, self.fluents.len())
    }
}

const NONE: u32 = u32::MAX;

/// A chained hash table over some fluents, by the values of some of their arguments.
#[derive(Clone, Debug, Default)]
struct Index {
    /// The epoch of the view that it was built for.
    epoch: u32,
    heads: Vec<u32>,
    next: Vec<u32>,
}

/// The current state with indexes over its fluents. Setting another state takes time linear in its
/// number of fluents; indexes are built on demand.
#[derive(Clone, Debug, Default)]
pub(super) struct StateView {
    epoch: u32,
    pub(super) fluents: Vec<TermId>,
    /// For every term the last epoch in which it was a fluent.
    present: Vec<u32>,
    /// The fluents by function symbol and arity.
    groups: FxHashMap<(Symbol, usize), Vec<TermId>>,
    indexes: Vec<Index>,
}

impl StateView {
    pub(super) fn set(&mut self, fluents: &[TermId], terms: &Terms) {
        self.epoch += 1;
        for group in self.groups.values_mut() {
            group.clear();
        }
        self.fluents.clear();
        self.fluents.extend_from_slice(fluents);
        if self.present.len() < terms.len() {
            self.present.resize(terms.len(), 0);
        }
        for fluent in fluents {
            self.present[fluent.index()] = self.epoch;
            let key = (terms.functor(*fluent), terms.args(*fluent).len());
            self.groups.entry(key).or_default().push(*fluent);
        }
    }

    pub(super) fn has(&self, fluent: TermId) -> bool {
        self.present.get(fluent.index()) == Some(&self.epoch)
    }

    pub(super) fn group(&self, functor: Symbol, arity: usize) -> &[TermId] {
        self.groups
            .get(&(functor, arity))
            .map_or(&[], |group| group)
    }

    /// The first fluent of a group that may have the given values at the positions of the index.
    /// The caller has to compare the values. [`Self::follow`] gives the next one.
    pub(super) fn first(
        &mut self,
        index: usize,
        keys: &IndexKeys,
        values: &[TermId],
        terms: &Terms,
    ) -> Option<u32> {
        if self.indexes.len() <= index {
            self.indexes.resize_with(keys.len(), Index::default);
        }
        if self.indexes[index].epoch != self.epoch {
            self.build(index, keys[index], terms);
        }
        let heads = &self.indexes[index].heads;
        let head = heads[hash(values.iter().copied()) as usize & (heads.len() - 1)];
        (head != NONE).then_some(head)
    }

    /// The next fluent in the same hash bucket.
    pub(super) fn follow(&self, index: usize, at: u32) -> Option<u32> {
        let next = self.indexes[index].next[at as usize];
        (next != NONE).then_some(next)
    }

    fn build(&mut self, number: usize, key: (Symbol, usize, Mask), terms: &Terms) {
        let (functor, arity, mask) = key;
        let group = self
            .groups
            .get(&(functor, arity))
            .map_or(&[][..], |group| group);
        let index = &mut self.indexes[number];
        index.epoch = self.epoch;
        index.heads.clear();
        index
            .heads
            .resize((group.len() * 2).next_power_of_two(), NONE);
        index.next.clear();
        index.next.resize(group.len(), NONE);
        // In reverse, so that chains are in the order of the group.
        for (i, fluent) in group.iter().enumerate().rev() {
            let args = terms.args(*fluent);
            let places = (0..arity).filter(|place| mask >> place & 1 == 1);
            let bucket = hash(places.map(|place| args[place])) as usize & (index.heads.len() - 1);
            index.next[i] = index.heads[bucket];
            index.heads[bucket] = i as u32;
        }
    }
}

fn hash(values: impl Iterator<Item = TermId>) -> u32 {
    let mut hash: u64 = 0;
    for value in values {
        hash = (hash ^ u64::from(value.0)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        hash ^= hash >> 29;
    }
    hash as u32
}
