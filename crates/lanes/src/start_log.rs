//! The log of playout starts, for the step limit.
//!
//! A playout must be cut off at exactly the step limit. The log holds, for every step at which
//! lanes restarted, which ones did. Entries of lanes that have restarted later are removed from
//! time to time, so that the log stays short.

use super::lane_word::LaneWord;

/// A log of the steps at which lanes started.
#[derive(Debug)]
pub(super) struct StartLog {
    limit: u64,
    /// Steps in ascending order, with the lanes that started at each.
    entries: Vec<(u64, LaneWord)>,
    /// The number of entries at which the log is compacted.
    capacity: usize,
}

impl StartLog {
    /// A log for playouts of at most `limit` steps.
    pub(super) fn new(limit: u32) -> Self {
        Self {
            limit: u64::from(limit),
            entries: Vec::new(),
            capacity: 4 * LaneWord::LANES,
        }
    }

    /// Adds lanes that start at a step, which must not be earlier than the last one.
    pub(super) fn push(&mut self, step: u64, lanes: LaneWord) {
        if self.entries.len() >= self.capacity {
            self.compact();
        }
        self.entries.push((step, lanes));
    }

    /// Removes and returns the lanes whose playouts have reached the limit.
    #[inline]
    pub(super) fn expired(&mut self, step: u64) -> LaneWord {
        match self.entries.first() {
            Some((began, _)) if began + self.limit <= step => self.take_expired(step),
            _ => LaneWord::NONE,
        }
    }

    #[cold]
    fn take_expired(&mut self, step: u64) -> LaneWord {
        self.compact();
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

    /// Removes lanes from entries if they have restarted later.
    fn compact(&mut self) {
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
