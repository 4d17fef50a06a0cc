//! `ludorum arena`, and `ludorum` without a command: the arena in the browser.

use std::io::{self, IsTerminal as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::num::NonZeroUsize;

use clap::Parser;
use ludorum_arena::{Arena, ArenaOptions};
use ludorum_match::{Archive, CancellationToken};

use crate::archive::ArchiveOption;
use crate::outcome::{CommandOutcome, Failure};
use crate::signals;
use crate::terminal::Terminal;

/// The default port; if it is taken, any free port is used.
const DEFAULT_PORT: u16 = 9150;
/// The environment variable that keeps the browser closed.
const NO_BROWSER: &str = "LUDORUM_NO_BROWSER";

/// Play, watch and understand games in the browser.
///
/// Serves the arena until it is stopped with Ctrl-C or SIGTERM: the library of games, matches
/// against the computer, other people and players on the network, your own rule sheets, the
/// archive, and views of the engines. The first line printed is the address; it is opened in the
/// browser if there is a desktop.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// The port; 0 for any free port. If not given, 9150 or any free port.
    #[arg(long)]
    port: Option<u16>,

    /// The address to listen on; 0.0.0.0 for all addresses of this machine. Other machines need the
    /// token that is printed.
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    listen: IpAddr,

    /// The token that clients have to send; a random one if other machines can reach the address
    /// and none is given.
    #[arg(long, value_name = "TOKEN", value_parser = token)]
    token: Option<String>,

    /// An additional host name that requests may use, besides numeric addresses and localhost. May
    /// be given several times.
    #[arg(long, value_name = "NAME")]
    host: Vec<String>,

    /// The most matches at once.
    #[arg(long, value_name = "N", default_value = "32")]
    matches: NonZeroUsize,

    /// The most watching connections at once.
    #[arg(long, value_name = "N", default_value = "600")]
    watchers: NonZeroUsize,

    /// The most memory of each player in MiB.
    #[arg(long, value_name = "MIB", default_value_t = 256)]
    memory: u64,

    /// The most threads of each player.
    #[arg(long, value_name = "N", default_value_t = 4)]
    threads: u64,

    #[command(flatten)]
    archive: ArchiveOption,

    /// Do not keep matches in an archive.
    #[arg(long, conflicts_with = "archive")]
    no_archive: bool,

    /// Do not open a browser.
    #[arg(long, visible_alias = "no-open")]
    no_browser: bool,
}

const AFTER_HELP: &str = "\
Examples:
  ludorum                                             the same as ludorum arena
  ludorum arena --port 8080 --no-browser              on another port, without opening a browser
  ludorum arena --listen 0.0.0.0                      for other machines too, with the printed token
  ludorum arena --listen 0.0.0.0 --token 'our-secret' --host games.example
  ludorum arena --no-archive                          without an archive

The HTTP interface is described at /api/openapi.json; /metrics has counters in the format of \
Prometheus. LUDORUM_LOG=info logs every match on standard error, LUDORUM_LOG_FORMAT=json as lines \
of JSON. LUDORUM_NO_BROWSER=1 keeps the browser closed.

Exit codes: 0 it was stopped, 2 wrong use, or the port is taken.";

fn token(text: &str) -> Result<String, String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if text.len() >= 8 && text.chars().all(is_plain) {
        Ok(text.to_owned())
    } else {
        Err("a token has at least 8 letters, digits, `-` or `_`".to_owned())
    }
}

/// The options with their defaults.
#[derive(Debug, Parser)]
struct DefaultOptions {
    #[command(flatten)]
    args: Args,
}

/// Runs the arena with default options.
pub(crate) fn run_with_defaults(terminal: &mut Terminal) -> Result<CommandOutcome, Failure> {
    run(&DefaultOptions::parse_from(["ludorum"]).args, terminal)
}

pub(crate) fn run(args: &Args, terminal: &mut Terminal) -> Result<CommandOutcome, Failure> {
    let options = ArenaOptions {
        token: args.token.clone(),
        hosts: args.host.clone(),
        archive: args.open_archive()?,
        matches: args.matches.get(),
        watchers: args.watchers.get(),
        memory: args.memory.max(1),
        threads: args.threads.max(1),
        ..ArenaOptions::default()
    };
    let runtime = signals::runtime()?;
    let answer = runtime.block_on(async {
        let arena = args.bind(options).await?;
        let stop = CancellationToken::new();
        signals::cancel_on_signal(stop.clone());
        let url = arena.url()?;
        writeln!(terminal, "Ludorum is at {url}")?;
        terminal.flush()?;
        if args.opens_browser() {
            open_browser(url);
        }
        arena.run(stop).await;
        Ok(CommandOutcome::Success)
    });
    // All matches have ended and are in the archive; a hint that is still being searched is
    // dropped.
    runtime.shutdown_background();
    answer
}

impl Args {
    /// Opens the archive. If the default archive cannot be used, matches are played without one.
    fn open_archive(&self) -> Result<Option<Archive>, Failure> {
        if self.no_archive {
            return Ok(None);
        }
        match self.archive.create() {
            Ok(archive) => Ok(Some(archive)),
            Err(failure) if self.archive.is_given() => Err(failure),
            Err(failure) => {
                tracing::warn!(?failure, "matches are not kept: there is no archive");
                Ok(None)
            }
        }
    }

    async fn bind(&self, options: ArenaOptions) -> Result<Arena, Failure> {
        let address = SocketAddr::from((self.listen, self.port.unwrap_or(DEFAULT_PORT)));
        let mut arena = Arena::bind(address, options.clone()).await;
        let is_taken = |error: &io::Error| error.kind() == io::ErrorKind::AddrInUse;
        if self.port.is_none() && arena.as_ref().is_err_and(is_taken) {
            let any = SocketAddr::from((self.listen, 0));
            arena = Arena::bind(any, options).await;
        }
        arena.map_err(|error| {
            Failure::input_with_help(
                format!("cannot listen on {address}: {error}"),
                "another program may have the port; --port 0 takes any free port",
            )
        })
    }

    fn opens_browser(&self) -> bool {
        let is_unwanted = self.no_browser || std::env::var_os(NO_BROWSER).is_some();
        // Without a terminal on standard output, no person started the program.
        !is_unwanted && io::stdout().is_terminal() && has_desktop()
    }
}

/// Whether there is a desktop to open a browser on.
fn has_desktop() -> bool {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if cfg!(any(windows, target_os = "macos")) {
        // A session over SSH has no desktop of its own.
        return !is_set("SSH_CONNECTION");
    }
    is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")
}

/// Opens a browser without waiting for it.
fn open_browser(url: String) {
    std::thread::spawn(move || {
        if let Err(error) = open::that_detached(&url) {
            tracing::info!(%error, "no browser could be opened");
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_consist_of_characters_that_need_no_escaping_in_a_url() {
        assert!(token("our-secret_1").is_ok());
        for text in ["short", "", "with a space", "with&sign", "with/slash"] {
            assert!(token(text).is_err(), "{text}");
        }
    }
}
