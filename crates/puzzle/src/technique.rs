//! What a technique works with, and what it gives back.

use std::time::{Duration, Instant};

use ludorum_reasoner::{Goal, MoveId, ReasonError, Reasoner};

use crate::best_line::{BestLine, SolveMethod};
use crate::rule_analysis::{ROLE, RuleAnalysis};

/// What has come of some work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TechniqueStatus {
    /// There is more to do.
    Running,
    /// The technique can do no more.
    Finished,
    /// It can do no more from this root, and keeps what it has for the next.
    Suspended,
    /// It has no use for this puzzle, wherever that goes.
    Inapplicable,
    /// There is nothing left that could be better than the best line.
    Proven,
}

/// A way of looking for lines. It works in turns, and goes on where it stopped.
pub(crate) trait Technique<R: Reasoner>: Send {
    /// Which one it is.
    fn method(&self) -> SolveMethod;

    /// Works until about `quota` positions were made or there is no more time. After
    /// [`ReasonError::Stopped`] it can be asked again.
    fn work(
        &mut self,
        context: &mut TechniqueContext<'_, R>,
        quota: u64,
    ) -> Result<TechniqueStatus, ReasonError>;

    /// A move was played and led to the root that the next desk will have. Gives whether it can go
    /// on from there; else it is made anew.
    fn advance(&mut self, _id: MoveId) -> bool {
        false
    }

    /// Positions kept, and the memory they take.
    fn size(&self) -> (u64, u64) {
        (0, 0)
    }
}

/// Where a technique works: an engine, a root, and what is shared with the others.
pub(crate) struct TechniqueContext<'a, R: Reasoner> {
    pub(crate) reasoner: &'a mut R,
    pub(crate) root: &'a R::State,
    pub(crate) analysis: &'a RuleAnalysis,
    pub(crate) best: &'a BestLine,
    /// Whether it is time to stop, for reasons from outside.
    pub(crate) stop: &'a (dyn Fn() -> bool + Sync),
    /// When this turn ends; none where turns are counted in positions alone, so that they are the
    /// same on every run.
    pub(crate) deadline: Option<Instant>,
    /// When to look whether to stop in the middle of a playout.
    pub(crate) stop_poll: StopPoll,
    /// A playout is cut after so many steps.
    pub(crate) max_steps: usize,
    /// Positions made in this turn.
    pub(crate) positions: u64,
    /// What counts against a budget of simulations: playouts, and positions of techniques that make
    /// none.
    pub(crate) simulations: u64,
}

impl<R: Reasoner> TechniqueContext<'_, R> {
    /// Whether nothing better can be found.
    pub(crate) fn is_solved(&self) -> bool {
        self.best
            .value()
            .is_some_and(|goal_value| goal_value >= self.analysis.ceiling)
    }

    /// Whether to end the turn.
    pub(crate) fn should_stop(&self) -> bool {
        let is_late = |deadline| Instant::now() >= deadline;
        self.is_solved() || (self.stop)() || self.deadline.is_some_and(is_late)
    }

    /// Whether to cut a playout; asked at every step.
    pub(crate) fn should_cut_playout(&mut self) -> bool {
        self.stop_poll.is_due() && (self.stop)()
    }

    /// What the role gets in a terminal state; nothing where the sheet gives no number.
    pub(crate) fn goal_value(&mut self, state: &R::State) -> Result<u8, ReasonError> {
        let goal = self.reasoner.goal(state, ROLE)?;
        Ok(goal_points(&goal))
    }

    /// The state after a move.
    pub(crate) fn next(&mut self, state: &R::State, id: MoveId) -> Result<R::State, ReasonError> {
        self.positions += 1;
        self.reasoner.next(state, &[id])
    }

    /// Plays a line from the root. Gives how far it went, the state there, and whether that is the
    /// end.
    pub(crate) fn replay(
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

/// Says how often to look at the clock: at every step where steps are slow, seldom where they are
/// quick.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct StopPoll {
    /// Steps between two looks.
    stride: u32,
    /// Steps until the next.
    steps_left: u32,
    last_poll: Option<Instant>,
}

impl StopPoll {
    /// The most steps between two looks.
    const MAX_STRIDE: u32 = 64;
    /// Looks that are farther apart are too far apart.
    const TARGET_INTERVAL: Duration = Duration::from_millis(1);

    /// A step; gives whether it is time for a look.
    pub(crate) fn is_due(&mut self) -> bool {
        if self.steps_left > 1 {
            self.steps_left -= 1;
            return false;
        }
        let now = Instant::now();
        let passed = self.last_poll.replace(now).map(|last_poll| now - last_poll);
        self.stride = Self::stride(self.stride, passed);
        self.steps_left = self.stride;
        true
    }

    /// The steps until the next look, from those to this one and the time they took.
    fn stride(before: u32, passed: Option<Duration>) -> u32 {
        match passed {
            Some(passed) if passed < Self::TARGET_INTERVAL => {
                (before * 2).clamp(1, Self::MAX_STRIDE)
            }
            Some(_) => (before / 4).max(1),
            None => 1,
        }
    }
}

/// A goal as points: at most 100, and none without a number.
pub(crate) fn goal_points(goal: &Goal) -> u8 {
    goal.value().unwrap_or(0).min(100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_steps_are_looked_at_one_by_one_and_quick_ones_seldom() {
        let mut stop_poll = StopPoll::default();
        assert!(stop_poll.is_due(), "the first step is looked at");
        let quick = Some(Duration::from_micros(1));
        let slow = Some(Duration::from_millis(5));
        let mut stride = StopPoll::stride(0, None);
        for _ in 0..10 {
            stride = StopPoll::stride(stride, quick);
        }
        assert_eq!(stride, StopPoll::MAX_STRIDE);
        for _ in 0..3 {
            stride = StopPoll::stride(stride, slow);
        }
        assert_eq!(stride, 1);
    }
}
