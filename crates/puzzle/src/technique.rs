//! The interface of search techniques: their trait, their context, and the status of their work.

use std::time::{Duration, Instant};

use ludorum_reasoner::{Goal, MoveId, ReasonError, Reasoner};

use crate::best_line::{BestLine, SolveMethod};
use crate::rule_analysis::{PuzzleAnalysis, ROLE};

/// Result of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TechniqueStatus {
    /// The technique can continue.
    Running,
    /// The technique has ended. It may be tried again when more is known about the rules.
    Finished,
    /// It can do no more from this root and keeps its data for the next one.
    Suspended,
    /// It cannot be used for this puzzle in any position.
    Inapplicable,
    /// No line can be better than the best one.
    Proven,
}

/// A search technique. It works in turns and continues where it stopped.
pub(crate) trait Technique<R: Reasoner>: Send {
    /// Its name.
    fn method(&self) -> SolveMethod;

    /// Works until about `quota` positions were generated or the turn is over. It can be called
    /// again after [`ReasonError::Stopped`].
    fn work(
        &mut self,
        context: &mut TechniqueContext<'_, R>,
        quota: u64,
    ) -> Result<TechniqueStatus, ReasonError>;

    /// A move was played, and the next context has the position after it as root. Returns whether
    /// the technique can continue from there; otherwise it is replaced by a new one.
    fn advance(&mut self, _id: MoveId) -> bool {
        false
    }

    /// The positions and bytes that it keeps.
    fn size(&self) -> (u64, u64) {
        (0, 0)
    }
}

/// What a technique works with: an engine, a root, and the shared best line.
pub(crate) struct TechniqueContext<'a, R: Reasoner> {
    pub(crate) reasoner: &'a mut R,
    pub(crate) root: &'a R::State,
    pub(crate) analysis: &'a PuzzleAnalysis,
    pub(crate) best: &'a BestLine,
    /// Whether to stop, for external reasons.
    pub(crate) stop: &'a (dyn Fn() -> bool + Sync),
    /// The end of the turn. `None` where turns are measured in positions alone, so that runs are
    /// reproducible.
    pub(crate) deadline: Option<Instant>,
    /// When to check the stop condition during a playout.
    pub(crate) stop_poll: StopPoll,
    /// Maximal length of a playout.
    pub(crate) max_steps: usize,
    /// Positions generated in this turn.
    pub(crate) positions: u64,
    /// What counts towards a budget of simulations: playouts, and positions of techniques without
    /// playouts.
    pub(crate) simulations: u64,
}

impl<R: Reasoner> TechniqueContext<'_, R> {
    /// Whether the best line reaches the ceiling.
    pub(crate) fn is_solved(&self) -> bool {
        self.best
            .value()
            .is_some_and(|value| value >= self.analysis.ceiling)
    }

    /// Whether the turn is over.
    pub(crate) fn should_stop(&self) -> bool {
        let is_late = |deadline| Instant::now() >= deadline;
        self.is_solved() || (self.stop)() || self.deadline.is_some_and(is_late)
    }

    /// Whether to cut a playout; called at every step.
    pub(crate) fn should_cut_playout(&mut self) -> bool {
        self.stop_poll.is_due() && (self.stop)()
    }

    /// The goal value of a terminal state; 0 if the rules give no number.
    pub(crate) fn goal_value(&mut self, state: &R::State) -> Result<u8, ReasonError> {
        let goal = self.reasoner.goal(state, ROLE)?;
        Ok(goal_points(&goal))
    }

    /// The state after a move.
    pub(crate) fn next(&mut self, state: &R::State, id: MoveId) -> Result<R::State, ReasonError> {
        self.positions += 1;
        self.reasoner.next(state, &[id])
    }

    /// Plays a line from the root. Returns the number of moves played, the last state, and whether
    /// it is terminal.
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

/// Adaptive poll interval of the stop condition: every step where steps are slow, every
/// [`Self::MAX_STRIDE`] steps where they are fast.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct StopPoll {
    /// Steps between two polls.
    stride: u32,
    /// Steps until the next poll.
    steps_left: u32,
    last_poll: Option<Instant>,
}

impl StopPoll {
    /// Maximal number of steps between two polls.
    const MAX_STRIDE: u32 = 64;
    /// Polls that are further apart make the stride shorter.
    const TARGET_INTERVAL: Duration = Duration::from_millis(1);

    /// Counts a step. Returns whether it is time for a poll.
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

    /// The next stride, from the last one and the time it took.
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

/// A goal as a value, which is at most 100 in valid GDL; 0 if it is no number.
pub(crate) fn goal_points(goal: &Goal) -> u8 {
    goal.value().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_steps_are_polled_one_by_one_and_fast_ones_rarely() {
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
