/*!
Matches: the GGP protocol, the game manager, the player as a server, tournaments, the archive.

A [`MatchSetup`] names the game and its participants. [`GameManager::run_match`] plays the match
with local and remote players and returns a [`MatchRecord`]. [`Server`] is the other side of the
protocol: a player that any game manager can use.

```
use std::time::Duration;
use ludorum_match::{CancellationToken, GameManager, MatchSetup};

let sheet = "(role robot) (init (light off)) (legal robot press)
    (<= (next (light on)) (does robot press))
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
let (manager, cancel) = (GameManager::new(), CancellationToken::new());
let record = runtime.block_on(manager.run_match(&setup, None, &mut (), &mut (), cancel));
assert_eq!(record.unwrap().outcome.unwrap().goals, [Some(100)]);
```

# Modules
- [`setup`]: the settings of a match: game, clocks, and a [`Participant`] for each role.
- [`move_source`]: participants that are neither a built-in player nor a server, such as a person.
- [`protocol`]: the messages between game managers and players.
- [`manager`]: the game manager.
- [`server`]: the player as a server.
- [`match_log`]: the write-ahead log of a match. Every accepted move is logged before anybody is
  told of it.
- [`record`]: the record of a match: its moves, states, errors and goals.
- [`export`]: match records as JSON and as KIF.
- [`archive`]: the archive of matches, an `SQLite` file.
- [`tournament`]: plans, schedules and standings; [`tournament_runner`] plays them.
- [`rating`]: ratings from pairwise results.
- [`seed`]: seeds of all randomness.
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
