//! What a search has come to.

use crate::best_line::{FoundLine, SolveMethod};

/// Why nothing better than the best line can be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OptimalityProof {
    /// Everything was looked at.
    Exhausted(SolveMethod),
}

/// What a search has come to.
#[derive(Clone, Debug)]
pub(crate) struct SearchStatus {
    pub(crate) line: Option<FoundLine>,
    /// The most that the rules can give.
    pub(crate) ceiling: u8,
    /// Whether that was read in the rules.
    pub(crate) is_ceiling_derived: bool,
    pub(crate) proof: Option<OptimalityProof>,
    pub(crate) simulations: u64,
    /// For each technique that is at work, positions and bytes.
    pub(crate) sizes: Vec<(SolveMethod, u64, u64)>,
}

impl SearchStatus {
    /// Whether the line is known to be as good as any.
    pub(crate) fn is_proven(&self) -> bool {
        self.reaches_ceiling() || (self.line.is_some() && self.proof.is_some())
    }

    /// Whether the line gives the most that the rules can give.
    pub(crate) fn reaches_ceiling(&self) -> bool {
        self.line
            .as_ref()
            .is_some_and(|line| line.value >= self.ceiling)
    }
}
