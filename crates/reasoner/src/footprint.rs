//! How much memory a state takes.

use crate::contract::{Goal, NoGoal};

/// A value that can tell its size, so that a cache can keep within its bound.
pub trait Footprint: Sized {
    /// The bytes it takes on the heap, the allocator's part included. What it shares with others
    /// counts in full: the bound is for the worst case.
    fn heap_bytes(&self) -> usize;
}

/// What an allocation of so many bytes takes, with the allocator's own part: 8 bytes before it, all
/// in steps of 16, 32 at least, as in the common allocators. Small boxes would take half as much
/// again as their contents.
pub fn allocation(bytes: usize) -> usize {
    if bytes == 0 {
        return 0;
    }
    (bytes + 8).next_multiple_of(16).max(32)
}

impl Footprint for Goal {
    fn heap_bytes(&self) -> usize {
        match self {
            Self::Value(_) | Self::Missing(NoGoal::None) => 0,
            Self::Missing(NoGoal::NotANumber(text)) => allocation(text.len()),
            Self::Missing(NoGoal::Several(texts)) => {
                let lengths = texts.iter().map(|text| allocation(text.len()));
                allocation(size_of_val(&**texts)) + lengths.sum::<usize>()
            }
        }
    }
}
