//! `random`: any legal move, each with the same chance.

use ludorum_reasoner::{MoveId, ReasonError, Reasoner};

use crate::contract::board::{Thought, Watch};
use crate::contract::mind::{Mind, Position};
use crate::stepped::SteppedRng;

/// Plays any legal move.
#[derive(Debug)]
pub(crate) struct Random(pub(crate) SteppedRng);

impl<R: Reasoner> Mind<R> for Random {
    fn think(
        &mut self,
        _reasoner: &mut R,
        position: &Position<R::State>,
        watch: &Watch,
    ) -> Result<(), ReasonError> {
        let legal = &position.legal[position.role];
        let choice = self.0.rng().below(legal.len());
        watch.show(Thought::plain(legal[choice]));
        Ok(())
    }

    fn advance(&mut self, _joint_move: &[MoveId], _state: &R::State) {
        self.0.advance();
    }

    fn forget(&mut self) {
        self.0.jump();
    }
}
