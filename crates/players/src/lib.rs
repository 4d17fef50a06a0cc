/*!
The players, by name.

A [`PlayerSpec`] is a player with its options as text: `mcts:c=0.7,threads=2`. It makes a
[`Player`] for a role of a game. The player advances by the joint moves it is given, answers with a
move before a deadline, and adds to each [`Answer`] a report of its search.

```
use std::sync::Arc;
use std::time::{Duration, Instant};
use ludorum_logic::Rules;
use ludorum_players::PlayerSpec;

let rules = "(role robot) (init (light off)) (legal robot press) (legal robot wait)
    (<= (next (light on)) (does robot press)) (<= (next (light dark)) (does robot wait))
    (<= terminal (true (light on))) (<= terminal (true (light dark)))
    (<= (goal robot 100) (true (light on))) (<= (goal robot 0) (not (true (light on))))";
let rules = Arc::new(Rules::from_text(rules).unwrap());
let spec: PlayerSpec = "mcts:simulations=100,engine=prover".parse().unwrap();
let mut player = spec.player(&rules, 0).unwrap();
let answer = player.play(Instant::now() + Duration::from_secs(5)).unwrap();
assert_eq!(answer.text, "press");
```

- [`registry`]: the one list of players, with their options. To add a player, add an entry there.
- [`PlayerSpec`]: the text form of a player.
- [`GameEngine`]: the engine of a game, made once and shared by players and walkers.
- [`solve`](fn@solve): a puzzle solved without a match.
- [`duel`]: matches between two players, and the statistics of their results.
- [`role_assignment`]: which of two sides plays which roles in which match of a series.

The searchers themselves are in `ludorum-search` and `ludorum-puzzle`, generic over the reasoner.
They are compiled here, once, for [`AnyReasoner`](ludorum_engines::AnyReasoner).
*/

pub mod duel;
mod game_engine;
pub mod registry;
pub mod role_assignment;
mod solve;
mod spec;

pub use duel::Duel;
pub use game_engine::GameEngine;
pub use ludorum_player::options::{OptionError, OptionInfo, OptionKind};
pub use ludorum_player::{
    Answer, CancelHandle, MoveReport, OmittedMoves, PlayError, Player, Report, ReportObserver,
    StrategyReport, derive_seed,
};
pub use ludorum_puzzle::{Solution, SolutionProof, SolveMethod};
pub use registry::{DEFAULT_PLAYER, PlayerInfo};
pub use solve::{SolveError, solve, solve_compiled};
pub use spec::{PlayerSpec, PlayerSpecError};
