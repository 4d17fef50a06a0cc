//! The budget of simulations with lookahead.
//!
//! On an engine that makes many playouts at once, one simulation with lookahead costs as much as a
//! thousand without. So lookahead gets a fixed share of the time.

use std::time::Duration;

/// With a budget of simulations, one of this many may use lookahead. Clocks must not influence the
/// result then.
const LOOKAHEAD_INTERVAL: u64 = 8;

/// Time and number of simulations with lookahead and of others.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LookaheadBudget {
    lookahead_share: Duration,
    others: Duration,
    looked: u64,
    all: u64,
}

impl LookaheadBudget {
    /// Records simulations and the time that they took.
    pub(super) fn add(
        &mut self,
        lookahead_share: Duration,
        looked: u64,
        others: Duration,
        all: u64,
    ) {
        self.lookahead_share += lookahead_share;
        self.others += others;
        self.looked += looked;
        self.all += all;
    }

    /// Whether further simulations may use lookahead, given its share of the time.
    pub(super) fn allows_lookahead(&self, share: f64, has_clock: bool) -> bool {
        if share >= 1.0 {
            return true;
        }
        if has_clock {
            self.lookahead_share <= (self.lookahead_share + self.others).mul_f64(share.max(0.0))
        } else {
            self.looked * LOOKAHEAD_INTERVAL <= self.all
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lookahead_waits_for_its_share_of_the_time() {
        let mut lookahead_budget = LookaheadBudget::default();
        assert!(lookahead_budget.allows_lookahead(0.1, true));
        let ms = Duration::from_millis;
        lookahead_budget.add(ms(10), 4, ms(0), 4);
        assert!(
            !lookahead_budget.allows_lookahead(0.1, true)
                && lookahead_budget.allows_lookahead(1.0, true)
        );
        lookahead_budget.add(ms(0), 0, ms(80), 8);
        assert!(!lookahead_budget.allows_lookahead(0.1, true));
        lookahead_budget.add(ms(0), 0, ms(20), 8);
        assert!(lookahead_budget.allows_lookahead(0.1, true));
        // With a budget clocks make no difference: four of twenty are more than one of eight.
        assert!(!lookahead_budget.allows_lookahead(0.1, false));
    }
}
