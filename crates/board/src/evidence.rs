//! What all stages of the recognition know about a game.

use rustc_hash::FxHashSet;

use crate::symbol_order::SuccessorChains;
use crate::term_schema::TermSchema;

/// What the recogniser knows about the whole game.
pub(crate) struct GameContext<'a> {
    pub(crate) roles: &'a [String],
    pub(crate) chains: &'a SuccessorChains,
    /// The values in moves that have several.
    pub(crate) moved: FxHashSet<&'a str>,
}

/// The evidence of a game.
pub(crate) struct Evidence<'a> {
    pub(crate) schemas: &'a [TermSchema],
    pub(crate) moves: &'a [TermSchema],
    pub(crate) roles: &'a [String],
    pub(crate) joints: Vec<Option<&'a Vec<String>>>,
}
