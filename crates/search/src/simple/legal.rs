//! `legal`: the first legal move, always.

use ludorum_reasoner::{ReasonError, Reasoner};

use crate::contract::board::{Thought, Watch};
use crate::contract::mind::{Mind, Position};

/// Plays the first of its legal moves.
#[derive(Debug)]
pub(crate) struct Legal;

impl<R: Reasoner> Mind<R> for Legal {
    fn think(
        &mut self,
        _reasoner: &mut R,
        position: &Position<R::State>,
        watch: &Watch,
    ) -> Result<(), ReasonError> {
        if let Some(first) = position.legal[position.role].first() {
            watch.show(Thought::plain(*first));
        }
        Ok(())
    }
}
