//! Players that hardly think: the measure that others are held to.

mod legal;
mod one_ply;
mod random;

pub use legal::Legal;
pub use one_ply::OnePly;
pub use random::Random;
