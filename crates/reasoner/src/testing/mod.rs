//! What tests of engines share: random sheets, a naive reading of the language to compare with, and
//! shrinking.
//!
//! Behind the feature `testing`; nothing here is fast.

pub mod generate;
pub mod lockstep;
pub mod naive;
pub mod shrink;
mod signature;
mod types;
