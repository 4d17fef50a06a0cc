//! Reference numbers (Schofield and Saffidine 2013, section 6.1, definition 7).

use std::hash::{BuildHasher as _, BuildHasherDefault};

use hashbrown::HashTable;
use ludorum_logic::TermId;
use rustc_hash::FxHasher;

/// Numbers the distinct value combinations of the live variables.
pub(super) struct ReferenceNumbers {
    width: usize,
    cells: Vec<TermId>,
    pub(super) count: u32,
    seen: HashTable<u32>,
}

impl ReferenceNumbers {
    pub(super) fn new(width: usize) -> Self {
        Self {
            width,
            cells: Vec::new(),
            count: 0,
            seen: HashTable::new(),
        }
    }

    pub(super) fn row(&self, number: u32) -> &[TermId] {
        &self.cells[number as usize * self.width..(number as usize + 1) * self.width]
    }

    pub(super) fn number(&mut self, row: &[TermId]) -> u32 {
        let (cells, width) = (&self.cells, self.width);
        let at = |number: u32| &cells[number as usize * width..(number as usize + 1) * width];
        let hash = hash(row);
        if let Some(known) = self.seen.find(hash, |other| at(*other) == row) {
            return *known;
        }
        let new = self.count;
        self.seen
            .insert_unique(hash, new, |other| self::hash(at(*other)));
        self.cells.extend_from_slice(row);
        self.count += 1;
        new
    }
}

fn hash(row: &[TermId]) -> u64 {
    BuildHasherDefault::<FxHasher>::default().hash_one(row)
}
