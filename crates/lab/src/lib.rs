/*!
Tests and measurements of the engines: conformance, perft, speed, signatures, golden playthroughs.

- [`conform`] compares engines with recorded playouts ([`trace`]) and with each other on the games
  of a [`collection`]. The main entry point is [`conform::check`]: it takes one game and returns a
  verdict on each engine. [`thread_pool`] tests several games in parallel.
- [`perft`] counts the paths of a game tree: a wrong legal move changes the number.
- [`speed`] measures random playouts, compares them with a baseline, and computes the signature that
  shows whether a change has changed any answer.
- [`lanes`] profiles the engine that plays many games at once; [`memory`] reads the peak memory of
  the process.
- [`strategy_usage`] records a player's strategies over a match, as in the figures of Świechowski
  2015, appendix C.
- [`golden`] prints a playthrough of a bundled game. The texts are kept in the folder `goldens`, and
  a test compares them.

```
use ludorum_lab::perft::{PerftRequest, perft};
use ludorum_engines::Engine;

let game = ludorum_games::find("tic-tac-toe").unwrap();
let rules = std::sync::Arc::new(ludorum_logic::Rules::from_text(game.text).unwrap());
let request = PerftRequest { depth: 3, ..PerftRequest::default() };
let result = perft(&rules, Engine::PROVER, &request).unwrap();
let counts: Vec<u128> = result.depths.iter().map(|depth| depth.paths).collect();
assert_eq!(counts, [1, 9, 72, 504]);
```

The functions return values; printing is left to the command line.
*/

pub mod collection;
pub mod conform;
pub mod golden;
pub mod lanes;
pub mod memory;
pub mod perft;
pub mod speed;
pub mod strategy_usage;
pub mod thread_pool;
pub mod trace;
