/*!
Lanes: hundreds of playouts at once, one bit of a machine word for each.

A signal of the network is a word with a bit for every lane, and a gate is one or a few instructions
for all lanes together. The network and the random draw of moves become one graph of bitwise
operations, which is ordered, given places in memory and run: by an interpreter everywhere, and as
native code where there is a compiler for the processor.

```text
 Circuit ──compile──▶ Graph ──code──▶ Code ──┬──▶ interpreter
           draw                    sections  └──▶ native
                                             machine: steps, results, lanes that begin anew
```
*/

mod code;
mod compile;
mod draw;
mod figures;
mod graph;
mod guided;
mod interpreter;
#[cfg(test)]
mod lockstep;
mod machine;
mod native;
mod questions;
mod random;
mod reasoner;
mod record;
mod runner;
mod service;
mod shift;
mod starts;
#[cfg(test)]
mod tests;
mod word;
mod workshop;

pub use figures::{LaneStatistics, Profile};
pub use reasoner::Lanes;
pub use runner::Backend;
