/*!
Draws any game as SVG, without a style sheet.

The principal type is [`BoardRenderer`]: what was recognised of a game. It is made once, from the
rules and from states that a few random playouts went through ([`sample_states`]), and then draws
any state as a [`RenderedState`]: a picture, the facts that it does not show in words, and for every
legal move the places to click.

```
use std::sync::Arc;
use ludorum_board::{BoardRenderer, SamplingLimits, DrawOptions, RecognitionInput, sample_states};
use ludorum_logic::Rules;
use ludorum_engines::Engine;

let game = ludorum_games::find("tic-tac-toe").unwrap();
let rules = Arc::new(Rules::from_text(game.text).unwrap());
let mut walker = Engine::PROVER.walker(&rules).unwrap();
let samples = sample_states(&mut *walker, &SamplingLimits::default());
let drawing = BoardRenderer::recognise(&RecognitionInput { rules: &rules, hint: None, samples: &samples });
assert_eq!(drawing.report().boards[0].size, [3, 3]);

let legal = ["(mark 1 2)".to_owned()];
let scene = drawing.draw(&samples[0].facts, &DrawOptions { legal: &legal, ..DrawOptions::default() });
assert!(scene.svg.starts_with("<svg"));
assert_eq!(scene.clicks, [["b0:1,2"]]);
```

## From rules to a picture

The data flows one way, and each step is a file:

- `sample` plays a few random playouts; `schema` sorts facts and moves by shape, with the values that
  each of their leaves had and those that the rules allow. `order` knows which values follow which,
  `rigid` what the rules say about the board itself, such as neighbours.
- `joined` reads two fluents as one, `candidate` says which leaves are coordinates and which are
  contents, and then come the boards: `stack` (discs and blocks), `grid` with `hex` (hexagons) and
  `direction` (which way up), `track` (squares with names and lines of places), `graph` (places that
  the rules connect), `siblings` (a few switches in a row), `pits` (two rows that face each other).
  Each takes what the ones before have left.
- `aside` reads what stands beside a board: whose turn it is, counters, hands. `clicks` reads moves
  as clicks.
- `look` says what cells look like, `style`, `glyph` and `swatch` what a content looks like and
  whose colour it has; `figure` and `paint` draw a state.

Sheets come from strangers: all texts are escaped, and all work and sizes are bounded.

## Moves as clicks

A target is an element with the attribute `data-target`: a cell (`b0:2,3`, board and name), a whole
line (`b0:column:4`) or a thing at hand (`h1:knight`). A [`RenderedState`] gives for every legal
move the targets to click one after the other. Moves can share their clicks, a promotion for
example: whoever shows the scene then offers the moves that are left. A move without targets is in
no picture, and is chosen from a list.

## Hints

The metadata of a shipped game may refine what is recognised: the table `[board]` of `NAME.toml`,
read as [`ludorum_games::BoardHint`] and given as [`RecognitionInput::hint`]. It names the fluent
and which of its arguments, counted from 1, are column, row or place and content; the symbols of
columns from left to right and of rows from top to bottom; contents that are empty cells, cells that
are missing, a glyph for a content, and further fluents as layers. The board of the hint is the
first, `b0`. What it does not speak of is recognised as in any other game, and a hint that does not
fit the facts is passed over.

```toml
[board]
shape = "grid"
fluent = "cell"
column = 1
row = 2
content = 3
columns = ["1", "2", "3"]
rows = ["3", "2", "1"]
empty = ["b"]
glyphs = { x = "×", o = "○" }
```
*/

mod candidate;
mod cell_pattern;
mod clicks;
mod content;
mod evidence;
mod figure;
mod flat_term;
mod fluent_groups;
mod fluent_pairs;
mod glyph;
mod graph;
mod grid;
mod hex;
mod hint;
mod layer;
mod model;
mod named_colour;
mod names;
mod opposite_rows;
mod orientation;
mod paint;
mod property_code;
mod recognise;
mod renderer;
mod rigid_relations;
mod sample;
mod stack;
mod status;
mod style;
mod svg;
mod symbol_order;
mod term_schema;
mod track;

pub use renderer::{
    BoardRenderer, BoardReport, DrawOptions, RecognitionInput, RecognitionReport, RenderedState,
};
pub use sample::{SamplingLimits, StateSample, sample_states};
