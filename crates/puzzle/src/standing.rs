//! What a search has come to.

use super::best::{Line, Method};

/// Why nothing better than the best line can be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Proof {
    /// Everything was looked at.
    Exhausted(Method),
}

/// What a search has come to.
#[derive(Clone, Debug)]
pub(super) struct Standing {
    pub(super) line: Option<Line>,
    /// The most that the rules can give.
    pub(super) ceiling: u8,
    /// Whether that was read in the rules.
    pub(super) is_ceiling_read: bool,
    pub(super) proof: Option<Proof>,
    pub(super) simulations: u64,
    /// For each technique that is at work, positions and bytes.
    pub(super) sizes: Vec<(Method, u64, u64)>,
}

impl Standing {
    /// Whether the line is known to be as good as any.
    pub(super) fn is_proven(&self) -> bool {
        self.is_highest() || (self.line.is_some() && self.proof.is_some())
    }

    /// Whether the line gives the most that the rules can give.
    pub(super) fn is_highest(&self) -> bool {
        self.line
            .as_ref()
            .is_some_and(|line| line.value >= self.ceiling)
    }
}
