//! `legal`: always the first legal move.

use ludorum_reasoner::{ReasonError, Reasoner};

use ludorum_player::{Position, Searcher};
use ludorum_player::{SearchContext, SearchResult};

/// Plays the first legal move.
#[derive(Debug)]
pub struct Legal;

impl<R: Reasoner> Searcher<R> for Legal {
    fn search(
        &mut self,
        _reasoner: &mut R,
        position: &Position<R::State>,
        context: &SearchContext,
    ) -> Result<(), ReasonError> {
        if let Some(first) = position.legal[position.role].first() {
            context.publish(SearchResult::of_move(*first));
        }
        Ok(())
    }
}
