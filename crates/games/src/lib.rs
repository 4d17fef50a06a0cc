/*!
The rule sheets that ship inside the binary, with what people and drawings need to know about them.

The principal type is [`Game`]: a sheet in GDL, its title, its rules in plain words, its roles and
tags, and a hint how to draw its [`BoardHint`]. [`all`] lists the games, [`find`] looks one up by
name, [`suggest`] offers names close to one that does not exist.

A game is two files in the folder `sheets`: `NAME.kif` is the sheet, `NAME.toml` the metadata, whose
keys are the fields of [`Game`] and [`BoardHint`]. Dropping the two files there is all it takes to
add a game.

```
for game in ludorum_games::all() {
    println!("{}: {} ({} roles)", game.name, game.title, game.roles.len());
}
assert!(ludorum_games::find("no such game").is_none());
```

A [`BoardPicture`] is such a board with the facts of a state on it: where each cell lies and what
stands there, for whoever draws it.

Nothing here reads the sheets: their text is handed on as it is.
*/

mod board_hint;
mod board_picture;
mod library;
mod lookup;

pub use board_hint::{BoardHint, CellLayout, LayerHint};
pub use board_picture::{BoardCell, BoardPanel, BoardPicture, CellBackground, CellMark};
pub use library::{Game, MetadataError, all, metadata_errors};
pub use lookup::{find, search, suggest, tags};
