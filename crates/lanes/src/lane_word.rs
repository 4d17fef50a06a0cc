//! Bit slicing: a word with one bit for each lane.

// Inlined code is compiled for the instruction set of its caller.
#![allow(clippy::inline_always)]

/// The number of 64-bit parts of a word.
pub(super) const PARTS: usize = 8;

/// A word of 512 lanes; it fills one cache line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub(super) struct LaneWord(pub(super) [u64; PARTS]);

impl LaneWord {
    /// False in every lane.
    pub(super) const NONE: Self = Self([0; PARTS]);
    /// True in every lane.
    pub(super) const ALL: Self = Self([u64::MAX; PARTS]);
    /// The number of lanes.
    pub(super) const LANES: usize = 64 * PARTS;

    /// The same value in every lane.
    pub(super) fn splat(value: bool) -> Self {
        if value { Self::ALL } else { Self::NONE }
    }

    #[inline(always)]
    pub(super) fn map(self, f: impl Fn(u64) -> u64) -> Self {
        Self(std::array::from_fn(|i| f(self.0[i])))
    }

    #[inline(always)]
    pub(super) fn with(self, other: Self, f: impl Fn(u64, u64) -> u64) -> Self {
        Self(std::array::from_fn(|i| f(self.0[i], other.0[i])))
    }

    #[inline(always)]
    pub(super) fn and(self, other: Self) -> Self {
        self.with(other, |a, b| a & b)
    }

    #[inline(always)]
    pub(super) fn or(self, other: Self) -> Self {
        self.with(other, |a, b| a | b)
    }

    #[inline(always)]
    pub(super) fn xor(self, other: Self) -> Self {
        self.with(other, |a, b| a ^ b)
    }

    /// The lanes of this word that are not in `other`.
    #[inline(always)]
    pub(super) fn without(self, other: Self) -> Self {
        self.with(other, |a, b| a & !b)
    }

    /// This word with the lanes in `lanes` taken from `other`.
    #[inline(always)]
    pub(super) fn blend(self, other: Self, lanes: Self) -> Self {
        Self(std::array::from_fn(|i| {
            self.0[i] ^ (self.0[i] ^ other.0[i]) & lanes.0[i]
        }))
    }

    #[inline(always)]
    pub(super) fn is_empty(self) -> bool {
        self.0.iter().fold(0, |all, word| all | word) == 0
    }

    #[inline(always)]
    pub(super) fn count(self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    pub(super) fn get(&self, lane: usize) -> bool {
        self.0[lane / 64] >> (lane % 64) & 1 == 1
    }

    pub(super) fn set(&mut self, lane: usize, value: bool) {
        let bit = 1 << (lane % 64);
        if value {
            self.0[lane / 64] |= bit;
        } else {
            self.0[lane / 64] &= !bit;
        }
    }

    /// The lanes of each group, in order of first occurrence. Lane `i` belongs to the group of
    /// start `i % starts.len()`.
    pub(super) fn groups(starts: &[usize]) -> Vec<(usize, Self)> {
        let mut groups: Vec<(usize, Self)> = Vec::new();
        for (lane, group) in (0..Self::LANES).zip(starts.iter().cycle()) {
            let place = groups.iter().position(|(known, _)| known == group);
            let place = place.unwrap_or_else(|| {
                groups.push((*group, Self::NONE));
                groups.len() - 1
            });
            groups[place].1.set(lane, true);
        }
        groups
    }

    /// The first `count` of the set lanes.
    #[inline(never)]
    pub(super) fn first_lanes(self, count: u64) -> Self {
        let mut first = Self::NONE;
        let few = usize::try_from(count).unwrap_or(usize::MAX);
        self.lanes()
            .take(few)
            .for_each(|lane| first.set(lane, true));
        first
    }

    /// The set lanes, ascending.
    pub(super) fn lanes(self) -> impl Iterator<Item = usize> {
        (0..PARTS).flat_map(move |i| {
            let mut rest = self.0[i];
            std::iter::from_fn(move || {
                let bit = rest.trailing_zeros() as usize;
                rest &= rest.wrapping_sub(1);
                (bit < 64).then_some(i * 64 + bit)
            })
        })
    }
}
