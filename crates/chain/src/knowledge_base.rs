//! The knowledge base (Schofield and Saffidine 2013, section 3): for each predicate a list of its
//! true instances in the order of derivation, and for each instance a boolean.

use super::clause::PredicateId;
use super::schema::{Predicate, Schema};
use super::sparse_instances::SparseInstances;
use ludorum_logic::TermId;

/// An instance id that never holds.
pub(super) const NEVER_HOLDS: u32 = 0;

/// An instance id that always holds and is in no list. Writing it has no effect.
pub(super) const NO_RESULT: u32 = 1;

/// The first id available for instances.
pub(super) const FIRST: u32 = 2;

/// The facts of one state.
#[derive(Clone, Debug)]
pub(super) struct KnowledgeBase {
    /// For every instance, 1 if it holds.
    present: Vec<u8>,
    /// The lists of all predicates, each starting at the predicate's base, with room for one more
    /// entry than there are instances.
    pub(super) lists: Vec<u32>,
    /// The lengths of the lists, by predicate.
    pub(super) counts: Vec<u32>,
    bases: Vec<u32>,
    /// The rows of sparse predicates.
    pub(super) sparse: Vec<SparseInstances>,
}

impl KnowledgeBase {
    /// An empty knowledge base. `sparse` are the rows known to the game.
    pub(super) fn new(schema: &Schema, sparse: &[SparseInstances]) -> Self {
        let predicates = schema.predicates();
        let mut present = vec![0; schema.ids as usize];
        present[NO_RESULT as usize] = 1;
        Self {
            present,
            lists: vec![0; schema.ids as usize],
            counts: vec![0; predicates.len()],
            bases: predicates.iter().map(|p| p.base).collect(),
            sparse: sparse.to_vec(),
        }
    }

    /// Whether an instance holds.
    #[inline]
    pub(super) fn has(&self, id: u32) -> bool {
        self.present[id as usize] != 0
    }

    /// Adds an instance of a predicate.
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

    /// The terms of an instance.
    pub(super) fn cells(&self, schema: &Schema, predicate: &Predicate, id: u32) -> Vec<TermId> {
        match predicate.sparse {
            Some(place) => {
                let row = self.sparse[place].row(id - predicate.base);
                row.unwrap_or_default().to_vec()
            }
            None => schema.cells(predicate, id).collect(),
        }
    }

    /// The instance with given terms, if it has an id.
    pub(super) fn find(
        &self,
        schema: &Schema,
        predicate: &Predicate,
        mut cell: impl FnMut(usize) -> Option<TermId>,
    ) -> Option<u32> {
        match predicate.sparse {
            Some(place) => {
                let rows = &self.sparse[place];
                let row: Option<Vec<TermId>> = (0..schema.sparse[place]).map(cell).collect();
                Some(predicate.base + rows.find(&row?)?)
            }
            None => schema.id_of(predicate, &mut cell),
        }
    }

    /// A writer that appends many instances of a predicate.
    #[inline]
    pub(super) fn writer(&mut self, predicate: PredicateId) -> Writer<'_> {
        let base = self.bases[predicate as usize];
        let count = &mut self.counts[predicate as usize];
        Writer {
            present: &mut self.present,
            lists: &mut self.lists,
            end: (base + *count) as usize,
            base,
            count,
        }
    }

    /// The true instances of a predicate, in the order of derivation.
    pub(super) fn list(&self, predicate: &Predicate) -> &[u32] {
        self.list_of(predicate.number)
    }

    /// The same, by predicate id.
    #[inline]
    pub(super) fn list_of(&self, predicate: PredicateId) -> &[u32] {
        let base = self.bases[predicate as usize] as usize;
        &self.lists[base..base + self.counts[predicate as usize] as usize]
    }

    /// Copies the true instances of one predicate to another, empty one, whose ids are lower by
    /// `distance`.
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

    /// Removes all instances of a predicate. The list tells which booleans to reset.
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

/// Appends to a list without branches: the id is always written, and the end moves only if the
/// instance is new.
///
/// These few lines take most of the time of a playout. Without bounds checks, hanoi, lights out and
/// pancakes went from 2.7, 2.1 and 4.8 to 3.3, 2.5 and 5.9 million states a second (on a busy
/// machine, together with smaller changes). The checks are therefore made once, when the tables are
/// built: [`TableRule::is_sound`](super::table_rule::TableRule::is_sound).
pub(super) struct Writer<'a> {
    present: &'a mut [u8],
    lists: &'a mut [u32],
    count: &'a mut u32,
    base: u32,
    /// Never beyond the extra entry after all instances of the predicate, since it moves only for
    /// an instance that did not hold.
    end: usize,
}

impl Writer<'_> {
    /// Reads an entry of the lists.
    ///
    /// # Safety
    ///
    /// The place must be within a list: at or after the base of a predicate, and before its count.
    #[inline(always)]
    #[allow(clippy::inline_always)] // two instructions
    pub(super) unsafe fn listed(&self, place: u32) -> u32 {
        debug_assert!((place as usize) < self.lists.len());
        // SAFETY: the caller promises that the place is within a list, and lists lie within the
        // array.
        unsafe { *self.lists.get_unchecked(place as usize) }
    }

    /// Whether an instance holds, as 0 or 1.
    ///
    /// # Safety
    ///
    /// `id` must be an instance id.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    unsafe fn holds(&self, id: u32) -> u8 {
        debug_assert!((id as usize) < self.present.len());
        // SAFETY: there is an entry for every instance id.
        unsafe { *self.present.get_unchecked(id as usize) }
    }

    /// Adds an instance.
    ///
    /// # Safety
    ///
    /// `id` must be an instance of the writer's predicate, or [`NO_RESULT`].
    #[inline(always)]
    #[allow(clippy::inline_always)] // a few instructions in innermost loops
    pub(super) unsafe fn write(&mut self, id: u32) {
        debug_assert!((id as usize) < self.present.len() && self.end < self.lists.len());
        // SAFETY: there is an entry for every instance id. The end moves by one for each new
        // instance, and the list has one more entry than the predicate has instances, so the end is
        // always within it.
        unsafe {
            let present = self.present.get_unchecked_mut(id as usize);
            let is_new = *present ^ 1;
            *present = 1;
            *self.lists.get_unchecked_mut(self.end) = id;
            self.end += usize::from(is_new);
        }
    }

    /// Adds the result of a row, its last entry, if the row's tests pass: `positive` instances that
    /// must hold, then `negative` instances that must not.
    ///
    /// # Safety
    ///
    /// The row must have `positive + negative + 1` instance ids, the last of which is an instance
    /// of the writer's predicate or [`NO_RESULT`].
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(super) unsafe fn write_tested(
        &mut self,
        row: &[u32],
        (positive, negative): (usize, usize),
    ) {
        debug_assert_eq!(row.len(), positive + negative + 1);
        let mut passes = 1u8;
        // SAFETY: the caller promises the length of the row and its ids.
        unsafe {
            for place in 0..positive {
                passes &= self.holds(*row.get_unchecked(place));
            }
            for place in positive..positive + negative {
                passes &= self.holds(*row.get_unchecked(place)) ^ 1;
            }
            let result = *row.get_unchecked(positive + negative);
            self.write(if passes == 0 { NO_RESULT } else { result });
        }
    }

    /// Stores the new length of the list.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(super) fn finish(self) {
        *self.count = self.end as u32 - self.base;
    }
}
