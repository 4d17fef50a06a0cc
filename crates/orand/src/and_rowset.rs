//! The rowset of an AND node while it is proved: rows are appended, and deleted by swapping with
//! the last.

use super::cell::Cell;

/// The rowset of an AND node while it is proved.
#[derive(Clone, Debug, Default)]
pub(super) struct AndRowset<C> {
    pub(super) data: Vec<C>,
    pub(super) len: usize,
    pub(super) stride: usize,
}

impl<C: Cell> AndRowset<C> {
    #[inline]
    pub(super) fn row(&self, i: usize) -> &[C] {
        &self.data[i * self.stride..][..self.stride]
    }

    #[inline]
    pub(super) fn row_mut(&mut self, i: usize) -> &mut [C] {
        &mut self.data[i * self.stride..][..self.stride]
    }

    pub(super) fn bytes(&self) -> usize {
        self.data.capacity() * size_of::<C>()
    }

    pub(super) fn clear(&mut self, stride: usize) {
        self.data.clear();
        self.len = 0;
        self.stride = stride;
    }

    /// Appends a copy of a row and gives it.
    #[inline]
    pub(super) fn push(&mut self, row: &[C]) -> &mut [C] {
        let from = self.data.len();
        self.data.extend_from_slice(row);
        self.len += 1;
        &mut self.data[from..]
    }

    /// Deletes rows, given in rising order, by putting the last row in place of each.
    pub(super) fn delete(&mut self, rows: &[u32]) {
        let stride = self.stride;
        for row in rows.iter().rev() {
            let last = self.len - 1;
            let row = *row as usize;
            if row != last {
                self.data
                    .copy_within(last * stride..(last + 1) * stride, row * stride);
            }
            self.len = last;
            self.data.truncate(last * stride);
        }
    }
}
