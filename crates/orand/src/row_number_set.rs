//! A hash set of row numbers that is cleared in constant time.

use super::cell::top;

/// A hash set of row numbers. Stamps make clearing a constant-time operation.
#[derive(Clone, Debug, Default)]
pub(super) struct RowNumberSet {
    /// Stamp and row number.
    pub(super) slots: Vec<(u32, u32)>,
    stamp: u32,
    len: usize,
}

impl RowNumberSet {
    pub(super) fn clear(&mut self) {
        self.len = 0;
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 {
            self.slots.fill((0, 0));
            self.stamp = 1;
        }
    }

    /// Returns the number of an equal row, or adds `number` and returns `None`. `hash_of` is used
    /// when the table grows.
    #[inline]
    pub(super) fn insert(
        &mut self,
        hash: u64,
        number: u32,
        mut equal: impl FnMut(u32) -> bool,
        hash_of: impl Fn(u32) -> u64,
    ) -> Option<u32> {
        if self.slots.len() < 2 * (self.len + 1) {
            self.grow(hash_of);
        }
        let mask = self.slots.len() - 1;
        let mut at = top(hash) & mask;
        loop {
            let (stamp, known) = self.slots[at];
            if stamp != self.stamp {
                self.slots[at] = (self.stamp, number);
                self.len += 1;
                return None;
            }
            if equal(known) {
                return Some(known);
            }
            at = (at + 1) & mask;
        }
    }

    #[cold]
    fn grow(&mut self, hash_of: impl Fn(u32) -> u64) {
        let size = (self.slots.len() * 2).max(16);
        let stamp = self.stamp.max(1);
        let old = std::mem::replace(&mut self.slots, vec![(0, 0); size]);
        for (mark, number) in old {
            if mark == self.stamp && self.stamp != 0 {
                let mut at = top(hash_of(number)) & (size - 1);
                while self.slots[at].0 == stamp {
                    at = (at + 1) & (size - 1);
                }
                self.slots[at] = (stamp, number);
            }
        }
        self.stamp = stamp;
    }
}

#[cfg(test)]
mod tests {
    use super::super::cell::mix;
    use super::*;

    #[test]
    fn equal_rows_are_found_and_clearing_forgets_them() {
        let mut numbering = RowNumberSet::default();
        for _ in 0..3 {
            numbering.clear();
            let values: Vec<u32> = (0..1000).map(|i| i % 300).collect();
            let hash = |value: u32| mix(0, value);
            let mut known: Vec<u32> = Vec::new();
            for value in values {
                let number = known.len() as u32;
                let list = known.clone();
                let found = numbering.insert(
                    hash(value),
                    number,
                    |n| list[n as usize] == value,
                    |n| hash(list[n as usize]),
                );
                if found.is_none() {
                    known.push(value);
                }
            }
            assert_eq!(known.len(), 300);
        }
    }
}
