/*!
Factored moves and staged draws: a rewriting of rules for games with many moves.

A network has a wire for every ground move, and tests every condition of `legal` for every one. That
collapses where moves have many arguments or expensive conditions. This crate rewrites the rules so
that a step of the game is played in two stages. In the first, a *candidate* is drawn from a superset
of the legal moves that is cheap to test. In the second, all conditions are tested on the candidate
alone, and the rest of its arguments is drawn. If the candidate is legal the state advances, otherwise
another candidate is drawn. The result is an ordinary rule sheet.

- `program`, `unify`: the form in which rules are rewritten;
- `moves`: the rules for legal moves by role and functor, with split arguments;
- `turns`: whether roles take turns;
- `determined`: arguments that the state determines;
- `groups`: groups of arguments that are remembered together;
- `leaves`: which conditions are tested before the draw;
- `candidate`: conditions bound to the candidate;
- `assumptions`: fluents that are taken to have one value, with a test;
- `asks`: "has a legal move" in terminal and goal;
- `assemble`: the staged rules.
*/

// Both cases of a `match` are often of equal weight.
#![allow(clippy::single_match_else)]

mod asks;
mod assemble;
mod assumptions;
mod candidate;
mod determined;
mod error;
mod groups;
mod leaves;
mod moves;
mod options;
mod program;
mod staged;
mod turns;
mod unify;

pub use assemble::stage;
pub use error::NotApplicable;
pub use options::{StageOptions, TurnStages};
pub use staged::{
    ArgumentGroup, ArgumentSource, DeterminedArgument, FluentPattern, MoveClass, StageOfRole,
    StagedGame,
};
