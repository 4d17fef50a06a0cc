/*!
Recognises the boards of a game and renders its states as SVG.

The principal type is [`BoardRenderer`]. It is made once for a game, from its rules and from states
of a few random playouts ([`sample_states`]). It renders any state as a [`RenderedState`]: a
picture, the facts that the picture does not show, and the click targets of every legal move.

```
use std::sync::Arc;
use ludorum_board::{BoardRenderer, SamplingLimits, DrawOptions, RecognitionInput, sample_states};
use ludorum_logic::Rules;
use ludorum_engines::Engine;

let game = ludorum_games::find("tic-tac-toe").unwrap();
let rules = Arc::new(Rules::from_text(game.text).unwrap());
let mut walker = Engine::PROVER.walker(&rules).unwrap();
let samples = sample_states(&mut *walker, &SamplingLimits::default());
let input = RecognitionInput { rules: &rules, hint: None, samples: &samples };
let renderer = BoardRenderer::recognise(&input);
assert_eq!(renderer.report().boards[0].size, [3, 3]);

let legal = ["(mark 1 2)".to_owned()];
let options = DrawOptions { legal: &legal, ..DrawOptions::default() };
let scene = renderer.draw(&samples[0].facts, &options);
assert!(scene.svg.starts_with("<svg"));
assert_eq!(scene.clicks, [["b0:1,2"]]);
```

## From rules to a picture

Data flows in one direction, and each stage is a module. `recognise` runs them in this order:

1. `sample` samples states of random playouts. `flat_term` splits facts and moves into a shape and
   leaves, and `term_schema` collects the values of each leaf. `symbol_order` finds ordered values,
   `rigid_relations` evaluates relations such as neighbourhoods, and `fluent_pairs` joins fluents
   that are the two coordinates of one position. `evidence` holds what all stages share.
2. `candidate` decides which leaves are coordinates and which are contents. The boards are then
   recognised by `hint`, `stack` (discs and blocks), `grid` with `orientation` and `hex`, `track`
   (named squares and rows of cells), `graph` and `fluent_groups` (several fluents for one cell).
   Each stage works on the schemas that the previous ones left. `opposite_rows` rearranges tracks
   with two sides. `layer` decides how facts are drawn.
3. `status` recognises what is shown beside a board: the role to move, counters and hands. `clicks`
   maps moves to click targets.
4. `cell_pattern` chooses the pattern of cells; `style`, `glyph`, `property_code` and `named_colour`
   choose a glyph and a colour for each content.

The result is a [`BoardRenderer`]; `paint` with `figure` and `svg` renders a state.

Rule sheets are untrusted input: all texts are escaped, and all work and sizes are bounded.

## Moves as clicks

A target is an element with the attribute `data-target`: a cell (`b0:2,3`, board and name), a whole
line (`b0:column:4`) or an item of a hand (`h1:knight`). [`RenderedState::clicks`] has the targets
of every legal move in the order of clicks. Several moves may have the same targets, for example
promotions; the user interface then offers these moves as a list. A move without targets is not
shown in the picture and is chosen from a list.

## Hints

The metadata of a shipped game may refine the recognition: the table `[board]` of `NAME.toml`, read
as [`ludorum_games::BoardHint`] and passed as [`RecognitionInput::hint`]. It names the fluent and
its arguments, counted from 1, that are column, row or place and content. It lists the symbols of
columns from left to right and of rows from top to bottom, contents that mean an empty cell, missing
cells, a glyph for a content, and further fluents as layers. The board of the hint is the first one,
`b0`. Everything else is recognised as in any other game. A hint that does not fit the facts is
ignored.

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
