//! Simple players, which others are compared with.

mod legal;
mod one_ply;
mod random;

pub use legal::Legal;
pub use one_ply::OnePly;
pub use random::Random;
