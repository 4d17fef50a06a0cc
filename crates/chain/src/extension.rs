//! Extensions: the rows of rigid relations, with hash indexes on any set of columns.

use std::hash::{BuildHasher as _, BuildHasherDefault};

use hashbrown::HashTable;
use ludorum_logic::TermId;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

/// A bit set of columns. Columns beyond the 64th are never in the set and are compared one by one.
pub(super) type ColumnSet = u64;

/// Row numbers by the values of some columns.
type RowIndex = FxHashMap<Box<[TermId]>, Vec<u32>>;

/// The rows of a relation, in the order in which they were derived.
#[derive(Debug, Default)]
pub(super) struct Extension {
    pub(super) arity: usize,
    cells: Vec<TermId>,
    count: usize,
    seen: HashTable<u32>,
    indexes: FxHashMap<ColumnSet, RowIndex>,
    /// Distinct values of each column; computed on demand.
    distinct: Vec<f64>,
}

impl Extension {
    pub(super) fn new(arity: usize) -> Self {
        Self {
            arity,
            ..Self::default()
        }
    }

    pub(super) fn len(&self) -> usize {
        self.count
    }

    pub(super) fn row(&self, row: usize) -> &[TermId] {
        &self.cells[row * self.arity..(row + 1) * self.arity]
    }

    /// The number of a row.
    pub(super) fn find(&self, row: &[TermId]) -> Option<u32> {
        let same = |other: &u32| self.row(*other as usize) == row;
        self.seen.find(hash(row), same).copied()
    }

    pub(super) fn contains(&self, row: &[TermId]) -> bool {
        self.find(row).is_some()
    }

    /// Adds a row. Returns false if it is known.
    pub(super) fn insert(&mut self, row: &[TermId]) -> bool {
        if self.contains(row) {
            return false;
        }
        let number = self.count as u32;
        self.count += 1;
        self.distinct.clear();
        self.cells.extend_from_slice(row);
        let (cells, arity) = (&self.cells, self.arity);
        let at = |row: u32| &cells[row as usize * arity..(row as usize + 1) * arity];
        self.seen
            .insert_unique(hash(row), number, |other| hash(at(*other)));
        for (columns, index) in &mut self.indexes {
            index.entry(key(row, *columns)).or_default().push(number);
        }
        true
    }

    /// Creates an index on some columns. Later insertions keep it up to date.
    pub(super) fn index(&mut self, columns: ColumnSet) {
        if columns == 0 || self.indexes.contains_key(&columns) {
            return;
        }
        let mut index = RowIndex::default();
        for row in 0..self.count {
            let key = key(self.row(row), columns);
            index.entry(key).or_default().push(row as u32);
        }
        self.indexes.insert(columns, index);
    }

    /// The rows with the given values in some columns, if there is an index on them.
    pub(super) fn rows_with(&self, columns: ColumnSet, key: &[TermId]) -> Option<&[u32]> {
        let index = self.indexes.get(&columns)?;
        Some(index.get(key).map_or(&[], |rows| &rows[..]))
    }

    /// Number of cells of all rows.
    pub(super) fn cell_count(&self) -> usize {
        self.cells.len()
    }

    /// Approximate bytes of rows and indexes.
    pub(super) fn bytes(&self) -> usize {
        let cells = self.cells.capacity() * size_of::<TermId>();
        let seen = self.seen.capacity() * (size_of::<u32>() + 1);
        let indexes = self.indexes.iter().map(|(columns, index)| {
            let key = columns.count_ones() as usize * size_of::<TermId>();
            // The entry, the key, and at least four row numbers, each with its allocation overhead.
            let entry = size_of::<(Box<[TermId]>, Vec<u32>)>() + 1 + key + 16 + 16;
            index.capacity() * (size_of::<(Box<[TermId]>, Vec<u32>)>() + 1)
                + index.len() * entry
                + self.count * size_of::<u32>()
        });
        cells + seen + indexes.sum::<usize>()
    }

    /// Whether some columns determine the others (a functional dependency).
    pub(super) fn is_function_of(&mut self, columns: ColumnSet) -> bool {
        if columns == 0 {
            return self.count <= 1;
        }
        self.index(columns);
        self.indexes[&columns].values().all(|rows| rows.len() <= 1)
    }

    /// Estimated number of distinct keys of some columns, assuming independent columns.
    #[allow(clippy::cast_precision_loss)] // an estimate
    pub(super) fn keys(&mut self, columns: ColumnSet) -> f64 {
        if self.distinct.len() != self.arity {
            let values = |column: usize| {
                let rows = 0..self.count;
                let set: FxHashSet<TermId> = rows.map(|row| self.row(row)[column]).collect();
                set.len() as f64
            };
            self.distinct = (0..self.arity).map(values).collect();
        }
        let picked = self.distinct.iter().enumerate();
        let picked = picked.filter(|(column, _)| has(columns, *column));
        let product: f64 = picked.map(|(_, count)| count).product();
        product.min(self.count as f64).max(1.0)
    }
}

fn key(row: &[TermId], columns: ColumnSet) -> Box<[TermId]> {
    let picked = row.iter().enumerate();
    let picked = picked.filter(|(column, _)| has(columns, *column));
    picked.map(|(_, term)| *term).collect()
}

/// Whether a set contains a column.
pub(super) fn has(columns: ColumnSet, column: usize) -> bool {
    column < 64 && columns >> column & 1 == 1
}

/// The set of the first `count` columns, as far as sets reach.
pub(super) fn all_columns(count: usize) -> ColumnSet {
    match count {
        0 => 0,
        1..64 => (1 << count) - 1,
        _ => ColumnSet::MAX,
    }
}

fn hash(row: &[TermId]) -> u64 {
    BuildHasherDefault::<FxHasher>::default().hash_one(row)
}
