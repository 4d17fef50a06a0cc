//! Tuple tables: the known rows of a predicate, each a fixed number of term ids, with hash indexes
//! made on demand.
//!
//! Row `r` of a table with arity `a` is `cells[r*a .. (r+1)*a]`; `members` finds a row by its
//! cells. Rows are never removed or moved, so a range of row numbers is a set of rows by age.
//! Semi-naive evaluation needs nothing else to represent deltas. An index on some columns chains
//! the rows of each key in ascending order: `next[row]` is the following row.

use hashbrown::HashTable;

/// No row: the end of a chain.
pub(crate) const NONE: u32 = u32::MAX;

/// Index of a table in [`TupleTables`].
pub(crate) type TableId = u32;

/// Maximum number of terms for which an index on one column is an array by term id instead of a
/// hash table.
const DIRECT_TERMS: usize = 1 << 16;

fn hash(cells: impl Iterator<Item = u32>) -> u64 {
    const K: u64 = 0xf135_7aea_2e62_a9c5;
    let mut h = 0u64;
    for cell in cells {
        h = (h.wrapping_add(u64::from(cell))).wrapping_mul(K);
        h ^= h >> 29;
    }
    h.wrapping_mul(K).rotate_left(26)
}

/// The known rows of a predicate.
#[derive(Debug, Default)]
pub(crate) struct TupleTable {
    pub(crate) arity: usize,
    len: u32,
    cells: Vec<u32>,
    members: HashTable<u32>,
    indexes: Vec<Index>,
    /// Distinct values of each column, counted when the table had `counted` rows.
    distinct: Vec<u32>,
    counted: u32,
}

/// The first and last row of each key, and for each row the next one with the same key.
#[derive(Debug)]
struct Index {
    columns: Box<[u16]>,
    heads: KeyHeads,
    next: Vec<u32>,
}

#[derive(Debug)]
enum KeyHeads {
    /// By term id, for one column over few terms.
    Direct(Vec<[u32; 2]>),
    Hashed(HashTable<[u32; 2]>),
}

impl TupleTable {
    pub(crate) fn new(arity: usize) -> Self {
        Self {
            arity,
            distinct: vec![0; arity],
            ..Self::default()
        }
    }

    pub(crate) fn len(&self) -> u32 {
        self.len
    }

    #[inline]
    pub(crate) fn row(&self, row: u32) -> &[u32] {
        let from = row as usize * self.arity;
        &self.cells[from..from + self.arity]
    }

    /// The row with these cells.
    #[inline]
    pub(crate) fn find(&self, cells: &[u32]) -> Option<u32> {
        if self.arity == 0 {
            return (self.len > 0).then_some(0);
        }
        self.members
            .find(hash(cells.iter().copied()), |row| self.row(*row) == cells)
            .copied()
    }

    /// Adds a row. Returns true if it is new.
    pub(crate) fn insert(&mut self, cells: &[u32]) -> bool {
        if self.arity == 0 {
            let new = self.len == 0;
            self.len = 1;
            return new;
        }
        let Self {
            arity,
            len,
            cells: all,
            members,
            ..
        } = self;
        let row_of = |row: u32| &all[row as usize * *arity..(row as usize + 1) * *arity];
        let h = hash(cells.iter().copied());
        if members.find(h, |row| row_of(*row) == cells).is_some() {
            return false;
        }
        members.insert_unique(h, *len, |row| hash(row_of(*row).iter().copied()));
        all.extend_from_slice(cells);
        *len += 1;
        true
    }

    /// The number of the index on some columns, created if necessary.
    pub(crate) fn index_on(&mut self, columns: &[u16], terms: usize) -> u16 {
        if let Some(at) = self.indexes.iter().position(|i| *i.columns == *columns) {
            return at as u16;
        }
        let heads = if columns.len() == 1 && terms <= DIRECT_TERMS {
            KeyHeads::Direct(Vec::new())
        } else {
            KeyHeads::Hashed(HashTable::new())
        };
        self.indexes.push(Index {
            columns: columns.into(),
            heads,
            next: Vec::new(),
        });
        (self.indexes.len() - 1) as u16
    }

    /// Adds new rows to an index.
    pub(crate) fn refresh(&mut self, index: u16) {
        let Self {
            arity,
            len,
            cells,
            indexes,
            ..
        } = self;
        let Index {
            columns,
            heads,
            next,
        } = &mut indexes[index as usize];
        let cell = |row: u32, column: u16| cells[row as usize * *arity + column as usize];
        let from = next.len() as u32;
        next.resize(*len as usize, NONE);
        for row in from..*len {
            let entry = match heads {
                KeyHeads::Direct(heads) => {
                    let term = cell(row, columns[0]) as usize;
                    if heads.len() <= term {
                        heads.resize(term + 1, [NONE, NONE]);
                    }
                    &mut heads[term]
                }
                KeyHeads::Hashed(heads) => {
                    let h = hash(columns.iter().map(|c| cell(row, *c)));
                    let same =
                        |e: &[u32; 2]| columns.iter().all(|c| cell(e[0], *c) == cell(row, *c));
                    let rehash = |e: &[u32; 2]| hash(columns.iter().map(|c| cell(e[0], *c)));
                    heads
                        .entry(h, same, rehash)
                        .or_insert([NONE, NONE])
                        .into_mut()
                }
            };
            if entry[0] == NONE {
                entry[0] = row;
            } else {
                next[entry[1] as usize] = row;
            }
            entry[1] = row;
        }
    }

    /// The first row with a key, or [`NONE`].
    #[inline]
    pub(crate) fn first(&self, index: u16, key: &[u32]) -> u32 {
        let index = &self.indexes[index as usize];
        match &index.heads {
            KeyHeads::Direct(heads) => heads.get(key[0] as usize).map_or(NONE, |e| e[0]),
            KeyHeads::Hashed(heads) => {
                let same = |e: &[u32; 2]| {
                    let row = self.row(e[0]);
                    index
                        .columns
                        .iter()
                        .zip(key)
                        .all(|(c, k)| row[*c as usize] == *k)
                };
                heads
                    .find(hash(key.iter().copied()), same)
                    .map_or(NONE, |e| e[0])
            }
        }
    }

    /// The row after `row` with the same key, or [`NONE`].
    #[inline]
    pub(crate) fn after(&self, index: u16, row: u32) -> u32 {
        self.indexes[index as usize].next[row as usize]
    }

    /// Recounts the distinct values of each column if the table has grown by half since the last
    /// count.
    pub(crate) fn count_values(&mut self, seen: &mut Vec<u32>, stamp: &mut u32) {
        if self.len <= self.counted + self.counted / 2 && self.counted > 0 || self.arity == 0 {
            return;
        }
        for column in 0..self.arity {
            *stamp += 1;
            let mut count = 0;
            for value in self.cells.iter().skip(column).step_by(self.arity) {
                let value = *value as usize;
                if seen.len() <= value {
                    seen.resize(value + 1, 0);
                }
                if seen[value] != *stamp {
                    seen[value] = *stamp;
                    count += 1;
                }
            }
            self.distinct[column] = count;
        }
        self.counted = self.len;
    }

    /// Distinct values of a column at the last count.
    pub(crate) fn distinct(&self, column: usize) -> u32 {
        self.distinct[column]
    }

    /// Drops all indexes.
    pub(crate) fn drop_indexes(&mut self) {
        self.indexes = Vec::new();
    }

    pub(crate) fn bytes(&self) -> usize {
        let indexes = self.indexes.iter().map(|index| {
            let heads = match &index.heads {
                KeyHeads::Direct(heads) => heads.capacity() * 8,
                KeyHeads::Hashed(heads) => heads.capacity() * 9,
            };
            heads + index.next.capacity() * 4
        });
        self.cells.capacity() * 4 + self.members.capacity() * 5 + indexes.sum::<usize>()
    }
}

/// All tables, by [`TableId`].
#[derive(Debug, Default)]
pub(crate) struct TupleTables {
    pub(crate) all: Vec<TupleTable>,
    seen: Vec<u32>,
    stamp: u32,
}

impl TupleTables {
    pub(crate) fn add(&mut self, arity: usize) -> TableId {
        self.all.push(TupleTable::new(arity));
        (self.all.len() - 1) as TableId
    }

    #[inline]
    pub(crate) fn get(&self, id: TableId) -> &TupleTable {
        &self.all[id as usize]
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, id: TableId) -> &mut TupleTable {
        &mut self.all[id as usize]
    }

    /// Brings the distinct counts of a table up to date.
    pub(crate) fn count_values(&mut self, id: TableId) {
        self.all[id as usize].count_values(&mut self.seen, &mut self.stamp);
    }

    pub(crate) fn bytes(&self) -> usize {
        self.all.iter().map(TupleTable::bytes).sum()
    }

    pub(crate) fn rows(&self) -> u64 {
        self.all.iter().map(|table| u64::from(table.len)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_chains_the_rows_of_a_key_in_the_order_they_came() {
        for terms in [10, usize::MAX] {
            let mut table = TupleTable::new(2);
            for cells in [[1, 2], [3, 2], [1, 5], [1, 2], [1, 7]] {
                table.insert(&cells);
            }
            assert_eq!(table.len(), 4);
            let index = table.index_on(&[0], terms);
            table.refresh(index);
            table.insert(&[1, 9]);
            table.refresh(index);
            let mut found = Vec::new();
            let mut row = table.first(index, &[1]);
            while row != NONE {
                found.push(table.row(row)[1]);
                row = table.after(index, row);
            }
            assert_eq!(found, [2, 5, 7, 9]);
            assert_eq!(table.first(index, &[4]), NONE);
        }
    }

    #[test]
    fn a_proposition_is_a_table_with_at_most_one_row() {
        let mut table = TupleTable::new(0);
        assert_eq!(table.find(&[]), None);
        assert!(table.insert(&[]));
        assert!(!table.insert(&[]));
        assert_eq!(table.find(&[]), Some(0));
    }
}
