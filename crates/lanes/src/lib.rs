/*!
Lanes: hundreds of playouts at once, one bit of a machine word for each.

A signal of the network is a word with a bit for every lane, and a gate is one or a few instructions
for all lanes together. The network and the random draw of moves become one graph of bitwise
operations, which is ordered, given places in memory and run: by an interpreter everywhere, and as
native code where there is a compiler for the processor.

```text
 Circuit ──compile──▶ LaneGraph ──code──▶ Code ──┬──▶ interpreter
           draw                    sections  └──▶ native
                                             machine: steps, results, lanes that begin anew
```
*/

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
#[cfg(test)]
mod playout_tests;
mod reasoner;
mod recorder;
mod runner;
mod start_log;
mod statistics;
mod step_profile;

pub use reasoner::Lanes;
pub use runner::Backend;
pub use statistics::LaneStatistics;
pub use step_profile::StepProfile;
