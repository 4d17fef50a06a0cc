//! How much memory a value takes.

use crate::goal::{Goal, NoGoal};

/// A value that knows the size of its allocations, for caches with a memory bound.
pub trait HeapSize: Sized {
    /// The bytes it takes on the heap, including the overhead of the allocator. Shared allocations
    /// count in full, so that the bound holds in the worst case.
    fn heap_bytes(&self) -> usize;
}

/// The size of an allocation including the overhead of the allocator. Common allocators put 8 bytes
/// before each block, round up to multiples of 16, and take at least 32. For small blocks the
/// overhead is about half of the contents.
pub fn allocation(bytes: usize) -> usize {
    if bytes == 0 {
        return 0;
    }
    (bytes + 8).next_multiple_of(16).max(32)
}

impl HeapSize for Goal {
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
