//! The rowset of an AND node during its proof. Rows are appended, and deleted by swapping with the
//! last row (Świechowski 2015, section 6.4.2).

use super::cell::Cell;

/// The rowset of an AND node.
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

    /// Appends a copy of a row, and returns it for changes.
    #[inline]
    pub(super) fn push(&mut self, row: &[C]) -> &mut [C] {
        let from = self.data.len();
        self.data.extend_from_slice(row);
        self.len += 1;
        &mut self.data[from..]
    }

    /// Deletes rows, given in ascending order, by moving the last row to each position.
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
