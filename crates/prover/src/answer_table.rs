//! Tables of the answers of queries.

use ludorum_logic::TermId;
use rustc_hash::FxHashMap;

/// The progress of the evaluation of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    /// Its rules are running; `depth` is its position on the stack of running queries.
    Running { depth: u32 },
    /// In round `round` its evaluation met the running query at depth `low`. More answers may
    /// follow.
    Waiting { round: u32, low: u32 },
    /// All answers have been found.
    Complete,
}

/// The tables of the queries about relations of one [`ludorum_logic::RelationClass`]. They are
/// dropped together when something of that class changes.
#[derive(Clone, Debug, Default)]
pub(super) struct Layer {
    /// The table numbers, by relation, mask and bound values.
    numbers: FxHashMap<Box<[u32]>, u32>,
    pub(super) tables: Vec<AnswerTable>,
}

impl Layer {
    pub(super) fn find(&self, key: &[u32]) -> Option<usize> {
        self.numbers.get(key).map(|number| *number as usize)
    }

    pub(super) fn add(&mut self, key: &[u32], table: AnswerTable) -> usize {
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
pub(super) struct AnswerTable {
    pub(super) status: Status,
    /// The number of cells of an answer; 0 for a query without free arguments.
    pub(super) width: usize,
    /// The number of answers.
    pub(super) count: usize,
    /// The cells of all answers, concatenated.
    pub(super) cells: Vec<TermId>,
    /// The answers by hash; empty while there are few.
    seen: FxHashMap<u64, Vec<u32>>,
}

/// Up to this number of answers a linear search is faster than hashing.
const MAX_LINEAR_SEARCH: usize = 8;

impl AnswerTable {
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
        if self.count < MAX_LINEAR_SEARCH {
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
