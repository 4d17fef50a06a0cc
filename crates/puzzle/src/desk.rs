//! What a technique works with, and what it gives back.

use std::time::{Duration, Instant};

use ludorum_reasoner::{Goal, MoveId, ReasonError, Reasoner};

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
    /// It can do no more from this root, and keeps what it has for the next.
    Resting,
    /// It has no use for this puzzle, wherever that goes.
    Useless,
    /// There is nothing left that could be better than the best line.
    Proven,
}

/// A way of looking for lines. It works in turns, and goes on where it stopped.
pub(super) trait Technique<R: Reasoner>: Send {
    /// Which one it is.
    fn method(&self) -> Method;

    /// Works until about `quota` positions were made or there is no more time. After
    /// [`ReasonError::Stopped`] it can be asked again.
    fn work(&mut self, desk: &mut Desk<'_, R>, quota: u64) -> Result<Progress, ReasonError>;

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
pub(super) struct Desk<'a, R: Reasoner> {
    pub(super) reasoner: &'a mut R,
    pub(super) root: &'a R::State,
    pub(super) sheet: &'a Sheet,
    pub(super) best: &'a Best,
    /// Whether it is time to stop, for reasons from outside.
    pub(super) stop: &'a (dyn Fn() -> bool + Sync),
    /// When this turn ends; none where turns are counted in positions alone, so that they are the
    /// same on every run.
    pub(super) until: Option<Instant>,
    /// When to look whether to stop in the middle of a playout.
    pub(super) pulse: Pulse,
    /// A playout is cut after so many steps.
    pub(super) limit: usize,
    /// Positions made in this turn.
    pub(super) positions: u64,
    /// What counts against a budget of simulations: playouts, and positions of techniques that make
    /// none.
    pub(super) simulations: u64,
}

impl<R: Reasoner> Desk<'_, R> {
    /// Whether nothing better can be found.
    pub(super) fn is_solved(&self) -> bool {
        self.best
            .value()
            .is_some_and(|value| value >= self.sheet.ceiling)
    }

    /// Whether to end the turn.
    pub(super) fn is_over(&self) -> bool {
        let is_late = |until| Instant::now() >= until;
        self.is_solved() || (self.stop)() || self.until.is_some_and(is_late)
    }

    /// Whether to cut a playout; asked at every step.
    pub(super) fn is_cut(&mut self) -> bool {
        self.pulse.beats() && (self.stop)()
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

    /// Plays a line from the root. Gives how far it went, the state there, and whether that is the
    /// end.
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

/// Says how often to look at the clock: at every step where steps are slow, seldom where they are
/// quick.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pulse {
    /// Steps between two looks.
    stride: u32,
    /// Steps until the next.
    left: u32,
    last: Option<Instant>,
}

impl Pulse {
    /// The most steps between two looks.
    const LONGEST: u32 = 64;
    /// Looks that are farther apart are too far apart.
    const SLOW: Duration = Duration::from_millis(1);

    /// A step; gives whether it is time for a look.
    pub(super) fn beats(&mut self) -> bool {
        if self.left > 1 {
            self.left -= 1;
            return false;
        }
        let now = Instant::now();
        let passed = self.last.replace(now).map(|last| now - last);
        self.stride = Self::stride(self.stride, passed);
        self.left = self.stride;
        true
    }

    /// The steps until the next look, from those to this one and the time they took.
    fn stride(before: u32, passed: Option<Duration>) -> u32 {
        match passed {
            Some(passed) if passed < Self::SLOW => (before * 2).clamp(1, Self::LONGEST),
            Some(_) => (before / 4).max(1),
            None => 1,
        }
    }
}

/// A goal as points: at most 100, and none without a number.
pub(super) fn points(goal: &Goal) -> u8 {
    goal.value().unwrap_or(0).min(100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_steps_are_looked_at_one_by_one_and_quick_ones_seldom() {
        let mut pulse = Pulse::default();
        assert!(pulse.beats(), "the first step is looked at");
        let quick = Some(Duration::from_micros(1));
        let slow = Some(Duration::from_millis(5));
        let mut stride = Pulse::stride(0, None);
        for _ in 0..10 {
            stride = Pulse::stride(stride, quick);
        }
        assert_eq!(stride, Pulse::LONGEST);
        for _ in 0..3 {
            stride = Pulse::stride(stride, slow);
        }
        assert_eq!(stride, 1);
    }
}
