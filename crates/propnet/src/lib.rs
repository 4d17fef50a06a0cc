/*!
The propositional network and three ways to propagate through it.

[`build()`] makes the basic [`Network`] from a ground program, [`pass`]es make it small, [`Circuit`]
is its form for evaluation, and [`Propnet`] answers questions on it: with [`Forward`], [`Backward`]
or [`Differential`] propagation.
*/

mod backward;
mod build;
pub mod circuit;
mod compiled_game;
mod control;
mod demand;
mod differential;
pub mod dot;
mod draft;
mod effects;
mod evaluate;
mod forward;
pub mod ground_game;
pub mod limits;
mod logic;
mod names;
pub mod network;
pub mod order;
pub mod pass;
mod rim;
mod rows;
pub mod shape;
mod strips;
mod values;
mod wiring;

pub use backward::Backward;
pub use build::build;
pub use circuit::Circuit;
pub use compiled_game::{CompileError, CompiledGame};
pub use differential::Differential;
pub use dot::Drawing;
pub use evaluate::{Evaluator, Propnet};
pub use forward::Forward;
pub use ground_game::{BitState, GroundGame};
pub use limits::Limits;
pub use network::{Kind, Network};
pub use pass::{Pass, PassList};
pub use shape::Shape;
