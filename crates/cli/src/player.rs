//! `ludorum player`: a player that game managers can reach over the network.

use std::io::Write as _;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::num::NonZeroUsize;
use std::time::Duration;

use ludorum_match::server::{Server, ServerOptions};
use ludorum_match::{CancellationToken, protocol};
use ludorum_search::Spec;
use ludorum_search::spec::USUAL;

use crate::clock;
use crate::engines::PlayersEngine;
use crate::outcome::{Answer, Failure};
use crate::signals;
use crate::terminal::Terminal;

/// Play in the matches of any game manager.
///
/// Listens for the messages of game managers (START, PLAY, STOP, ABORT, INFO, PING, PREVIEW) by
/// HTTP until it is stopped with Ctrl-C or SIGTERM. It thinks through the start clock and in the
/// others' time, and answers before a clock ends by a margin that it learns from its own answers.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// The port; 0 for any that is free. The first line that is printed tells which.
    #[arg(long, default_value_t = 9147)]
    port: u16,

    /// The address to listen on; 0.0.0.0 for all of this machine's. Whoever can reach it can let it
    /// think.
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    listen: IpAddr,

    /// Who plays, with options; `ludorum players` lists all.
    #[arg(long, value_name = "PLAYER", default_value = USUAL)]
    player: Spec,

    #[command(flatten)]
    engine: PlayersEngine,

    /// The name that INFO tells.
    #[arg(long, default_value = "ludorum", value_parser = name)]
    name: String,

    /// How many matches are played at once; more are answered with `busy`.
    #[arg(long, value_name = "N", default_value = "4", value_parser = clock::count)]
    matches: NonZeroUsize,

    /// How many threads search in each match.
    #[arg(long, value_name = "N", default_value = "1", value_parser = clock::count)]
    threads: NonZeroUsize,

    /// The memory of all matches together in MiB; each has the same share.
    #[arg(long, value_name = "MIB", default_value_t = 1024)]
    memory: u64,

    /// Do not think in the others' time.
    #[arg(long)]
    no_ponder: bool,

    /// A match is forgotten when nothing is heard of it for so long and its clocks.
    #[arg(long, value_name = "SECONDS", default_value = "300", value_parser = clock::seconds)]
    patience: Duration,
}

const AFTER_HELP: &str = "\
Examples:
  ludorum player                                      on port 9147 of this machine, for this machine
  ludorum player --listen 0.0.0.0 --threads 4         for others too, with four threads a match
  ludorum player --player mcts:c=0.5 --port 9148      another player beside it
  ludorum player --port 0 --player random --matches 100

A browser shows a page at its address; /metrics has counters in the format of Prometheus. LUDORUM_LOG=info tells of every match on standard
error, LUDORUM_LOG_FORMAT=json in lines for machines.

Exit codes: 0 it was stopped, 2 wrong use, or the port is taken.";

fn name(text: &str) -> Result<String, String> {
    if protocol::is_word(text) {
        Ok(text.to_owned())
    } else {
        Err("a name is one word without parentheses".to_owned())
    }
}

pub(crate) fn run(args: &Args, terminal: &mut Terminal) -> Result<Answer, Failure> {
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
                "another program may have the port; --port 0 takes any that is free",
            )
        })?;
        let address = server.address()?;
        let stop = CancellationToken::new();
        signals::cancel_on_signal(stop.clone());
        writeln!(terminal, "{player} plays at http://{address}")?;
        terminal.flush()?;
        server.run(stop).await;
        Ok(Answer::Yes)
    })
}
