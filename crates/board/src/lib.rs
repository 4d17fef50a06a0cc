/*!
Draws any game as SVG, without a style sheet.

The principal type is [`Drawing`]: what was recognised of a game. It is made once, from the rules and from states that a few random
playouts went through ([`gather`]), and then draws any state as a [`Scene`]: a picture, the facts that it does not show in words, and for every legal move
the places to click.

```
use std::sync::Arc;
use ludorum_board::{Drawing, Effort, Options, Subject, gather};
use ludorum_logic::Rules;
use ludorum_reason::Engine;

let game = ludorum_games::find("tic-tac-toe").unwrap();
let rules = Arc::new(Rules::from_text(game.text).unwrap());
let mut walker = Engine::Prover.walker(&rules).unwrap();
let samples = gather(&mut *walker, &Effort::default());
let drawing = Drawing::recognise(&Subject { rules: &rules, hint: None, samples: &samples });
assert_eq!(drawing.report().boards[0].size, [3, 3]);

let legal = ["(mark 1 2)".to_owned()];
let scene = drawing.draw(&samples[0].facts, &Options { legal: &legal, ..Options::default() });
assert!(scene.svg.starts_with("<svg"));
assert_eq!(scene.clicks, [["b0:1,2"]]);
```

The data flows one way: `form` (facts and moves by shape, with the values of their leaves), `candidate` (which leaves are coordinates), `grid` and
`track` (boards with cells and layers), `direction` (which way up), `aside` (turn, counters, hands), `clicks` (moves as clicks), `glyph` (what a content looks
like), and then for every state `paint`. Sheets come from strangers: all texts are escaped, and all work and sizes are bounded.
*/

mod aside;
mod candidate;
mod clicks;
mod code;
mod content;
mod direction;
mod drawing;
mod figure;
mod form;
mod glyph;
mod graph;
mod grid;
mod hex;
mod hint;
mod joined;
mod layer;
mod model;
mod order;
mod paint;
mod pits;
mod rigid;
mod sample;
mod siblings;
mod stack;
mod style;
mod svg;
mod swatch;
mod term;
mod track;
mod words;

pub use drawing::{BoardReport, Drawing, Options, Report, Scene, Subject};
pub use sample::{Effort, Sample, gather};
