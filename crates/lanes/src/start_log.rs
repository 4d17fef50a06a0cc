//! When the playouts in lanes began.
//!
//! A playout that reaches the step limit must be cut at exactly that step. The log holds, for every
//! step at which lanes began anew, which did. Lanes that have begun again later are taken out now
//! and then, so that it stays short.

use super::lane_word::LaneWord;

/// The log.
#[derive(Debug)]
pub(super) struct StartLog {
    limit: u64,
    /// Steps, ascending, with the lanes that began at each.
    entries: Vec<(u64, LaneWord)>,
    /// The log is tidied when it has so many entries.
    room: usize,
}

impl StartLog {
    /// A log for playouts of at most so many steps.
    pub(super) fn new(limit: u32) -> Self {
        Self {
            limit: u64::from(limit),
            entries: Vec::new(),
            room: 4 * LaneWord::LANES,
        }
    }

    /// Lanes begin at a step, not earlier than any before.
    pub(super) fn push(&mut self, step: u64, lanes: LaneWord) {
        if self.entries.len() >= self.room {
            self.tidy();
        }
        self.entries.push((step, lanes));
    }

    /// The lanes whose playouts have had all the steps they may have.
    #[inline]
    pub(super) fn expired(&mut self, step: u64) -> LaneWord {
        match self.entries.first() {
            Some((began, _)) if began + self.limit <= step => self.take_expired(step),
            _ => LaneWord::NONE,
        }
    }

    #[cold]
    fn take_expired(&mut self, step: u64) -> LaneWord {
        self.tidy();
        let mut expired = LaneWord::NONE;
        let limit = self.limit;
        self.entries.retain(|(began, lanes)| {
            let late = began + limit <= step;
            if late {
                expired = expired.or(*lanes);
            }
            !late
        });
        expired
    }

    /// Takes lanes out of entries that they have outlived.
    fn tidy(&mut self) {
        let mut seen = LaneWord::NONE;
        for (_, lanes) in self.entries.iter_mut().rev() {
            let fresh = lanes.without(seen);
            seen = seen.or(*lanes);
            *lanes = fresh;
        }
        self.entries.retain(|(_, lanes)| !lanes.is_empty());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lanes(list: &[usize]) -> LaneWord {
        let mut word = LaneWord::NONE;
        for lane in list {
            word.set(*lane, true);
        }
        word
    }

    #[test]
    fn a_lane_expires_by_its_latest_start() {
        let mut log = StartLog::new(10);
        log.push(0, lanes(&[0, 1, 2]));
        log.push(4, lanes(&[1]));
        assert_eq!(log.expired(9), lanes(&[]));
        assert_eq!(log.expired(10), lanes(&[0, 2]));
        assert_eq!(log.expired(13), lanes(&[]));
        assert_eq!(log.expired(14), lanes(&[1]));
        assert_eq!(log.expired(100), lanes(&[]));
    }

    #[test]
    fn the_log_stays_short_however_often_lanes_begin() {
        let mut log = StartLog::new(1_000_000);
        for step in 0..100_000 {
            log.push(step, lanes(&[step as usize % LaneWord::LANES]));
            assert!(log.entries.len() <= 4 * LaneWord::LANES);
        }
    }
}
