/*!
The arena: play, watch and understand any game in the browser.

[`Arena`] is a web server with the pages, the HTTP interface that they use, the library of games,
matches between people, built-in players and remote players, and the archive. By default it listens
on the loopback address only.

```no_run
use ludorum_arena::{Arena, ArenaOptions};
use ludorum_match::CancellationToken;

# async fn run() -> std::io::Result<()> {
let arena = Arena::bind("127.0.0.1:0".parse().unwrap(), ArenaOptions::default()).await?;
println!("open {}", arena.url()?);
arena.run(CancellationToken::new()).await;
# Ok(())
# }
```

# Modules
- `app_state`: what all requests share: games, matches, archive, limits.
- `library`: built-in games and uploaded rule sheets.
- `pictures`: drawing states as SVG.
- `live`: running matches. The [game manager](ludorum_match::GameManager) plays them; a spectator
  publishes the events of a match to an event log, from which watchers read.
- `hints`: hints by a short search.
- `replay`: positions of archived matches and of shared links.
- `snapshot`: the JSON of a position, as one viewer sees it.
- `inspection`: rules, networks and engines of games.
- `http`: the routes, and the admission of requests.
- `metrics`: the Prometheus metrics.

# Security
Requests are not trusted. Uploaded sheets are processed within limits of size, time and threads;
the numbers of matches, sheets, watchers and hints are limited; engines run on blocking threads. A
role is played by whoever knows its secret.
*/

mod app_state;
mod error;
mod hints;
mod http;
mod inspection;
mod json_response;
mod library;
mod live;
mod metrics;
mod options;
mod pictures;
mod replay;
mod secret;
mod server;
mod snapshot;

pub use options::ArenaOptions;
pub use server::Arena;
