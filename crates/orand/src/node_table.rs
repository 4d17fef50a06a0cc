//! What an OR node knows: what it was asked for, and the results.

use super::cell::{Cell, mix};
use super::row_number_set::RowNumberSet;
use super::rowset::{NONE, Rowset};
use super::settings::OrandSettings;

/// The questions and results of an OR node, valid for one epoch.
#[derive(Clone, Debug)]
pub(super) struct NodeTable<C> {
    /// What the results are valid for.
    pub(super) epoch: u64,
    /// The rows of the filter that were asked for, each once.
    pub(super) asked_data: Vec<C>,
    asked_width: usize,
    pub(super) asked: usize,
    pub(super) asked_numbers: RowNumberSet,
    /// Up to here everything asked for is proved; only recurrent nodes need to know.
    pub(super) done: Vec<bool>,
    /// The first result for every row asked for.
    pub(super) heads: Vec<u32>,
    /// The next result for the same row.
    pub(super) next: Vec<u32>,
    pub(super) owners: Vec<u32>,
    /// The wanted columns of the results.
    pub(super) answers: Rowset<C>,
    pub(super) numbers: RowNumberSet,
    /// Where the current entry into a component of recurrent nodes started.
    pub(super) mark: usize,
}

#[inline]
fn hash<C: Cell>(seed: u64, row: &[C]) -> u64 {
    row.iter().fold(seed, |hash, cell| mix(hash, cell.symbol()))
}

impl<C: Cell> NodeTable<C> {
    pub(super) fn new(asked_width: usize, width: usize, settings: OrandSettings) -> Self {
        Self {
            epoch: 0,
            asked_data: Vec::new(),
            asked_width,
            asked: 0,
            asked_numbers: RowNumberSet::default(),
            done: Vec::new(),
            heads: Vec::new(),
            next: Vec::new(),
            owners: Vec::new(),
            answers: Rowset::new(width, settings),
            numbers: RowNumberSet::default(),
            mark: 0,
        }
    }

    /// Forgets everything. Memory stays.
    pub(super) fn clear(&mut self) {
        self.asked_data.clear();
        self.asked = 0;
        self.asked_numbers.clear();
        self.done.clear();
        self.heads.clear();
        self.next.clear();
        self.owners.clear();
        self.answers.clear();
        self.numbers.clear();
        self.mark = 0;
    }

    /// The number of a row asked for.
    #[inline]
    pub(super) fn ask(&mut self, row: &[C]) -> u32 {
        let width = self.asked_width;
        let data = &self.asked_data;
        let of = |i: u32| &data[i as usize * width..][..width];
        let number = self.asked as u32;
        let known = if width == 0 {
            (self.asked > 0).then_some(0)
        } else {
            self.asked_numbers
                .insert(hash(0, row), number, |i| of(i) == row, |i| hash(0, of(i)))
        };
        if let Some(known) = known {
            return known;
        }
        self.asked_data.extend_from_slice(row);
        self.asked += 1;
        self.done.push(false);
        self.heads.push(NONE);
        number
    }

    pub(super) fn asked_row(&self, i: usize) -> &[C] {
        &self.asked_data[i * self.asked_width..][..self.asked_width]
    }

    /// Adds a result for a row asked for; true if it is new.
    #[inline]
    pub(super) fn add(&mut self, owner: u32, row: &[C]) -> bool {
        let number = self.answers.len as u32;
        if row.is_empty() {
            if self.heads[owner as usize] != NONE {
                return false;
            }
        } else {
            let (owners, answers) = (&self.owners, &self.answers);
            let known = self.numbers.insert(
                hash(u64::from(owner), row),
                number,
                |i| owners[i as usize] == owner && answers.row(i as usize) == row,
                |i| hash(u64::from(owners[i as usize]), answers.row(i as usize)),
            );
            if known.is_some() {
                return false;
            }
        }
        self.answers.push(row);
        self.owners.push(owner);
        self.next.push(self.heads[owner as usize]);
        self.heads[owner as usize] = number;
        true
    }
}
