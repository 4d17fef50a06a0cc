//! What a technique works with, and what it gives back.

use ludorum_reason::{Goal, MoveId, ReasonError, Reasoner};

use super::best::{Best, Method};
use super::sheet::Sheet;

/// The one role of a puzzle.
pub(super) const ROLE: usize = 0;

/// What has come of some work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// There is more to do.
    More,
    /// The technique can do no more.
    Done,
    /// There is nothing left that could be better than the best line.
    Proven,
}

/// A way of looking for lines. It works in turns, and goes on where it stopped.
pub(super) trait Technique<R: Reasoner>: Send {
    /// Which one it is.
    fn method(&self) -> Method;

    /// Works until about `quota` positions were made or there is no more time. After [`ReasonError::Late`] it can be asked again.
    fn work(&mut self, desk: &mut Desk<'_, R>, quota: u64) -> Result<Progress, ReasonError>;

    /// A move was played and led to the root that the next desk will have. Gives whether it can go on from there; else it is made anew.
    fn advance(&mut self, _id: MoveId) -> bool {
        false
    }

    /// Positions kept, and the memory they take.
    fn size(&self) -> (u64, u64) {
        (0, 0)
    }
}

/// Where a technique works: an engine, a root, and what is shared with the others.
pub(super) struct Desk<'a, R: Reasoner> {
    pub(super) reasoner: &'a mut R,
    pub(super) root: &'a R::State,
    pub(super) sheet: &'a Sheet,
    pub(super) best: &'a Best,
    /// Whether it is time to stop, for reasons from outside.
    pub(super) stop: &'a (dyn Fn() -> bool + Sync),
    /// A playout is cut after so many steps.
    pub(super) limit: usize,
    /// Positions made in this turn.
    pub(super) positions: u64,
    /// What counts against a budget of simulations: playouts, and positions of techniques that make none.
    pub(super) simulations: u64,
}

impl<R: Reasoner> Desk<'_, R> {
    /// Whether nothing better can be found.
    pub(super) fn is_solved(&self) -> bool {
        self.best
            .value()
            .is_some_and(|value| value >= self.sheet.ceiling)
    }

    /// Whether to stop.
    pub(super) fn is_over(&self) -> bool {
        self.is_solved() || (self.stop)()
    }

    /// What the role gets in a terminal state; nothing where the sheet gives no number.
    pub(super) fn value(&mut self, state: &R::State) -> Result<u8, ReasonError> {
        let goal = self.reasoner.goal(state, ROLE)?;
        Ok(points(&goal))
    }

    /// The state after a move.
    pub(super) fn next(&mut self, state: &R::State, id: MoveId) -> Result<R::State, ReasonError> {
        self.positions += 1;
        self.reasoner.next(state, &[id])
    }

    /// Plays a line from the root. Gives how far it went, the state there, and whether that is the end.
    pub(super) fn follow(
        &mut self,
        moves: &[MoveId],
    ) -> Result<(usize, R::State, bool), ReasonError> {
        let mut state = self.root.clone();
        let mut legal = Vec::new();
        for (steps, id) in moves.iter().enumerate() {
            if self.reasoner.is_terminal(&state)? {
                return Ok((steps, state, true));
            }
            self.reasoner.legal_moves(&state, ROLE, &mut legal)?;
            if !legal.contains(id) {
                return Ok((steps, state, false));
            }
            state = self.next(&state, *id)?;
        }
        let is_terminal = self.reasoner.is_terminal(&state)?;
        Ok((moves.len(), state, is_terminal))
    }
}

/// A goal as points: at most 100, and none without a number.
pub(super) fn points(goal: &Goal) -> u8 {
    goal.value().unwrap_or(0).min(100)
}
