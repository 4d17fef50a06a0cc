/*!
Lanes: hundreds of random playouts at once by bit slicing, one bit of a machine word for each.

Every signal of the circuit is a word with one bit for each lane, and a gate is one or a few bitwise
instructions for all lanes together. The gates of the game and the sampling of random moves become
one graph of bitwise operations. It is scheduled, gets memory slots, and is run by an interpreter on
every platform, or as native code on x86-64 with AVX2 or AVX-512.

```text
 Circuit ──plan::lowering──▶ LaneGraph ──code──▶ Code ──runner──┬──▶ interpreter
             move_sampler               scheduling,             └──▶ native
                                        slot allocation
 LanePlan (code of all turns) ──▶ Machine: steps, results, lanes that restart
```

[`Lanes`] is the engine. It gets its machines from a builder that works in the background. It also
plays [staged games](Staging), in which one step of another game is made in several.
*/

mod accepted_steps;
mod code;
#[cfg(test)]
mod code_tests;
mod graph;
mod guided;
mod interpreter;
mod lane_evaluator;
mod lane_random;
mod lane_word;
mod machine;
mod machine_builder;
#[cfg(test)]
mod machine_builder_tests;
mod move_sampler;
mod native;
mod plan;
mod playout_scheduler;
mod playout_steps;
#[cfg(test)]
mod playout_tests;
mod reasoner;
mod recorder;
mod runner;
mod staged;
mod staging;
#[cfg(test)]
mod staging_tests;
mod start_log;
mod statistics;
mod step_profile;

pub use reasoner::Lanes;
pub use runner::Backend;
#[doc(hidden)]
pub use staged::LastStates;
pub use staged::{StagedError, StagedLanes, StagedState};
pub use staging::{BoundedDraw, Staging, StagingError};
pub use statistics::LaneStatistics;
pub use step_profile::StepProfile;
