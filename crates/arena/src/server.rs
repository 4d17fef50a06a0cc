//! The server: [`Arena`].

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use ludorum_match::{CancellationToken, serve};
use tokio::net::TcpListener;

use crate::hall::Hall;
use crate::http;
use crate::options::Options;
use crate::secret;

/// How often abandoned matches are looked for.
const ROUND: Duration = Duration::from_secs(5);

/// An arena that can be reached over the network.
#[derive(Debug)]
pub struct Arena {
    listener: TcpListener,
    hall: Arc<Hall>,
}

impl Arena {
    /// Takes an address; port 0 is any that is free. An address that others can reach gets a token if it has none.
    pub async fn bind(address: SocketAddr, mut options: Options) -> io::Result<Self> {
        if options.token.is_none() && !address.ip().is_loopback() {
            let no_chance = || io::Error::other("the system has no random numbers");
            options.token = Some(secret::word(24).ok_or_else(no_chance)?);
        }
        let hall = Hall::new(options, CancellationToken::new()).map_err(io::Error::other)?;
        Ok(Self {
            listener: TcpListener::bind(address).await?,
            hall: Arc::new(hall),
        })
    }

    /// Where it can be reached.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// What to open in a browser on this machine, with the token.
    pub fn url(&self) -> io::Result<String> {
        let mut address = self.address()?;
        if address.ip().is_unspecified() {
            let local: std::net::IpAddr = match address {
                SocketAddr::V4(_) => std::net::Ipv4Addr::LOCALHOST.into(),
                SocketAddr::V6(_) => std::net::Ipv6Addr::LOCALHOST.into(),
            };
            address.set_ip(local);
        }
        Ok(match &self.hall.options.token {
            None => format!("http://{address}/"),
            Some(token) => format!("http://{address}/?token={token}"),
        })
    }

    /// Answers requests until it is stopped. Matches are then broken off, and watchers told.
    pub async fn run(self, stop: CancellationToken) {
        let Self { listener, hall } = self;
        let router = http::router(&hall);
        let mut rounds = tokio::time::interval(ROUND);
        let look_around = async {
            loop {
                rounds.tick().await;
                hall.drop_abandoned();
            }
        };
        let end = async {
            stop.cancelled().await;
            hall.stop.cancel();
        };
        tokio::pin!(end);
        let serving = serve(listener, router, hall.stop.clone());
        tokio::pin!(serving);
        let working = async {
            tokio::select! {
                () = &mut serving => return,
                () = look_around => {}
                () = &mut end => {}
            }
            serving.await;
        };
        working.await;
    }
}
