//! The staged game: rules, and how its fluents and moves stand for those of the original game.

use std::sync::Arc;

use ludorum_logic::Rules;

/// Where an argument of a move comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArgumentSource {
    /// It is the same in all moves of the class.
    Constant(String),
    /// An argument of the prefix.
    Prefix(usize),
    /// An argument of the suffix.
    Suffix(usize),
}

/// Arguments of a move that rules read together, so that the candidate is remembered as one value of
/// all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArgumentGroup {
    /// The places of the arguments, ascending.
    pub places: Vec<usize>,
    /// Whether the value is drawn in the test stage.
    pub is_suffix: bool,
}

/// Moves of a role that are drawn together: one functor, and equal split arguments.
#[derive(Clone, Debug)]
pub struct MoveClass {
    /// The role, by number.
    pub role: usize,
    /// The functor of the move, or the constant.
    pub functor: String,
    /// Where each argument comes from.
    pub arguments: Vec<ArgumentSource>,
    /// The groups of the arguments.
    pub groups: Vec<ArgumentGroup>,
    /// The functor of the move in the draw stage, a constant if it has no argument.
    pub prefix: String,
    /// The functor of the move in the test stage; `None` if the prefix is the whole move.
    pub suffix: Option<String>,
    /// The fluents that remember the candidate: each a functor with the arguments of the prefix that
    /// it takes, or with constants.
    pub remembered: Vec<(String, Vec<ArgumentSource>)>,
    /// The functor of the fluents that remember that a prefix failed.
    pub tried: String,
    /// The fluent that remembers, in a state that may be over, that a move of this kind is legal.
    pub known: Option<String>,
}

/// A pair of stages, and the roles that choose in it.
#[derive(Clone, Debug)]
pub struct StageOfRole {
    /// The fluent of the draw stage.
    pub draw: String,
    /// The fluent of the test stage.
    pub test: String,
    /// The roles that choose.
    pub roles: Vec<usize>,
}

/// A staged game.
#[derive(Clone, Debug)]
pub struct StagedGame {
    /// The staged rules as a rule sheet.
    pub text: String,
    /// The staged rules.
    pub rules: Arc<Rules>,
    /// The stages in the order in which they follow each other.
    pub stages: Vec<StageOfRole>,
    /// The fluent that holds after a test stage in which the step was made.
    pub moved: String,
    /// The fluent of a state that is over if it has no legal move of some kind.
    pub ending: String,
    /// The move of the test stage by which a role gives up its candidate.
    pub fail: String,
    /// The move of the test stage by which a role plays a candidate that is a whole move.
    pub take: String,
    /// The move of a role in the stages of others.
    pub idle: String,
    /// Whether a role draws suffixes.
    pub has_suffix: Vec<bool>,
    /// All classes of moves.
    pub classes: Vec<MoveClass>,
    /// Whether failed candidates are remembered, so that a state without legal moves is recognised.
    pub remembers_failures: bool,
    /// Fluents that are assumed to have one value in every state, as patterns.
    pub assumed: Vec<String>,
    /// Whether rules ask for legal moves, so that terminal and goals need their test.
    pub asks_for_moves: bool,
    /// For each role the fluent of its turn and its only move without it, where roles take turns.
    pub turns: Option<Vec<(String, String)>>,
}
