/*!
From a reasoner to a move: the players.

A [`Spec`] names a player and its options in one word, as in `mcts:c=0.7,threads=2`. It makes a
[`Player`] for a role of a game; the player is told what was played, asked for moves with a
deadline, and says with each [`Answer`] what it thought.

```
use std::sync::Arc;
use std::time::{Duration, Instant};
use ludorum_logic::Rules;
use ludorum_search::Spec;

let rules = "(role robot) (init (light off)) (legal robot press) (legal robot wait)
    (<= (next (light on)) (does robot press)) (<= (next (light dark)) (does robot wait))
    (<= terminal (true (light on))) (<= terminal (true (light dark)))
    (<= (goal robot 100) (true (light on))) (<= (goal robot 0) (not (true (light on))))";
let rules = Arc::new(Rules::from_text(rules).unwrap());
let spec: Spec = "mcts:simulations=100,engine=prover".parse().unwrap();
let mut player = spec.player(&rules, 0).unwrap();
let answer = player.play(Instant::now() + Duration::from_secs(5)).unwrap();
assert_eq!(answer.text, "press");
```

# How it is put together
- `contract`: what a player is. A player of ours is a [seat](contract) at the table, which knows the
  position and the clock, and a *mind* in a thread of its own, which thinks. The seat never waits
  for the mind longer than the clock allows: what the mind has shown by then is the answer, and
  before it has shown anything there is a legal move. So no engine, however slow, makes a player
  late.
- `spec`: players and options by name. One list holds them all.
- `table`: an engine made once for many players.
- `simple`: `random`, `legal` and `one-ply`.
- `mcs`: flat Monte Carlo.
- `mcts`: Monte Carlo tree search.
- `mini`: Monte Carlo tree search whose playouts follow a portfolio of strategies.
- `minimax`: exhaustive search for small games.
- `solo`: puzzles, in a match or [on their own](solve).
- [`duel`]: matches between two players, and what they prove.
*/

pub mod contract;
pub mod duel;
mod joint;
mod mcs;
mod mcts;
mod mini;
mod minimax;
mod simple;
mod solo;
pub mod spec;
mod stepped;
mod table;
#[cfg(test)]
mod unready;

pub use contract::{
    Answer, Dismissal, MoveReport, Onlooker, PlayError, Player, Report, StrategyReport,
};
pub use duel::Duel;
pub use mcts::Crossing;
pub use solo::solve::{Method, Solution, SolutionProof, SolveError, solve};
pub use spec::{Spec, SpecError};
pub use stepped::mix;
pub use table::Table;
