//! `random`: any legal move, each with the same chance.

use ludorum_reason::{Dice, ReasonError, Reasoner};

use crate::contract::board::{Thought, Watch};
use crate::contract::mind::{Mind, Position};

/// Plays any legal move.
#[derive(Debug)]
pub(crate) struct Random(pub(crate) Dice);

impl<R: Reasoner> Mind<R> for Random {
    fn think(
        &mut self,
        _reasoner: &mut R,
        position: &Position<R::State>,
        watch: &Watch,
    ) -> Result<(), ReasonError> {
        let legal = &position.legal[position.role];
        watch.show(Thought::plain(legal[self.0.below(legal.len())]));
        Ok(())
    }
}
