//! Tests of the engines on the bundled games and on recorded playouts.

mod goldens;
mod perft;
mod signature;
mod traces;
