/*!
The player as a server: [`Server`] answers the messages of game managers.

Every match is a thread with a player of its own, and several are played at once up to a limit. A
player thinks through the start clock and, unless it is told not to, in the others' time; its
answers are ready a margin before the clock ends, which is learned from how late answers were.
Messages that do not fit what was heard before are made sense of where that is possible. Whatever
happens in one match (a sheet that no engine takes, a panic, a game manager that is never heard of
again), the others go on.

# How it is put together
- `http`: what is answered where.
- `message_reader`: takes messages in, within bounds.
- `registry`: knows all matches and hands messages on.
- `shared`: what all matches share.
- `game`: a match, in a thread of its own.
- `control`: reaches that thread when the match is off.
- `position`: where a match stands, as far as the messages tell.
- `margin`: how much of a clock is kept back.
- `metrics`: what is counted.
*/

mod http;
mod match_control;
mod match_registry;
mod match_thread;
mod match_tracker;
mod message_reader;
mod metrics;
mod safety_margin;
mod server_state;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use ludorum_players::PlayerSpec;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::serve::serve_with_shutdown;
use match_registry::MatchRegistry;

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// How often abandoned matches are looked for.
const CLEANUP_INTERVAL: Duration = Duration::from_secs(1);

/// How a player plays.
#[derive(Clone, Debug)]
pub struct ServerOptions {
    /// What it is called.
    pub name: String,
    /// The player.
    pub spec: PlayerSpec,
    /// How many matches are played at once; more are refused.
    pub matches: usize,
    /// Threads for each match, where the spec says nothing and the player has a use for them.
    pub threads: usize,
    /// The memory of all matches together in MiB, where the spec says nothing.
    pub memory: u64,
    /// Whether it thinks in the others' time.
    pub ponders: bool,
    /// A match is forgotten when nothing is heard of it for this long and its clocks.
    pub idle_timeout: Duration,
}

impl ServerOptions {
    /// A player with the usual options.
    pub fn new(spec: PlayerSpec) -> Self {
        Self {
            name: "ludorum".to_owned(),
            spec,
            matches: 4,
            threads: 1,
            memory: 1024,
            ponders: true,
            idle_timeout: Duration::from_mins(5),
        }
    }
}

/// A player that can be reached over the network.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    registry: Arc<MatchRegistry>,
}

impl Server {
    /// Takes an address; port 0 is any that is free.
    pub async fn bind(address: SocketAddr, options: ServerOptions) -> io::Result<Self> {
        let registry = MatchRegistry::new(options).map_err(io::Error::other)?;
        Ok(Self {
            listener: TcpListener::bind(address).await?,
            registry: Arc::new(registry),
        })
    }

    /// Where it can be reached.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Answers messages until it is stopped. Answers that are on their way are then waited for, for
    /// some seconds.
    pub async fn run(self, stop: CancellationToken) {
        let Self { listener, registry } = self;
        let router = http::router(Arc::clone(&registry));
        let mut rounds = tokio::time::interval(CLEANUP_INTERVAL);
        let look_around = async {
            loop {
                rounds.tick().await;
                registry.drop_abandoned();
            }
        };
        tokio::select! {
            () = serve_with_shutdown(listener, router, stop, || registry.answer_now()) => {}
            () = look_around => {}
        }
        registry.clear();
    }
}
