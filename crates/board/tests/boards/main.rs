//! What is recognised of real games, drawn as the arena draws it.

mod clicking;
mod collection;
mod common;
mod hostile;
mod shipped;
