/*!
All engines of Ludorum behind one type, by name and options.

[`Engine`] is an engine with its options (`propnet:propagation=forward`, `prover:cache=64`).
[`Engine::build`] makes an [`AnyReasoner`] from rules: an enum of all engines that implements
[`Reasoner`](ludorum_reasoner::Reasoner). [`auto`] is the engine that chooses among the others while
it plays. [`cache`] is a cache of answers around any engine. [`Engine::walker`] gives an engine with
a current state that is used through KIF text.

```
use std::sync::Arc;
use ludorum_engines::Engine;
use ludorum_logic::Rules;
use ludorum_reasoner::{Goal, Reasoner};

let rules = Rules::from_text(
    "(role robot) (init (light off)) (legal robot press)
     (<= (next (light on)) (does robot press))
     (<= terminal (true (light on)))
     (<= (goal robot 100) (true (light on)))",
)
.unwrap();
let mut engine = Engine::PROPNET.build(&Arc::new(rules)).unwrap();
let start = engine.initial().unwrap();
let mut moves = Vec::new();
engine.legal_moves(&start, 0, &mut moves).unwrap();
let end = engine.next(&start, &moves).unwrap();
assert!(engine.is_terminal(&end).unwrap());
assert_eq!(engine.goal(&end, 0).unwrap(), Goal::Value(100));
```
*/

mod any_reasoner;
mod any_state;
pub mod auto;
pub mod cache;
pub mod engine;
mod settings;
#[cfg(feature = "testing")]
pub mod testing;

pub use any_reasoner::AnyReasoner;
pub use any_state::AnyState;
pub use engine::{BuildError, Engine, EngineKind, Propagation};
pub use settings::{EngineSettings, StageWhen};
