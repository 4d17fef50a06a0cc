//! `ludorum player`: a player that game managers reach over the network.

use std::io::Write as _;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::num::NonZeroUsize;
use std::time::Duration;

use ludorum_match::server::{Server, ServerOptions};
use ludorum_match::{CancellationToken, protocol};
use ludorum_players::DEFAULT_PLAYER;
use ludorum_players::PlayerSpec;

use crate::engine_options::PlayersEngine;
use crate::outcome::{CommandOutcome, Failure};
use crate::signals;
use crate::terminal::Terminal;
use crate::value_parsers;

/// Play in the matches of any game manager.
///
/// Listens for the messages of game managers (START, PLAY, STOP, ABORT, INFO, PING, PREVIEW) over
/// HTTP until it is stopped with Ctrl-C or SIGTERM. It searches during the start clock and while
/// others choose, and answers before the end of a clock by a margin that it learns from its own
/// latencies.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// The port; 0 for any free port. The first line printed has the address.
    #[arg(long, default_value_t = 9147)]
    port: u16,

    /// The address to listen on; 0.0.0.0 for all addresses of this machine. Everyone who can reach
    /// it can start matches.
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    listen: IpAddr,

    /// The player, with options; `ludorum players` lists all.
    #[arg(long, value_name = "PLAYER", default_value = DEFAULT_PLAYER)]
    player: PlayerSpec,

    #[command(flatten)]
    engine: PlayersEngine,

    /// The name in the answer to INFO.
    #[arg(long, default_value = "ludorum", value_parser = name)]
    name: String,

    /// The most matches at once; further ones are answered with `busy`.
    #[arg(long, value_name = "N", default_value = "4", value_parser = value_parsers::count)]
    matches: NonZeroUsize,

    /// The number of search threads of each match.
    #[arg(long, value_name = "N", default_value = "1", value_parser = value_parsers::count)]
    threads: NonZeroUsize,

    /// The memory of all matches together in MiB; each has an equal share.
    #[arg(long, value_name = "MIB", default_value_t = 1024)]
    memory: u64,

    /// Do not search while others choose.
    #[arg(long)]
    no_ponder: bool,

    /// Forget a match after this time without a message, in addition to its clocks.
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "300",
        value_parser = value_parsers::seconds
    )]
    patience: Duration,
}

const AFTER_HELP: &str = "\
Examples:
  ludorum player                                      on port 9147, for this machine only
  ludorum player --listen 0.0.0.0 --threads 4         for other machines, four threads a match
  ludorum player --player mcts:c=0.5 --port 9148      another player on another port
  ludorum player --engine prover:cache=64             another engine, with an option
  ludorum player --port 0 --player random --matches 100

The address shows a status page in a browser; /metrics has counters in the format of Prometheus. \
LUDORUM_LOG=info logs every match on standard error, LUDORUM_LOG_FORMAT=json as lines of JSON.

Exit codes: 0 it was stopped, 2 wrong use, or the port is taken.";

fn name(text: &str) -> Result<String, String> {
    if protocol::is_word(text) {
        Ok(text.to_owned())
    } else {
        Err("a name is one word without parentheses".to_owned())
    }
}

pub(crate) fn run(args: &Args, terminal: &mut Terminal) -> Result<CommandOutcome, Failure> {
    let player = args.engine.of(&args.player);
    let options = ServerOptions {
        name: args.name.clone(),
        matches: args.matches.get(),
        threads: args.threads.get(),
        memory: args.memory.max(1),
        ponders: !args.no_ponder,
        idle_timeout: args.patience,
        ..ServerOptions::new(player.clone())
    };
    let address = SocketAddr::from((args.listen, args.port));
    let runtime = signals::runtime()?;
    runtime.block_on(async {
        let server = Server::bind(address, options).await;
        let server = server.map_err(|error| {
            Failure::input_with_help(
                format!("cannot listen on {address}: {error}"),
                "another program may have the port; --port 0 takes any free port",
            )
        })?;
        let address = server.address()?;
        let stop = CancellationToken::new();
        signals::cancel_on_signal(stop.clone());
        writeln!(terminal, "{player} plays at http://{address}")?;
        terminal.flush()?;
        server.run(stop).await;
        Ok(CommandOutcome::Success)
    })
}
