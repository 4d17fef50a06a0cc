//! The engine on staged games agrees with the prover, draws its moves uniformly, and reports what it
//! cannot answer.
//!
//! `LUDORUM_RANDOM_SHEETS` sets the number of random games.

#[path = "staged/errors.rs"]
mod errors;
#[path = "staged/means.rs"]
mod means;
#[path = "staged/move_games.rs"]
mod move_games;
#[path = "staged/random_games.rs"]
mod random_games;
#[path = "staged/support.rs"]
mod support;
#[path = "staged/uniform.rs"]
mod uniform;
