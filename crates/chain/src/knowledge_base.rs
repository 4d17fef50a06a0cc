//! The knowledge base of section 3 of the paper: for each predicate a list in the order of
//! production, for each instance whether it is there.

use super::clause::PredicateId;
use super::schema::{Predicate, Schema};
use super::sparse_instances::SparseInstances;
use ludorum_logic::TermId;

/// The number of an instance that never holds.
pub(super) const NEVER_HOLDS: u32 = 0;

/// The number of an instance that always holds and is in no list: writing it does nothing.
pub(super) const NO_RESULT: u32 = 1;

/// The first number that is free for instances.
pub(super) const FIRST: u32 = 2;

/// What is known about one state.
#[derive(Clone, Debug)]
pub(super) struct KnowledgeBase {
    /// For every instance of every predicate, 1 if it holds.
    present: Vec<u8>,
    /// The lists, each from the base of its predicate on, with room for one entry more than there
    /// are instances.
    pub(super) lists: Vec<u32>,
    /// The lengths of the lists, by predicate.
    pub(super) counts: Vec<u32>,
    bases: Vec<u32>,
    /// The rows of sparse predicates.
    pub(super) sparse: Vec<SparseInstances>,
}

impl KnowledgeBase {
    /// Nothing is known; the sparse rows are those of the game.
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

    /// The terms in the columns of an instance.
    pub(super) fn cells(&self, schema: &Schema, predicate: &Predicate, id: u32) -> Vec<TermId> {
        match predicate.sparse {
            Some(place) => {
                let row = self.sparse[place].row(id - predicate.base);
                row.unwrap_or_default().to_vec()
            }
            None => schema.cells(predicate, id).collect(),
        }
    }

    /// The number of the instance with some terms in its columns, if it has one.
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

    /// Writes many instances of a predicate.
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

    /// Writes what holds of one predicate for another one that holds nothing yet, whose instances
    /// are so far below.
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

/// The end of a list, to write at without deciding anything: a number is always written there, and
/// counts only if it is new.
///
/// These few lines are most of the time of play. When their checks of bounds went, hanoi, lights
/// out and pancakes went from 2.7, 2.1 and 4.8 to 3.3, 2.5 and 5.9 million states a second, on a
/// busy machine and together with smaller changes. So the checks are made once, when a program is
/// made: [`TableRule::is_sound`](super::table_rule::TableRule::is_sound).
pub(super) struct Writer<'a> {
    present: &'a mut [u8],
    lists: &'a mut [u32],
    count: &'a mut u32,
    base: u32,
    /// Never beyond the place after all instances of the predicate, for which there is room: it
    /// moves on only for an instance that was not there.
    end: usize,
}

impl Writer<'_> {
    /// An entry of the lists.
    ///
    /// # Safety
    /// The place is within a list: after the base of a predicate, before its count.
    #[inline(always)]
    #[allow(clippy::inline_always)] // two instructions
    pub(super) unsafe fn listed(&self, place: u32) -> u32 {
        debug_assert!((place as usize) < self.lists.len());
        // SAFETY: lists lie within the array, which the caller promises.
        unsafe { *self.lists.get_unchecked(place as usize) }
    }

    /// Whether an instance holds, as 0 or 1.
    ///
    /// # Safety
    /// It is the number of an instance.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    unsafe fn holds(&self, id: u32) -> u8 {
        debug_assert!((id as usize) < self.present.len());
        // SAFETY: there is an entry for every instance.
        unsafe { *self.present.get_unchecked(id as usize) }
    }

    /// Writes an instance.
    ///
    /// # Safety
    /// It is the number of an instance of the writer's predicate, or [`NO_RESULT`].
    #[inline(always)]
    #[allow(clippy::inline_always)] // a handful of instructions in the innermost loops
    pub(super) unsafe fn write(&mut self, id: u32) {
        debug_assert!((id as usize) < self.present.len() && self.end < self.lists.len());
        // SAFETY: there is an entry for every instance. The end is never beyond the place after the
        // last instance of the predicate: it moves by one for each that is new, and there is one
        // more place than instances.
        unsafe {
            let present = self.present.get_unchecked_mut(id as usize);
            let is_new = *present ^ 1;
            *present = 1;
            *self.lists.get_unchecked_mut(self.end) = id;
            self.end += usize::from(is_new);
        }
    }

    /// Writes the result of a row, its last entry, if its tests pass: so many that must hold, then
    /// so many that must not.
    ///
    /// # Safety
    /// The row is as long as that, of numbers of instances, the last one of the writer's predicate
    /// or [`NO_RESULT`].
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(super) unsafe fn write_tested(
        &mut self,
        row: &[u32],
        (positive, negative): (usize, usize),
    ) {
        debug_assert_eq!(row.len(), positive + negative + 1);
        let mut passes = 1u8;
        // SAFETY: as the caller promises.
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

    /// Notes the new length of the list.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(super) fn finish(self) {
        *self.count = self.end as u32 - self.base;
    }
}
