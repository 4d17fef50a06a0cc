//! The number of steps in the playout of each lane, for the step limit and the totals.

// Inlined code is compiled for the instruction set of its caller.
#![allow(clippy::inline_always)]

use super::accepted_steps::{AcceptedSteps, NoProgress};
use super::code::Slot;
use super::lane_word::LaneWord;
use super::plan::LanePlan;
use super::playout_scheduler::PlayoutScheduler;
use super::start_log::StartLog;

/// Counts the steps of playouts.
pub(super) enum PlayoutSteps {
    /// Every step of the machine is one of every busy lane, so that it is enough to know when lanes
    /// started.
    Common(StartLog),
    /// In a staged game lanes make steps at different rates; the slot has the lanes that have made
    /// one.
    Accepted(AcceptedSteps, Slot),
}

impl PlayoutSteps {
    /// A count for playouts of at most `limit` steps.
    pub(super) fn new(plan: &LanePlan, limit: u32) -> Self {
        match plan.staged {
            None => Self::Common(StartLog::new(limit)),
            Some(staged) => {
                Self::Accepted(AcceptedSteps::new(limit, staged.max_draws), staged.moved)
            }
        }
    }

    /// Adds lanes that start at a step of the machine.
    #[inline(always)]
    pub(super) fn start(&mut self, step: u64, lanes: LaneWord) {
        match self {
            Self::Common(log) => log.push(step, lanes),
            Self::Accepted(steps, _) => steps.start(lanes),
        }
    }

    /// Removes and returns the lanes whose playouts have reached the limit.
    #[inline(always)]
    pub(super) fn take_expired(&mut self, step: u64) -> LaneWord {
        match self {
            Self::Common(log) => log.expired(step),
            Self::Accepted(steps, _) => steps.take_expired(),
        }
    }

    /// Counts a step that the machine has made. `next` is the turn that comes now.
    #[inline(always)]
    pub(super) fn add(
        &mut self,
        next: usize,
        memory: &[LaneWord],
        busy: LaneWord,
        scheduler: &mut PlayoutScheduler,
    ) -> Result<(), NoProgress> {
        match self {
            Self::Common(_) => scheduler.step(busy),
            Self::Accepted(steps, slot) => {
                // Roles that take turns have stages of their own, and a round may have several steps.
                let moved = memory[*slot as usize].and(busy);
                if !moved.is_empty() {
                    scheduler.step(moved);
                    steps.add(moved);
                }
                if next == 0 {
                    steps.end_round(busy)?;
                }
            }
        }
        Ok(())
    }

    /// The counters of lanes, if lanes make steps at different rates.
    #[inline(always)]
    pub(super) fn by_lane(&self) -> Option<&AcceptedSteps> {
        match self {
            Self::Common(_) => None,
            Self::Accepted(steps, _) => Some(steps),
        }
    }
}
