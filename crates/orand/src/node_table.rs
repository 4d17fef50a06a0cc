//! The results of an OR node, memoised by request (tabling).

use super::cell::{Cell, mix};
use super::row_number_set::RowNumberSet;
use super::rowset::{NONE, Rowset};
use super::settings::OrandSettings;

/// The requests and results of an OR node, valid for one epoch.
#[derive(Clone, Debug)]
pub(super) struct NodeTable<C> {
    /// The epoch for which the results are valid.
    pub(super) epoch: u64,
    /// The distinct filter rows requested.
    pub(super) request_data: Vec<C>,
    request_width: usize,
    /// Number of requests.
    pub(super) request_count: usize,
    pub(super) request_numbers: RowNumberSet,
    /// By request, whether it is completely proved. Only used by recurrent nodes.
    pub(super) done: Vec<bool>,
    /// The first result of each request.
    pub(super) heads: Vec<u32>,
    /// The next result of the same request.
    pub(super) next: Vec<u32>,
    /// By result, its request.
    pub(super) owners: Vec<u32>,
    /// The output columns of the results.
    pub(super) results: Rowset<C>,
    pub(super) numbers: RowNumberSet,
    /// The first request since the current entry into a component of recurrent nodes.
    pub(super) mark: usize,
}

#[inline]
fn hash<C: Cell>(seed: u64, row: &[C]) -> u64 {
    row.iter().fold(seed, |hash, cell| mix(hash, cell.symbol()))
}

impl<C: Cell> NodeTable<C> {
    pub(super) fn new(request_width: usize, width: usize, settings: OrandSettings) -> Self {
        Self {
            epoch: 0,
            request_data: Vec::new(),
            request_width,
            request_count: 0,
            request_numbers: RowNumberSet::default(),
            done: Vec::new(),
            heads: Vec::new(),
            next: Vec::new(),
            owners: Vec::new(),
            results: Rowset::new(width, settings),
            numbers: RowNumberSet::default(),
            mark: 0,
        }
    }

    /// Drops all results and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.request_data.clear();
        self.request_count = 0;
        self.request_numbers.clear();
        self.done.clear();
        self.heads.clear();
        self.next.clear();
        self.owners.clear();
        self.results.clear();
        self.numbers.clear();
        self.mark = 0;
    }

    /// The number of a request, added if it is new.
    #[inline]
    pub(super) fn request(&mut self, row: &[C]) -> u32 {
        let width = self.request_width;
        let data = &self.request_data;
        let of = |i: u32| &data[i as usize * width..][..width];
        let number = self.request_count as u32;
        let known = if width == 0 {
            (self.request_count > 0).then_some(0)
        } else {
            self.request_numbers
                .insert(hash(0, row), number, |i| of(i) == row, |i| hash(0, of(i)))
        };
        if let Some(known) = known {
            return known;
        }
        self.request_data.extend_from_slice(row);
        self.request_count += 1;
        self.done.push(false);
        self.heads.push(NONE);
        number
    }

    pub(super) fn request_row(&self, i: usize) -> &[C] {
        &self.request_data[i * self.request_width..][..self.request_width]
    }

    /// Adds a result of a request. Returns true if it is new.
    #[inline]
    pub(super) fn add(&mut self, owner: u32, row: &[C]) -> bool {
        let number = self.results.len as u32;
        if row.is_empty() {
            if self.heads[owner as usize] != NONE {
                return false;
            }
        } else {
            let (owners, results) = (&self.owners, &self.results);
            let known = self.numbers.insert(
                hash(u64::from(owner), row),
                number,
                |i| owners[i as usize] == owner && results.row(i as usize) == row,
                |i| hash(u64::from(owners[i as usize]), results.row(i as usize)),
            );
            if known.is_some() {
                return false;
            }
        }
        self.results.push(row);
        self.owners.push(owner);
        self.next.push(self.heads[owner as usize]);
        self.heads[owner as usize] = number;
        true
    }
}
