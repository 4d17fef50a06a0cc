//! Steps of staged games, counted lane by lane.
//!
//! A lane makes a step of the original game only when its candidates are accepted, so that lanes
//! advance at different rates. Their counters are bit-sliced: a word holds one binary digit of all
//! counters, and adding a word of lanes is a ripple-carry addition that ends where the carry does.
//! A counter starts at 2^digits minus the step limit, so that the carry out of the highest digit is
//! the lanes that have just reached the limit.

// Inlined code is compiled for the instruction set of its caller.
#![allow(clippy::inline_always)]

use super::lane_word::LaneWord;

/// A lane has made no step for a long time: it may have no candidate that is accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NoProgress;

/// Counts the steps of the playout in each lane.
#[derive(Debug)]
pub(super) struct AcceptedSteps {
    limit: u64,
    /// Word `i` is the digit `i` of all counters.
    digits: Vec<LaneWord>,
    /// The lanes that reached the limit in the last round.
    expired: LaneWord,
    /// The number of rounds after which progress is checked.
    window: u64,
    /// The number of rounds since progress was checked.
    rounds: u64,
    /// The lanes that have started or made a step since then.
    progressed: LaneWord,
}

impl AcceptedSteps {
    /// Counters for playouts of at most `limit` steps, in which every lane makes a step in a window
    /// of so many rounds.
    pub(super) fn new(limit: u32, window: u64) -> Self {
        let digits = u32::BITS - limit.leading_zeros();
        Self {
            limit: u64::from(limit),
            digits: vec![LaneWord::NONE; digits as usize],
            expired: LaneWord::NONE,
            window,
            rounds: 0,
            progressed: LaneWord::NONE,
        }
    }

    /// The counter at the start of a playout.
    fn first(&self) -> u64 {
        (1 << self.digits.len()) - self.limit
    }

    /// Resets the counters of lanes that start.
    #[inline(always)]
    pub(super) fn start(&mut self, lanes: LaneWord) {
        let first = self.first();
        for (i, digit) in self.digits.iter_mut().enumerate() {
            *digit = if first >> i & 1 == 1 {
                digit.or(lanes)
            } else {
                digit.without(lanes)
            };
        }
        self.progressed = self.progressed.or(lanes);
    }

    /// Counts a step of the lanes that have moved.
    #[inline(always)]
    pub(super) fn add(&mut self, moved: LaneWord) {
        let mut carry = moved;
        for digit in &mut self.digits {
            if carry.is_empty() {
                break;
            }
            let sum = digit.xor(carry);
            carry = digit.and(carry);
            *digit = sum;
        }
        self.expired = carry;
        self.progressed = self.progressed.or(moved);
    }

    /// Ends a round, which is one pass through all stages. From time to time checks that all busy
    /// lanes make progress.
    #[inline(always)]
    pub(super) fn end_round(&mut self, busy: LaneWord) -> Result<(), NoProgress> {
        self.rounds += 1;
        if self.rounds < self.window {
            return Ok(());
        }
        self.rounds = 0;
        let progressed = std::mem::replace(&mut self.progressed, LaneWord::NONE);
        if busy.without(progressed).is_empty() {
            Ok(())
        } else {
            Err(NoProgress)
        }
    }

    /// Returns the lanes that reached the limit in the last round, once.
    #[inline(always)]
    pub(super) fn take_expired(&mut self) -> LaneWord {
        std::mem::replace(&mut self.expired, LaneWord::NONE)
    }

    /// The number of steps that a lane has made since its start.
    pub(super) fn of_lane(&self, lane: usize) -> u64 {
        let digits = self.digits.iter().enumerate();
        let value: u64 = digits
            .map(|(i, digit)| u64::from(digit.get(lane)) << i)
            .sum();
        // The counter of a lane at the limit is zero again.
        (value + self.limit) & ((1 << self.digits.len()) - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ludorum_reasoner::Rng;

    #[test]
    fn counters_equal_those_of_single_lanes() {
        for limit in [1, 2, 3, 4, 7, 8, 100, u32::MAX] {
            let mut steps = AcceptedSteps::new(limit, u64::MAX);
            let mut single = vec![0u64; LaneWord::LANES];
            let mut rng = Rng::new(7);
            steps.start(LaneWord::ALL);
            for _ in 0..400 {
                let mut moved = LaneWord::NONE;
                for lane in 0..LaneWord::LANES {
                    moved.set(lane, rng.below(lane % 7 + 1) == 0);
                }
                steps.add(moved);
                assert_eq!(steps.end_round(LaneWord::ALL), Ok(()));
                let expired = steps.take_expired();
                assert!(steps.take_expired().is_empty());
                let mut restarted = LaneWord::NONE;
                for (lane, count) in single.iter_mut().enumerate() {
                    *count += u64::from(moved.get(lane));
                    assert_eq!(steps.of_lane(lane), *count, "limit {limit}");
                    let is_over = *count == u64::from(limit);
                    assert_eq!(expired.get(lane), is_over, "limit {limit}");
                    if is_over || rng.below(20) == 0 {
                        restarted.set(lane, true);
                        *count = 0;
                    }
                }
                steps.start(restarted);
            }
        }
    }

    #[test]
    fn a_lane_without_progress_is_noticed() {
        let mut moved = LaneWord::ALL;
        moved.set(77, false);
        let mut steps = AcceptedSteps::new(10_000, 8);
        steps.start(LaneWord::ALL);
        for _ in 0..15 {
            steps.add(moved);
            assert_eq!(steps.end_round(LaneWord::ALL), Ok(()));
        }
        steps.add(moved);
        assert_eq!(steps.end_round(LaneWord::ALL), Err(NoProgress));
        // Idle lanes need not make any.
        for _ in 0..64 {
            steps.add(moved);
            assert_eq!(steps.end_round(moved), Ok(()));
        }
    }
}
