//! How much of the time goes into simulations that look ahead, where an engine could play many
//! others meanwhile.

use std::time::Duration;

/// With a budget of simulations, where clocks are to make no difference: one of so many.
const ONE_OF: u64 = 8;

/// Time and simulations of both kinds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Effort {
    looking: Duration,
    others: Duration,
    looked: u64,
    all: u64,
}

impl Effort {
    /// Some simulations have been made, some of them looking ahead.
    pub(super) fn add(&mut self, looking: Duration, looked: u64, others: Duration, all: u64) {
        self.looking += looking;
        self.others += others;
        self.looked += looked;
        self.all += all;
    }

    /// Whether more may look ahead, if that may take a share of the time.
    pub(super) fn may_look(&self, share: f64, has_clock: bool) -> bool {
        if share >= 1.0 {
            return true;
        }
        if has_clock {
            self.looking <= (self.looking + self.others).mul_f64(share.max(0.0))
        } else {
            self.looked * ONE_OF <= self.all
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looking_ahead_waits_until_its_share_of_the_time_has_come() {
        let mut effort = Effort::default();
        assert!(effort.may_look(0.1, true));
        let ms = Duration::from_millis;
        effort.add(ms(10), 4, ms(0), 4);
        assert!(!effort.may_look(0.1, true) && effort.may_look(1.0, true));
        effort.add(ms(0), 0, ms(80), 8);
        assert!(!effort.may_look(0.1, true));
        effort.add(ms(0), 0, ms(20), 8);
        assert!(effort.may_look(0.1, true));
        // Clocks make no difference with a budget: four of twenty are more than one of eight.
        assert!(!effort.may_look(0.1, false));
    }
}
