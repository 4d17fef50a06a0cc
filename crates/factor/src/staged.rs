//! The staged game: rules, and how its fluents and moves stand for those of the original game.

use std::fmt;
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
    /// An argument that the state determines, by its number in the class.
    Determined(usize),
}

/// An argument of a move that a fluent of the state determines.
#[derive(Clone, Debug)]
pub struct DeterminedArgument {
    /// The functor of the fluent.
    pub functor: String,
    /// The arguments of the fluent; `None` at the place of the value.
    pub arguments: Vec<Option<ArgumentSource>>,
    /// The values that moves have.
    pub values: Vec<String>,
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
    /// The arguments that the state determines.
    pub determined: Vec<DeterminedArgument>,
    /// The functor of the fluents that remember that a prefix failed.
    pub tried: String,
    /// The fluent that remembers, in a state that may be over, that a move of this kind is legal.
    pub known: Option<String>,
}

/// All fluents with a functor and some given arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FluentPattern {
    /// The functor.
    pub functor: String,
    /// The arguments; `None` stands for any.
    pub arguments: Vec<Option<String>>,
}

impl fmt::Display for FluentPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.arguments.is_empty() {
            return f.write_str(&self.functor);
        }
        write!(f, "({}", self.functor)?;
        for (i, argument) in self.arguments.iter().enumerate() {
            match argument {
                Some(text) => write!(f, " {text}")?,
                None => write!(f, " ?{}", i + 1)?,
            }
        }
        write!(f, ")")
    }
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
    /// Fluents of which exactly one is assumed to hold in every state, as patterns.
    pub assumed: Vec<FluentPattern>,
    /// The fluent of a state in which a candidate had several values of a determined argument.
    pub broken: Option<String>,
    /// Whether rules ask for legal moves, so that terminal and goals need their test.
    pub asks_for_moves: bool,
    /// Whether the first role draws for the role that has the turn.
    pub shared: bool,
    /// For each role the fluent of its turn and its only move without it, where roles take turns.
    pub turns: Option<Vec<(String, String)>>,
}
