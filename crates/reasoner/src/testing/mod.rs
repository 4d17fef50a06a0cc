//! Shared test support for engines: random rule sheets, a naive reasoner to compare with, lockstep
//! comparison, and minimisation of failing sheets.
//!
//! Behind the feature `testing`. Nothing here is fast.

mod flood;
pub mod generate;
pub mod lockstep;
pub mod naive;
pub mod shrink;
mod signature;
mod types;
