//! Rowsets (Świechowski 2015, section 6.4.2): rows of symbols in one block of memory, with lookup
//! by columns.
//!
//! A rowset never shrinks: clearing sets the number of rows to zero. Lookup structures
//! ([`RowLookup`]) are rebuilt on demand after a change, and only for the columns that are looked
//! up.

use super::cell::{Cell, mix, top};
use super::settings::{OrandSettings, RowLookup};

/// No row.
pub(super) const NONE: u32 = u32::MAX;

/// A hash index with chaining, over some columns.
#[derive(Clone, Debug, Default)]
pub(super) struct HashChains {
    stamp: u64,
    built: usize,
    pub(super) heads: Vec<u32>,
    pub(super) next: Vec<u32>,
}

/// The first and last row of each symbol in a column (section B.1).
#[derive(Clone, Debug, Default)]
pub(super) struct Spans {
    stamp: u64,
    built: usize,
    /// By symbol: stamp, first row, last row.
    pub(super) of: Vec<(u64, u32, u32)>,
}

/// A row access: lookup by some columns.
#[derive(Clone, Debug)]
pub(super) struct RowAccess {
    columns: Box<[usize]>,
    pub(super) chains: HashChains,
    /// Where the last search ended (section B.3).
    last: u32,
}

/// The rows of a relation or a node.
#[derive(Clone, Debug)]
pub(super) struct Rowset<C> {
    pub(super) width: usize,
    pub(super) len: usize,
    pub(super) data: Vec<C>,
    pub(super) accesses: Vec<RowAccess>,
    pub(super) spans: Vec<Spans>,
    stamp: u64,
    row_lookup: RowLookup,
    filtering_order: bool,
}

impl<C: Cell> Rowset<C> {
    pub(super) fn new(width: usize, settings: OrandSettings) -> Self {
        Self {
            width,
            len: 0,
            data: Vec::new(),
            accesses: Vec::new(),
            spans: vec![Spans::default(); width],
            stamp: 1,
            row_lookup: settings.row_lookup,
            filtering_order: settings.filtering_order,
        }
    }

    pub(super) fn clear(&mut self) {
        self.len = 0;
        self.data.clear();
        self.stamp += 1;
    }

    /// Exchanges the rows with another block. Returns the old number of rows.
    pub(super) fn swap(&mut self, data: &mut Vec<C>, len: usize) -> usize {
        std::mem::swap(&mut self.data, data);
        self.stamp += 1;
        std::mem::replace(&mut self.len, len)
    }

    #[inline]
    pub(super) fn push(&mut self, row: &[C]) {
        self.data.extend_from_slice(row);
        self.len += 1;
    }

    #[inline]
    pub(super) fn row(&self, i: usize) -> &[C] {
        &self.data[i * self.width..][..self.width]
    }

    /// The access by these columns, created if necessary.
    pub(super) fn access(&mut self, columns: &[usize]) -> usize {
        let found = self.accesses.iter().position(|a| *a.columns == *columns);
        found.unwrap_or_else(|| {
            self.accesses.push(RowAccess {
                columns: columns.into(),
                chains: HashChains::default(),
                last: 0,
            });
            self.accesses.len() - 1
        })
    }

    /// Drops all accesses.
    pub(super) fn forget_accesses(&mut self) {
        self.accesses = Vec::new();
        self.spans = vec![Spans::default(); self.width];
    }

    /// Updates the lookup structure of an access.
    #[inline]
    pub(super) fn ready(&mut self, access: usize) {
        match self.row_lookup {
            RowLookup::Scan => {}
            RowLookup::HashChains => {
                let chains = &self.accesses[access].chains;
                if chains.stamp != self.stamp || chains.built != self.len {
                    self.chain(access);
                }
            }
            RowLookup::Spans => self.span(access),
        }
    }

    fn chain(&mut self, access: usize) {
        let RowAccess {
            columns, chains, ..
        } = &mut self.accesses[access];
        let wanted = (self.len * 2).next_power_of_two().max(8);
        if chains.stamp != self.stamp || chains.heads.len() < wanted {
            chains.heads.clear();
            chains.heads.resize(wanted.max(chains.heads.len()), NONE);
            chains.next.clear();
            chains.built = 0;
            chains.stamp = self.stamp;
        }
        let mask = chains.heads.len() - 1;
        for i in chains.built..self.len {
            let row = &self.data[i * self.width..][..self.width];
            let hash = columns
                .iter()
                .fold(0, |hash, c| mix(hash, row[*c].symbol()));
            let head = &mut chains.heads[top(hash) & mask];
            chains.next.push(*head);
            *head = i as u32;
        }
        chains.built = self.len;
    }

    fn span(&mut self, access: usize) {
        for column in &self.accesses[access].columns {
            let spans = &mut self.spans[*column];
            if spans.stamp != self.stamp {
                spans.stamp = self.stamp;
                spans.built = 0;
            }
            for i in spans.built..self.len {
                let symbol = self.data[i * self.width + column].symbol() as usize;
                if spans.of.len() <= symbol {
                    spans.of.resize(symbol + 1, (0, 0, 0));
                }
                let span = &mut spans.of[symbol];
                if span.0 == self.stamp {
                    span.2 = i as u32;
                } else {
                    *span = (self.stamp, i as u32, i as u32);
                }
            }
            spans.built = self.len;
        }
    }

    /// The first candidate row for a key, and the row at which to stop. Candidates must be compared
    /// with the key.
    #[inline]
    pub(super) fn start(&self, access: usize, key: &[C]) -> (u32, u32) {
        match self.row_lookup {
            RowLookup::HashChains => {
                let heads = &self.accesses[access].chains.heads;
                let hash = key.iter().fold(0, |hash, cell| mix(hash, cell.symbol()));
                (heads[top(hash) & (heads.len() - 1)], NONE)
            }
            RowLookup::Scan => (0, self.len as u32),
            RowLookup::Spans => {
                let mut first = 0;
                let mut end = self.len as u32;
                for (column, cell) in self.accesses[access].columns.iter().zip(key) {
                    match self.spans[*column].of.get(cell.symbol() as usize) {
                        Some(span) if span.0 == self.stamp => {
                            first = first.max(span.1);
                            end = end.min(span.2 + 1);
                        }
                        _ => return (0, 0),
                    }
                }
                (first.min(end), end)
            }
        }
    }

    /// The next candidate row.
    #[inline]
    pub(super) fn after(&self, access: usize, at: u32) -> u32 {
        match self.row_lookup {
            RowLookup::HashChains => self.accesses[access].chains.next[at as usize],
            _ => at + 1,
        }
    }

    /// Whether a row matches the key.
    #[inline]
    pub(super) fn fits(&self, access: usize, key: &[C], at: u32) -> bool {
        let row = self.row(at as usize);
        self.accesses[access]
            .columns
            .iter()
            .zip(key)
            .all(|(column, cell)| row[*column] == *cell)
    }

    /// Whether some row matches the key and has equal symbols in the pairs of columns.
    #[inline]
    pub(super) fn any(
        &mut self,
        access: usize,
        key: &[C],
        same: &[(usize, usize)],
        work: &mut u64,
    ) -> bool {
        let (start, end) = self.start(access, key);
        if self.filtering_order && self.row_lookup != RowLookup::HashChains {
            return self.any_near(access, key, same, (start, end), work);
        }
        let mut at = start;
        while at != end {
            *work += 1;
            if self.fits(access, key, at) && self.is_same(at, same) {
                return true;
            }
            at = self.after(access, at);
        }
        false
    }

    /// The same, starting at the last match (section B.3).
    fn any_near(
        &mut self,
        access: usize,
        key: &[C],
        same: &[(usize, usize)],
        within: (u32, u32),
        work: &mut u64,
    ) -> bool {
        let (start, end) = within;
        if start >= end {
            return false;
        }
        // Searches upwards from the last match and wraps around. Świechowski 2015 alternates
        // upwards and downwards; the same rows are found, and in most games neither order was
        // faster than none.
        let from = self.accesses[access].last.clamp(start, end - 1);
        for at in (from..end).chain(start..from) {
            *work += 1;
            if self.fits(access, key, at) && self.is_same(at, same) {
                self.accesses[access].last = at;
                return true;
            }
        }
        false
    }

    #[inline]
    pub(super) fn is_same(&self, at: u32, same: &[(usize, usize)]) -> bool {
        same.is_empty() || {
            let row = self.row(at as usize);
            same.iter().all(|(a, b)| row[*a] == row[*b])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_lookups_find_the_same_rows() {
        for row_lookup in [RowLookup::Scan, RowLookup::Spans, RowLookup::HashChains] {
            for filtering_order in [false, true] {
                let settings = OrandSettings {
                    row_lookup,
                    filtering_order,
                    ..OrandSettings::default()
                };
                let mut rows: Rowset<u16> = Rowset::new(2, settings);
                let access = rows.access(&[1]);
                for round in 0..3u16 {
                    rows.clear();
                    for i in 0..50 {
                        rows.push(&[i, (i * 7 + round) % 10]);
                    }
                    rows.ready(access);
                    for symbol in 0..12 {
                        let (mut at, end) = rows.start(access, &[symbol]);
                        let mut found = 0;
                        while at != end {
                            found += u16::from(rows.fits(access, &[symbol], at));
                            at = rows.after(access, at);
                        }
                        assert_eq!(found, if symbol < 10 { 5 } else { 0 });
                        assert_eq!(rows.any(access, &[symbol], &[], &mut 0), symbol < 10);
                    }
                }
            }
        }
    }
}
