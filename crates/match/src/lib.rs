/*!
Matches: everything between a player and the world.

A [`MatchSetup`] says what is played by whom; [`GameManager::run_match`] plays it, whether the players are
threads of this process or reached over the network, and leaves a [`MatchRecord`]. [`Server`] is the
other side: a player that any game manager can use.

```
use std::time::Duration;
use ludorum_match::{CancellationToken, GameManager, MatchSetup};

let sheet = "(role robot) (init (light off)) (legal robot press) (<= (next (light on)) (does robot press))
    (<= terminal (true (light on))) (<= (goal robot 100) (true (light on)))";
let setup = MatchSetup {
    id: "m1".into(),
    game: "light".into(),
    sheet: sheet.into(),
    start_clock: Duration::from_secs(1),
    play_clock: Duration::from_secs(1),
    participants: vec!["random".parse().unwrap()],
    seed: 1,
    forfeit_after: None,
    max_steps: 100,
};
let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
let record = runtime.block_on(GameManager::new().run_match(&setup, None, &mut (), &mut (), CancellationToken::new()));
assert_eq!(record.unwrap().outcome.unwrap().goals, [Some(100)]);
```

# How it is put together
- [`setup`]: what a match is before it begins: a game, clocks, and an [`Participant`] for each role.
- [`guest`]: somebody who plays and is neither a player of ours nor a server, such as a person.
- [`protocol`]: what game managers and players say to each other.
- [`manager`]: the game manager.
- [`server`]: the player as a server.
- [`log`]: where a match is written down while it is played. Every accepted move is in the log
  before anybody is told of it.
- [`record`]: what is left of a match when it is over, and in between: its moves, states, errors and
  goals.
- [`export`]: records as JSON and as KIF.
- [`archive`]: where matches are kept, in a file of `SQLite`.
- [`tournament`]: many matches between several players: plans, schedules, tables, and who plays
  them.
- [`rating`]: how strong players are, from who got how much against whom.
- [`seed`]: where chance comes from.
*/

pub mod archive;
mod engine_cache;
pub mod export;
pub mod manager;
pub mod match_log;
pub mod metrics;
pub mod move_source;
mod player_client;
pub mod protocol;
pub mod rating;
pub mod record;
pub mod seed;
mod serve;
pub mod server;
pub mod setup;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod tournament;
pub mod tournament_runner;

pub use archive::Archive;
pub use engine_cache::{EngineError, RulesError};
pub use manager::{GameManager, GameManagerError, Spectator, run_match};
pub use match_log::{MatchLog, MatchLogError};
pub use move_source::{CustomPlayer, MoveRequest, MoveSource};
pub use record::{MatchRecord, MatchStep, Outcome, PlayerError, PlayerErrorKind};
pub use serve::serve;
pub use server::Server;
pub use setup::{MatchSetup, Participant};
pub use tokio_util::sync::CancellationToken;
