/*!
The player as a server: [`Server`] answers the messages of game managers.

Every match is a thread with a player of its own, and several are played at once up to a limit. A player thinks through the start clock and, unless it is told
not to, in the others' time; its answers are ready a margin before the clock ends, which is learned from how late answers were. Messages that do not
fit what was heard before are made sense of where that is possible. Whatever happens in one match (a sheet that no engine takes, a panic, a game
manager that is never heard of again), the others go on.

# How it is put together
- `http`: what is answered where.
- `mailbox`: takes messages in, within bounds.
- `desk`: knows all matches and hands messages on.
- `shared`: what all matches share.
- `game`: a match, in a thread of its own.
- `recall`: reaches that thread when the match is off.
- `position`: where a match stands, as far as the messages tell.
- `margin`: how much of a clock is kept back.
- `metrics`: what is counted.
*/

mod desk;
mod game;
mod http;
mod mailbox;
mod margin;
mod metrics;
mod position;
mod recall;
mod shared;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use ludorum_search::Spec;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use desk::Desk;

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// So many connections are open at once.
const CONNECTIONS: usize = 1024;
/// The head of a request must be here in this time; connections that nothing comes from are closed.
const HEAD: Duration = Duration::from_secs(10);
/// Answers that are on their way are waited for when the server is stopped.
const LAST_ANSWERS: Duration = Duration::from_secs(5);
/// After that, players answer with what they have, and those answers are waited for.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// How often abandoned matches are looked for.
const ROUND: Duration = Duration::from_secs(1);

/// How a player plays.
#[derive(Clone, Debug)]
pub struct Options {
    /// What it is called.
    pub name: String,
    /// The player.
    pub spec: Spec,
    /// How many matches are played at once; more are refused.
    pub matches: usize,
    /// Threads for each match, where the spec says nothing and the player has a use for them.
    pub threads: usize,
    /// The memory of all matches together in MiB, where the spec says nothing.
    pub memory: u64,
    /// Whether it thinks in the others' time.
    pub ponders: bool,
    /// A match is forgotten when nothing is heard of it for this long and its clocks.
    pub patience: Duration,
}

impl Options {
    /// A player with the usual options.
    pub fn new(spec: Spec) -> Self {
        Self {
            name: "ludorum".to_owned(),
            spec,
            matches: 4,
            threads: 1,
            memory: 1024,
            ponders: true,
            patience: Duration::from_mins(5),
        }
    }
}

/// A player that can be reached over the network.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    desk: Arc<Desk>,
}

impl Server {
    /// Takes an address; port 0 is any that is free.
    pub async fn bind(address: SocketAddr, options: Options) -> io::Result<Self> {
        let desk = Desk::new(options).map_err(io::Error::other)?;
        Ok(Self {
            listener: TcpListener::bind(address).await?,
            desk: Arc::new(desk),
        })
    }

    /// Where it can be reached.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Answers messages until it is stopped. Answers that are on their way are then waited for, for some seconds.
    pub async fn run(self, stop: CancellationToken) {
        let Self { listener, desk } = self;
        let router = http::router(Arc::clone(&desk));
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new())
            .header_read_timeout(HEAD)
            // Simple clients close their side as soon as they have said all.
            .half_close(true);
        let connections = Arc::new(Semaphore::new(CONNECTIONS));
        let graceful = GracefulShutdown::new();
        let mut rounds = tokio::time::interval(ROUND);
        loop {
            let accept = async {
                let permit = Arc::clone(&connections).acquire_owned().await;
                (listener.accept().await, permit)
            };
            let (accepted, permit) = tokio::select! {
                biased;
                () = stop.cancelled() => break,
                _ = rounds.tick() => {
                    desk.drop_abandoned();
                    continue;
                }
                accepted = accept => accepted,
            };
            let stream = match accepted {
                Ok((stream, _)) => stream,
                Err(error) => {
                    // Too many open files, mostly: connections that end make room.
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(Duration::from_millis(20)).await;
                    continue;
                }
            };
            // Answers are short, and their time counts.
            let _ = stream.set_nodelay(true);
            let service = TowerToHyperService::new(router.clone());
            let connection = http.serve_connection(TokioIo::new(stream), service);
            let connection = graceful.watch(connection);
            tokio::spawn(async move {
                if let Err(error) = connection.await {
                    tracing::debug!(%error, "a connection broke");
                }
                drop(permit);
            });
        }
        drop(listener);
        let mut answers = std::pin::pin!(graceful.shutdown());
        if timeout(LAST_ANSWERS, &mut answers).await.is_err() {
            desk.hasten();
            if timeout(LAST_WORDS, answers).await.is_err() {
                tracing::warn!("some answers were still on their way");
            }
        }
        desk.clear();
    }
}
