//! Queries to the reasoner, with a deadline and a budget of positions.

use ludorum_reasoner::{MoveId, ReasonError, Reasoner, Role};

use super::{MAX_GOAL, UNKNOWN};
use ludorum_player::SearchContext;

/// Why a search ended early.
#[derive(Debug)]
pub(super) enum SearchEnd {
    /// The time or the budget is used up.
    Over,
    /// The reasoner failed.
    Reason(ReasonError),
}

impl From<ReasonError> for SearchEnd {
    fn from(error: ReasonError) -> Self {
        match error {
            ReasonError::Stopped => Self::Over,
            error => Self::Reason(error),
        }
    }
}

/// A reasoner with a deadline and a budget of positions.
pub(super) struct QueryBudget<'a, R> {
    pub(super) reasoner: &'a mut R,
    context: &'a SearchContext,
    pub(super) positions: u64,
    most: u64,
}

impl<'a, R: Reasoner> QueryBudget<'a, R> {
    pub(super) fn new(reasoner: &'a mut R, context: &'a SearchContext, most: u64) -> Self {
        Self {
            reasoner,
            context,
            positions: 0,
            most,
        }
    }

    /// Counts a position, and polls the deadline every 16 positions.
    pub(super) fn count(&mut self) -> Result<(), SearchEnd> {
        self.positions += 1;
        let is_spent = self.most > 0 && self.positions > self.most;
        if is_spent || (self.positions.is_multiple_of(16) && self.context.is_over()) {
            return Err(SearchEnd::Over);
        }
        Ok(())
    }

    /// The goal of a role in a terminal state; 50 if the rules give none.
    pub(super) fn goal(&mut self, state: &R::State, role: Role) -> Result<u8, SearchEnd> {
        let goal = self.reasoner.goal(state, role)?;
        Ok(goal.value().unwrap_or(UNKNOWN).min(MAX_GOAL))
    }

    /// The legal moves of all roles; none if a role has no legal move.
    pub(super) fn legal(
        &mut self,
        state: &R::State,
    ) -> Result<Option<Vec<Vec<MoveId>>>, SearchEnd> {
        let roles = self.reasoner.roles().len();
        let mut legal = vec![Vec::new(); roles];
        for (role, moves) in legal.iter_mut().enumerate() {
            self.reasoner.legal_moves(state, role, moves)?;
            if moves.is_empty() {
                return Ok(None);
            }
        }
        Ok(Some(legal))
    }
}
