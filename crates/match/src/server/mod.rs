/*!
The player as a server: [`Server`] answers the messages of game managers.

Every match has a thread and a player of its own; several matches are played at once, up to a limit.
A player searches during the start clock and, unless pondering is off, while others think. Its
answers are ready a safety margin before the clock ends, and the margin is estimated from the delays
of earlier answers. Messages that do not fit the known state are explained where possible. A failure
in one match (a sheet that no engine accepts, a panic, a game manager that disappears) does not
affect the others.

# Modules
- `http`: the routes.
- `message_reader`: reads request bodies within limits.
- `match_registry`: the running matches; passes messages to their threads.
- `server_state`: what all matches share.
- `match_thread`: plays one match.
- `match_control`: cancels a match from outside its thread.
- `match_tracker`: the state of a match, as far as the messages tell.
- `safety_margin`: estimates how long before the end of the clock to answer.
- `metrics`: the Prometheus metrics.
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

/// Interval of removing abandoned matches.
const CLEANUP_INTERVAL: Duration = Duration::from_secs(1);

/// Options of a player server.
#[derive(Clone, Debug)]
pub struct ServerOptions {
    /// The name in answers to INFO.
    pub name: String,
    /// The player.
    pub spec: PlayerSpec,
    /// Limit on concurrent matches; further ones are refused.
    pub matches: usize,
    /// Search threads of each match, unless the spec says otherwise.
    pub threads: usize,
    /// Memory in MiB of all matches together, unless the spec says otherwise.
    pub memory: u64,
    /// Whether players search while others think.
    pub ponders: bool,
    /// A match is removed when no message arrives for this long beyond its clocks.
    pub idle_timeout: Duration,
}

impl ServerOptions {
    /// A player with the default options.
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

/// A player that is reached over the network.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    registry: Arc<MatchRegistry>,
}

impl Server {
    /// Binds an address; port 0 selects a free port.
    pub async fn bind(address: SocketAddr, options: ServerOptions) -> io::Result<Self> {
        let registry = MatchRegistry::new(options).map_err(io::Error::other)?;
        Ok(Self {
            listener: TcpListener::bind(address).await?,
            registry: Arc::new(registry),
        })
    }

    /// The bound address.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves until `stop` is cancelled, then waits some seconds for pending answers.
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
