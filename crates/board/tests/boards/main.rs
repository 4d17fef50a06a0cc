//! Recognition and rendering of real games.

mod clicking;
mod collection;
mod common;
mod hostile;
mod shipped;
