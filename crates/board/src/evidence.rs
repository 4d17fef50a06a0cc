//! Input that all stages of the recognition share.

use rustc_hash::FxHashSet;

use crate::symbol_order::SuccessorChains;
use crate::term_schema::TermSchema;

/// Knowledge about the game as a whole.
pub(crate) struct GameContext<'a> {
    pub(crate) roles: &'a [String],
    pub(crate) chains: &'a SuccessorChains,
    /// The values that occur in moves with several arguments.
    pub(crate) moved: FxHashSet<&'a str>,
}

/// The schemas of facts and moves with the sampled transitions.
pub(crate) struct Evidence<'a> {
    pub(crate) schemas: &'a [TermSchema],
    pub(crate) moves: &'a [TermSchema],
    pub(crate) roles: &'a [String],
    pub(crate) joints: Vec<Option<&'a Vec<String>>>,
}
