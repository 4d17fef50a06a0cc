//! Players that hardly think: the measure that others are held to.

mod legal;
mod one_ply;
mod random;

pub(crate) use legal::Legal;
pub(crate) use one_ply::OnePly;
pub(crate) use random::Random;
