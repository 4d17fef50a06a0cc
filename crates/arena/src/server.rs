//! The arena server: [`Arena`].

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::time::Duration;

use ludorum_match::{CancellationToken, serve};
use tokio::net::TcpListener;

use crate::app_state::AppState;
use crate::http;
use crate::options::ArenaOptions;
use crate::secret;

/// Interval of cancelling abandoned matches.
const CLEANUP_INTERVAL: Duration = Duration::from_secs(5);

/// A bound arena server.
#[derive(Debug)]
pub struct Arena {
    listener: TcpListener,
    state: Arc<AppState>,
}

impl Arena {
    /// Binds an address; port 0 selects a free port. An address that other machines can reach gets
    /// a token if it has none.
    pub async fn bind(address: SocketAddr, mut options: ArenaOptions) -> io::Result<Self> {
        if options.token.is_none() && !address.ip().is_loopback() {
            let no_chance = || io::Error::other("the system has no random numbers");
            options.token = Some(secret::word(24).ok_or_else(no_chance)?);
        }
        let state = AppState::new(options, CancellationToken::new()).map_err(io::Error::other)?;
        Ok(Self {
            listener: TcpListener::bind(address).await?,
            state: Arc::new(state),
        })
    }

    /// The bound address.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// The URL to open in a browser, with the token. If other machines can reach the arena, the URL
    /// works for them.
    pub fn url(&self) -> io::Result<String> {
        let mut address = self.address()?;
        if address.ip().is_unspecified() {
            address.set_ip(own_address(address.is_ipv6()));
        }
        Ok(match &self.state.options.token {
            None => format!("http://{address}/"),
            Some(token) => format!("http://{address}/?token={token}"),
        })
    }

    /// Serves until `stop` is cancelled. Running matches are then cancelled and watchers notified.
    pub async fn run(self, stop: CancellationToken) {
        let Self { listener, state } = self;
        let router = http::router(&state);
        let mut rounds = tokio::time::interval(CLEANUP_INTERVAL);
        let look_around = async {
            loop {
                rounds.tick().await;
                state.drop_abandoned();
            }
        };
        let end = async {
            stop.cancelled().await;
            state.stop.cancel();
        };
        tokio::pin!(end);
        let serving = serve(listener, router, state.stop.clone());
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

/// The address of this machine on its network; loopback without a network.
fn own_address(is_v6: bool) -> IpAddr {
    // The source address of packets to a documentation address; connecting a UDP socket sends
    // nothing.
    let source_address = |own: IpAddr, far: IpAddr| -> io::Result<IpAddr> {
        let socket = UdpSocket::bind((own, 0))?;
        socket.connect((far, 9))?;
        Ok(socket.local_addr()?.ip())
    };
    let v4 = (
        Ipv4Addr::UNSPECIFIED.into(),
        Ipv4Addr::new(192, 0, 2, 1).into(),
    );
    let example = Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1);
    let v6 = (Ipv6Addr::UNSPECIFIED.into(), example.into());
    // A socket on all IPv6 addresses usually accepts IPv4 too.
    let families = if is_v6 { vec![v6, v4] } else { vec![v4] };
    let mut found = families
        .into_iter()
        .filter_map(|(own, far)| source_address(own, far).ok());
    let usable = |ip: &IpAddr| !ip.is_unspecified() && !ip.is_loopback();
    found.find(usable).unwrap_or(if is_v6 {
        Ipv6Addr::LOCALHOST.into()
    } else {
        Ipv4Addr::LOCALHOST.into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_own_address_that_can_be_opened_is_found() {
        for is_v6 in [false, true] {
            assert!(!own_address(is_v6).is_unspecified());
        }
        assert!(own_address(false).is_ipv4());
    }
}
