//! What is recognised of real games, drawn as the arena draws it.

mod collection;
mod common;
mod hostile;
mod shipped;
