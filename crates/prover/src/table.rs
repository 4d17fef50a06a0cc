//! Remembered answers of queries.

use ludorum_logic::TermId;
use rustc_hash::FxHashMap;

/// How far a query has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    /// Its rules run right now; `depth` is its place on the stack of running queries.
    Running { depth: u32 },
    /// In the given round it met the running query at depth `low`, so more answers may come.
    Waiting { round: u32, low: u32 },
    /// All answers are there.
    Complete,
}

/// The remembered queries that hold as long as nothing of one [`ludorum_logic::RelationClass`] changes.
#[derive(Clone, Debug, Default)]
pub(super) struct Layer {
    /// Tables by relation, mask and bound values.
    numbers: FxHashMap<Box<[u32]>, u32>,
    pub(super) tables: Vec<Table>,
}

impl Layer {
    pub(super) fn find(&self, key: &[u32]) -> Option<usize> {
        self.numbers.get(key).map(|number| *number as usize)
    }

    pub(super) fn add(&mut self, key: &[u32], table: Table) -> usize {
        let number = self.tables.len();
        self.numbers.insert(key.into(), number as u32);
        self.tables.push(table);
        number
    }

    pub(super) fn clear(&mut self) {
        self.numbers.clear();
        self.tables.clear();
    }
}

/// The answers of one query.
#[derive(Clone, Debug)]
pub(super) struct Table {
    pub(super) status: Status,
    /// How many cells an answer has; 0 for a yes-or-no question.
    pub(super) width: usize,
    /// How many answers there are.
    pub(super) count: usize,
    /// The answers, cell by cell.
    pub(super) cells: Vec<TermId>,
    /// Positions of answers by hash, once there are many.
    seen: FxHashMap<u64, Vec<u32>>,
}

/// Up to so many answers, comparing with each is quicker than hashing.
const FEW: usize = 8;

impl Table {
    pub(super) fn new(width: usize) -> Self {
        Self {
            status: Status::Running { depth: 0 },
            width,
            count: 0,
            cells: Vec::new(),
            seen: FxHashMap::default(),
        }
    }

    /// Adds an answer; true if it is new.
    pub(super) fn add(&mut self, answer: &[TermId]) -> bool {
        if self.width == 0 {
            let new = self.count == 0;
            self.count = 1;
            return new;
        }
        if self.count < FEW {
            if self.cells.chunks_exact(self.width).any(|row| row == answer) {
                return false;
            }
        } else {
            if self.seen.is_empty() {
                for row in 0..self.count {
                    let hash = hash(&self.cells[row * self.width..][..self.width]);
                    self.seen.entry(hash).or_default().push(row as u32);
                }
            }
            let rows = self.seen.entry(hash(answer)).or_default();
            let (cells, width) = (&self.cells, self.width);
            if rows
                .iter()
                .any(|row| &cells[*row as usize * width..][..width] == answer)
            {
                return false;
            }
            rows.push(self.count as u32);
        }
        self.cells.extend_from_slice(answer);
        self.count += 1;
        true
    }
}

fn hash(answer: &[TermId]) -> u64 {
    use std::hash::BuildHasher as _;
    rustc_hash::FxBuildHasher.hash_one(answer)
}
