/*!
The arena: play, watch and understand any game in the browser.

[`Arena`] is one server with everything in it: the pages, the interface under them, the library of
games, matches between people, players of ours and players on the network, and the archive. It
listens on this machine alone unless it is told otherwise.

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

# How it is put together
- `state`: what all requests share: the games, the matches, the archive, and how much there may be of
  each.
- `library`: the games that ship and the sheets that people bring.
- `drawing`: pictures of games.
- `live`: matches that are being played. The rules of a match are the
  [manager's](ludorum_match::GameManager); here people are given chairs, what happens is written into a
  log, and watchers read it.
- `adviser`: hints.
- `replay`: matches of the archive, step by step.
- `inside`: rules, networks and engines to look at.
- `http`: what is answered where, and who is let in.
- `metrics`: what is counted.

# Who may do what
Nothing here trusts a request. Strangers' sheets are read within a budget of size, time and threads;
numbers of matches, sheets, watchers and hints are bounded; engines think on threads of their own. A
seat is played by whoever knows its secret.
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
