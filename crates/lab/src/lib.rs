/*!
The laboratory: what the engines are held to, and what they are measured by.

- [`conform`] holds engines to recorded playouts ([`trace`]) and to each other, on the games of a
  [`collection`]. The principal entry is
  [`conform::check`]: one game in, a verdict on each engine out; [`pool`] runs many games side by side.
- [`perft`] counts the paths of a game: one number that goes wrong as soon as any move does.
- [`speed`] measures random playouts, compares them with the figures of another system, and makes the
  signature that shows whether a change has changed any result.
- [`lanes`] profiles the engine that plays many games at once; [`memory`] reads the peak of the
  process.
- [`usage`] follows a player's strategies over a match, as the figures of appendix C of the thesis
  do.
- [`golden`] writes down a playthrough of a shipped game; the texts are kept in the folder `goldens`
  and compared by a test.

```
use ludorum_lab::perft::{Perft, perft};
use ludorum_engines::Engine;

let rules = std::sync::Arc::new(ludorum_logic::Rules::from_text(ludorum_games::find("tic-tac-toe").unwrap().text).unwrap());
let request = Perft { depth: 3, ..Perft::default() };
let counts: Vec<u128> = perft(&rules, Engine::PROVER, &request).unwrap().depths.iter().map(|d| d.paths).collect();
assert_eq!(counts, [1, 9, 72, 504]);
```

Nothing here prints; the command line does.
*/

pub mod collection;
pub mod conform;
pub mod golden;
pub mod lanes;
pub mod memory;
pub mod perft;
pub mod pool;
pub mod speed;
pub mod trace;
pub mod usage;
