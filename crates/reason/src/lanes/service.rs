//! Which lane plays from which start, and what came out.

use super::word::Word;
use crate::playout::Tally;

/// Lanes and the starts that they serve: lane `i` plays from start `i % starts`.
pub(super) struct Service<'t> {
    pub(super) tallies: &'t mut [Tally],
    remaining: Vec<u64>,
    /// The sum of them.
    left: u64,
    /// When the playout in each lane began; kept for several starts only.
    began: Vec<u64>,
}

impl<'t> Service<'t> {
    /// For every tally `each` playouts.
    pub(super) fn new(tallies: &'t mut [Tally], each: u64) -> Self {
        let several = tallies.len() > 1;
        Self {
            remaining: vec![each; tallies.len()],
            left: each.saturating_mul(tallies.len() as u64),
            began: vec![0; if several { Word::LANES } else { 0 }],
            tallies,
        }
    }

    /// Counts playouts that are over.
    pub(super) fn count(&mut self, over: Word, limited: Word, stuck: Word, step: u64) {
        if let [tally] = self.tallies {
            tally.playouts += u64::from(over.count());
            tally.limited += u64::from(limited.count());
            tally.stuck += u64::from(stuck.count());
            return;
        }
        let starts = self.tallies.len();
        for lane in over.lanes() {
            let tally = &mut self.tallies[lane % starts];
            tally.playouts += 1;
            tally.steps += step - self.began[lane];
            tally.limited += u64::from(limited.get(lane));
            tally.stuck += u64::from(stuck.get(lane));
        }
    }

    /// Counts a step of all busy lanes, where all of them serve one start.
    #[inline]
    pub(super) fn step(&mut self, busy: Word) {
        if let [tally] = self.tallies {
            tally.steps += u64::from(busy.count());
        }
    }

    /// Those of some idle lanes that begin anew.
    pub(super) fn refill(&mut self, idle: Word, step: u64) -> Word {
        if idle.is_empty() || self.left == 0 {
            return Word::NONE;
        }
        if let [remaining] = &mut self.remaining[..] {
            let wanted = u64::from(idle.count());
            if wanted <= *remaining {
                *remaining -= wanted;
                self.left -= wanted;
                return idle;
            }
        }
        let starts = self.remaining.len();
        let mut fresh = Word::NONE;
        for lane in idle.lanes() {
            let remaining = &mut self.remaining[lane % starts];
            if *remaining > 0 {
                *remaining -= 1;
                self.left -= 1;
                fresh.set(lane, true);
                if let Some(began) = self.began.get_mut(lane) {
                    *began = step;
                }
            }
        }
        fresh
    }

    pub(super) fn is_done(&self) -> bool {
        self.left == 0
    }

    pub(super) fn points(&mut self, role: usize, value: u8, lanes: Word) {
        if let [tally] = self.tallies {
            let count = u64::from(lanes.count());
            tally.points[role] += count * u64::from(value);
            tally.scored[role] += count;
            return;
        }
        let starts = self.tallies.len();
        for lane in lanes.lanes() {
            let tally = &mut self.tallies[lane % starts];
            tally.points[role] += u64::from(value);
            tally.scored[role] += 1;
        }
    }
}
