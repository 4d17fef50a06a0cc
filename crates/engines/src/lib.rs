/*!
The [`Reasoner`] contract and its engines.

An engine is made from [`ludorum_logic::Rules`] and answers the questions of a game: the initial
state, who may do what, what comes next, whether it is over, who gets what. [`Engine`] names the
engines and builds them; [`GameWalker`] lets code that must not know which engine it has (conformance,
terminals) walk through a game in text.

```
use std::sync::Arc;
use ludorum_logic::Rules;
use ludorum_prover::Prover;
use ludorum_reasoner::{Goal, Reasoner};

let rules = Rules::from_text(
    "(role robot) (init (light off)) (legal robot press)
     (<= (next (light on)) (does robot press))
     (<= terminal (true (light on)))
     (<= (goal robot 100) (true (light on)))",
)
.unwrap();
let mut prover = Prover::new(Arc::new(rules)).unwrap();
let start = prover.initial().unwrap();
let mut moves = Vec::new();
prover.legal_moves(&start, 0, &mut moves).unwrap();
let end = prover.next(&start, &moves).unwrap();
assert!(prover.is_terminal(&end).unwrap());
assert_eq!(prover.goal(&end, 0).unwrap(), Goal::Value(100));
```
*/

mod any_reasoner;
mod any_state;
pub mod auto;
pub mod cache;
pub mod engine;
#[cfg(feature = "testing")]
pub mod testing;

pub use any_reasoner::AnyReasoner;
pub use any_state::AnyState;
pub use engine::{BuildError, Engine, EngineKind, Propagation, Settings};
