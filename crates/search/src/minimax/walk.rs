//! Questions about positions, counted and on the clock.

use ludorum_reasoner::{MoveId, ReasonError, Reasoner, Role};

use super::{MOST, UNKNOWN};
use ludorum_player::SearchContext;

/// Why looking ahead ended early.
#[derive(Debug)]
pub(super) enum Stop {
    /// The time or the budget is used up.
    Over,
    /// The engine gave no answer.
    Reason(ReasonError),
}

impl From<ReasonError> for Stop {
    fn from(error: ReasonError) -> Self {
        match error {
            ReasonError::Stopped => Self::Over,
            error => Self::Reason(error),
        }
    }
}

/// A reasoner with a clock and a budget of positions.
pub(super) struct Walk<'a, R> {
    pub(super) reasoner: &'a mut R,
    context: &'a SearchContext,
    pub(super) positions: u64,
    most: u64,
}

impl<'a, R: Reasoner> Walk<'a, R> {
    pub(super) fn new(reasoner: &'a mut R, context: &'a SearchContext, most: u64) -> Self {
        Self {
            reasoner,
            context,
            positions: 0,
            most,
        }
    }

    /// Counts a position; every now and then looks at the clock.
    pub(super) fn count(&mut self) -> Result<(), Stop> {
        self.positions += 1;
        let is_spent = self.most > 0 && self.positions > self.most;
        if is_spent || (self.positions.is_multiple_of(16) && self.context.is_over()) {
            return Err(Stop::Over);
        }
        Ok(())
    }

    /// What a role gets where the game is over; without a goal it is neither won nor lost.
    pub(super) fn goal(&mut self, state: &R::State, role: Role) -> Result<u8, Stop> {
        let goal = self.reasoner.goal(state, role)?;
        Ok(goal.value().unwrap_or(UNKNOWN).min(MOST))
    }

    /// The legal moves of all roles; none if somebody has none.
    pub(super) fn legal(&mut self, state: &R::State) -> Result<Option<Vec<Vec<MoveId>>>, Stop> {
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
