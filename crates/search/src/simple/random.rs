//! `random`: a legal move, uniformly at random.

use ludorum_reasoner::{MoveId, ReasonError, Reasoner};

use ludorum_player::SteppedRng;
use ludorum_player::{Position, Searcher};
use ludorum_player::{SearchContext, SearchResult};

/// Plays a random legal move.
#[derive(Debug)]
pub struct Random(pub SteppedRng);

impl<R: Reasoner> Searcher<R> for Random {
    fn search(
        &mut self,
        _reasoner: &mut R,
        position: &Position<R::State>,
        context: &SearchContext,
    ) -> Result<(), ReasonError> {
        let legal = &position.legal[position.role];
        let choice = self.0.rng().below(legal.len());
        context.publish(SearchResult::of_move(legal[choice]));
        Ok(())
    }

    fn advance(&mut self, _joint_move: &[MoveId], _state: &R::State) {
        self.0.advance();
    }

    fn reset(&mut self) {
        self.0.start_new_line();
    }
}
