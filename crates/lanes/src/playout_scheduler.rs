//! Assignment of playouts to lanes, and their results.
//!
//! Playouts from one start need no loop over lanes. This case is compiled into the loop of
//! playouts, for its instruction set and close to it in the instruction cache.

// Inlined code is compiled for the instruction set of its caller.
#![allow(clippy::inline_always)]

use super::accepted_steps::AcceptedSteps;
use super::lane_word::LaneWord;
use ludorum_reasoner::PlayoutTotals;

/// Assigns playouts to lanes and adds up results: lane `i` plays from start `i % starts`.
pub(super) struct PlayoutScheduler {
    /// The start of each lane; empty if there is one start, which needs no bookkeeping by lane.
    start_of: Vec<u16>,
    remaining: Vec<u64>,
    /// The sum of `remaining`.
    left: u64,
    /// Lanes of starts with remaining playouts.
    open: LaneWord,
    /// The step at which the playout in each lane began; empty if there is one start.
    began: Vec<u64>,
    counts: Vec<Counts>,
    /// The scores of each start, role by role.
    scores: Vec<Score>,
    roles: usize,
}

/// Counts of the playouts from a start.
#[derive(Clone, Copy, Default)]
struct Counts {
    playouts: u64,
    steps: u64,
    limited: u64,
    stuck: u64,
}

/// The results of a role in them.
#[derive(Clone, Copy, Default)]
struct Score {
    points: u64,
    scored: u64,
}

impl PlayoutScheduler {
    /// Assigns `each` playouts to each start.
    pub(super) fn new(starts: usize, roles: usize, each: u64) -> Self {
        let lanes = if starts > 1 { LaneWord::LANES } else { 0 };
        Self {
            start_of: (0..lanes).map(|lane| (lane % starts) as u16).collect(),
            remaining: vec![each; starts],
            left: each.saturating_mul(starts as u64),
            open: LaneWord::splat(each > 0),
            began: vec![0; lanes],
            counts: vec![Counts::default(); starts],
            scores: vec![Score::default(); starts * roles],
            roles,
        }
    }

    /// The results of each start.
    pub(super) fn tallies(&self) -> Vec<PlayoutTotals> {
        let counts = self.counts.iter().enumerate();
        counts
            .map(|(start, counts)| {
                let scores = &self.scores[start * self.roles..][..self.roles];
                PlayoutTotals {
                    playouts: counts.playouts,
                    steps: counts.steps,
                    points: scores.iter().map(|score| score.points).collect(),
                    scored: scores.iter().map(|score| score.scored).collect(),
                    limited: counts.limited,
                    stuck: counts.stuck,
                }
            })
            .collect()
    }

    /// Counts playouts that are over. `by_lane` has their steps if lanes make steps at different
    /// rates.
    #[inline(always)]
    pub(super) fn count(
        &mut self,
        over: LaneWord,
        limited: LaneWord,
        stuck: LaneWord,
        step: u64,
        by_lane: Option<&AcceptedSteps>,
    ) {
        if let [counts] = &mut self.counts[..] {
            counts.playouts += u64::from(over.count());
            counts.limited += u64::from(limited.count());
            counts.stuck += u64::from(stuck.count());
            return;
        }
        self.count_by_start(over, limited, stuck, step, by_lane);
    }

    #[inline(never)]
    fn count_by_start(
        &mut self,
        over: LaneWord,
        limited: LaneWord,
        stuck: LaneWord,
        step: u64,
        by_lane: Option<&AcceptedSteps>,
    ) {
        for lane in over.lanes() {
            let counts = &mut self.counts[usize::from(self.start_of[lane])];
            counts.playouts += 1;
            counts.steps += match by_lane {
                None => step - self.began[lane],
                Some(steps) => steps.of_lane(lane),
            };
        }
        for lane in limited.lanes() {
            self.counts[usize::from(self.start_of[lane])].limited += 1;
        }
        for lane in stuck.lanes() {
            self.counts[usize::from(self.start_of[lane])].stuck += 1;
        }
    }

    /// Counts a step of lanes, if there is one start.
    #[inline(always)]
    pub(super) fn step(&mut self, lanes: LaneWord) {
        if let [counts] = &mut self.counts[..] {
            counts.steps += u64::from(lanes.count());
        }
    }

    /// Assigns new playouts to idle lanes; returns the lanes that restart.
    #[inline(always)]
    pub(super) fn restart(&mut self, idle: LaneWord, step: u64) -> LaneWord {
        let idle = idle.and(self.open);
        if idle.is_empty() || self.left == 0 {
            return LaneWord::NONE;
        }
        if let [remaining] = &mut self.remaining[..] {
            let wanted = u64::from(idle.count());
            let fresh = if wanted <= *remaining {
                *remaining -= wanted;
                idle
            } else {
                idle.first_lanes(std::mem::take(remaining))
            };
            self.left = *remaining;
            return fresh;
        }
        self.restart_by_start(idle, step)
    }

    #[inline(never)]
    fn restart_by_start(&mut self, idle: LaneWord, step: u64) -> LaneWord {
        let mut fresh = LaneWord::NONE;
        for lane in idle.lanes() {
            let start = usize::from(self.start_of[lane]);
            let remaining = &mut self.remaining[start];
            if *remaining == 0 {
                continue;
            }
            *remaining -= 1;
            self.left -= 1;
            fresh.set(lane, true);
            self.began[lane] = step;
            if *remaining == 0 {
                for lane in (start..LaneWord::LANES).step_by(self.remaining.len()) {
                    self.open.set(lane, false);
                }
            }
        }
        fresh
    }

    pub(super) fn is_done(&self) -> bool {
        self.left == 0
    }

    #[inline(always)]
    pub(super) fn points(&mut self, role: usize, value: u8, lanes: LaneWord) {
        if self.counts.len() == 1 {
            let count = u64::from(lanes.count());
            let score = &mut self.scores[role];
            score.points += count * u64::from(value);
            score.scored += count;
            return;
        }
        self.points_by_start(role, value, lanes);
    }

    #[inline(never)]
    fn points_by_start(&mut self, role: usize, value: u8, lanes: LaneWord) {
        for lane in lanes.lanes() {
            let start = usize::from(self.start_of[lane]);
            let score = &mut self.scores[start * self.roles + role];
            score.points += u64::from(value);
            score.scored += 1;
        }
    }
}
