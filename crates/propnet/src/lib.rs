/*!
The propositional network and three ways to propagate through it.

[`build()`] makes the basic [`Network`] from a ground program, [`pass`]es make it small, [`Circuit`]
is its form for evaluation, and [`Propnet`] answers questions on it: with [`Forward`], [`Backward`]
or [`Differential`] propagation.
*/

mod add_delete_lists;
mod backward;
pub mod circuit;
mod compile_error;
pub mod compile_limits;
mod compiled_game;
mod component_names;
mod differential;
mod differential_graph;
mod differential_machine;
mod differential_state;
pub mod dot;
mod effect_builder;
pub mod evaluation_order;
mod extended_circuit;
mod forward;
pub mod ground_game;
mod move_effects;
mod move_gates;
pub mod network;
mod network_builder;
mod on_demand;
mod output_bits;
pub mod pass;
mod propnet_reasoner;
mod reasoner_methods;
mod sparse_rows;
pub mod statistics;
mod turn_specialisation;

pub use backward::Backward;
pub use circuit::Circuit;
pub use compile_error::CompileError;
pub use compile_limits::CompileLimits;
pub use compiled_game::CompiledGame;
pub use differential::Differential;
pub use dot::DotGraph;
pub use forward::Forward;
pub use ground_game::{BitState, GroundGame};
pub use network::{ComponentKind, Network};
pub use network_builder::build_network;
pub use pass::{Pass, PassList};
pub use propnet_reasoner::{Evaluator, Propnet};
pub use statistics::NetworkStatistics;
