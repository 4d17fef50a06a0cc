//! Status of a puzzle search.

use crate::best_line::{FoundLine, SolveMethod};

/// Why no line is better than the best one, besides reaching the ceiling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OptimalityProof {
    /// This technique has searched everything.
    Exhausted(SolveMethod),
}

/// Status of a puzzle search.
#[derive(Clone, Debug)]
pub(crate) struct SearchStatus {
    /// The best line.
    pub(crate) line: Option<FoundLine>,
    /// The highest goal value of the rules.
    pub(crate) ceiling: u8,
    /// Whether the ceiling was derived from the rules.
    pub(crate) is_ceiling_derived: bool,
    pub(crate) proof: Option<OptimalityProof>,
    /// Number of playouts, and of positions of techniques without playouts.
    pub(crate) simulations: u64,
    /// For each technique the positions and bytes that it keeps.
    pub(crate) sizes: Vec<(SolveMethod, u64, u64)>,
}

impl SearchStatus {
    /// Whether the line is known to be optimal.
    pub(crate) fn is_proven(&self) -> bool {
        self.reaches_ceiling() || (self.line.is_some() && self.proof.is_some())
    }

    /// Whether the line reaches the highest goal value of the rules.
    pub(crate) fn reaches_ceiling(&self) -> bool {
        self.line
            .as_ref()
            .is_some_and(|line| line.value >= self.ceiling)
    }
}
