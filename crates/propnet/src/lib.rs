/*!
Propositional networks: building, optimising and evaluating them, and [`Propnet`], the engine.

A [`CompiledGame`] makes each stage once, on first use:

```text
 Rules ──ground──▶ GroundProgram ──build_network──▶ Network ──passes──▶ Network ──▶ Circuit
```

- [`build_network`] turns a ground program into the basic [`Network`] of propositions, gates and
  transitions.
- [`pass`] holds the optimising passes, one file each; a [`PassList`] chooses among them.
- [`Circuit`] is the lowered form: gates in topological order with negation on the wires.
- [`Propnet`] evaluates it with [`Forward`], [`Backward`] or [`Differential`] propagation.

```
use std::sync::Arc;
use ludorum_logic::Rules;
use ludorum_propnet::{CompileLimits, CompiledGame, Differential, Propnet};
use ludorum_reasoner::Reasoner;

let rules = Rules::from_text(
    "(role robot) (init off) (legal robot press) (<= (next on) (does robot press))
     (<= terminal (true on)) (<= (goal robot 100) (true on)) (<= (goal robot 0) (true off))",
).unwrap();
let game = CompiledGame::new(Arc::new(rules));
let limits = CompileLimits::default();
let mut engine: Propnet<Differential> = Propnet::with_circuit(
    game.network(&limits).unwrap(),
    game.circuit(&limits).unwrap(),
);
let state = engine.initial().unwrap();
let press = engine.find_move(0, "press").unwrap();
let state = engine.next(&state, &[press]).unwrap();
assert!(engine.is_terminal(&state).unwrap());
```
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
pub use compiled_game::{CompiledGame, NetworkReport};
pub use differential::Differential;
pub use dot::DotGraph;
pub use forward::Forward;
pub use ground_game::{BitState, GroundGame};
pub use network::{ComponentKind, Network};
pub use network_builder::build_network;
pub use pass::{Pass, PassList};
pub use propnet_reasoner::{Evaluator, Propnet};
pub use statistics::NetworkStatistics;
