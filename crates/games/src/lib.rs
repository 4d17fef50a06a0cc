/*!
The rule sheets that are embedded in the binary, with their metadata.

The principal type is [`ShippedGame`]: a sheet in GDL, its title, its rules in plain words, its roles and
tags, and an optional [`BoardHint`] for drawing. [`all`] lists the games, [`find`] looks one up by
name, [`suggest`] returns the names most similar to a misspelt one.

A game consists of two files in the folder `sheets`: `NAME.kif` is the sheet and `NAME.toml` the
metadata, whose keys are the fields of [`ShippedGame`] and [`BoardHint`]. The build script embeds all pairs
of files, so adding a game only needs these two.

```
for game in ludorum_games::all() {
    println!("{}: {} ({} roles)", game.name, game.title, game.roles.len());
}
assert!(ludorum_games::find("no such game").is_none());
```

A [`BoardPicture`] is a board with the facts of a state: the position and contents of every cell,
independent of the output medium.

This crate does not parse the sheets; it only provides their text.
*/

mod board_hint;
mod board_picture;
mod library;
mod lookup;

pub use board_hint::{BoardHint, CellLayout, LayerHint};
pub use board_picture::{BoardCell, BoardPanel, BoardPicture, CellBackground, CellMark};
pub use library::{MetadataError, ShippedGame, all, metadata_errors};
pub use lookup::{find, search, suggest, tags};
