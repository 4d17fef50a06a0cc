//! Who plays the other roles.

use ludorum_reason::{Dice, ReasonError, Role, Walker};

/// A player of a role that the person does not take.
#[derive(Clone, Debug)]
pub(super) enum Opponent {
    /// Draws a legal move by lot.
    Random(Dice),
}

impl Opponent {
    /// An opponent that draws by lot, alike for the same seed.
    pub(super) fn random(seed: u64) -> Self {
        Self::Random(Dice::new(seed))
    }

    /// The position of its move among the legal ones, which are not empty. The walker stands at the state and is left there.
    #[allow(clippy::unnecessary_wraps)] // Opponents that think ask the walker, which may fail.
    pub(super) fn choose(
        &mut self,
        _walker: &mut dyn Walker,
        _role: Role,
        legal: &[String],
    ) -> Result<usize, ReasonError> {
        match self {
            Self::Random(dice) => Ok(dice.below(legal.len())),
        }
    }

    /// What the person is told about it.
    pub(super) fn about(&self) -> &'static str {
        match self {
            Self::Random(_) => "random legal moves",
        }
    }
}
