//! How much memory a state takes.

use crate::contract::{Goal, NoGoal};

/// A value that can tell its size, so that a cache can keep within its bound.
pub trait Footprint: Sized {
    /// The bytes it holds on the heap. What it shares with others counts in full: the bound is for the worst case.
    fn heap_bytes(&self) -> usize;

    /// All bytes.
    fn bytes(&self) -> usize {
        size_of::<Self>() + self.heap_bytes()
    }
}

impl Footprint for Goal {
    fn heap_bytes(&self) -> usize {
        match self {
            Self::Value(_) | Self::Missing(NoGoal::None) => 0,
            Self::Missing(NoGoal::NotANumber(text)) => text.len(),
            Self::Missing(NoGoal::Several(texts)) => texts
                .iter()
                .map(|text| size_of::<String>() + text.len())
                .sum(),
        }
    }
}
