/*!
Search algorithms for players, generic over the reasoner.

Each implements [`Searcher`](ludorum_player::Searcher); the players made of them are listed in the
crate `ludorum-players`.

- [`Mcts`]: Monte Carlo tree search.
- [`mini`]: Monte Carlo tree search whose playouts follow a portfolio of simulation strategies.
- [`Mcs`]: flat Monte Carlo search.
- [`Minimax`]: iterative deepening with alpha-beta or max^n, for small games.
- [`Random`], [`Legal`] and [`OnePly`]: simple players to compare others with.
- [`options`]: the options of each.
*/

mod mcs;
mod mcts;
pub mod mini;
mod minimax;
pub mod options;
mod simple;
#[cfg(test)]
mod unready;

pub use mcs::Mcs;
pub use mcts::{Mcts, SelectionBenchmark};
pub use minimax::Minimax;
pub use simple::{Legal, OnePly, Random};
