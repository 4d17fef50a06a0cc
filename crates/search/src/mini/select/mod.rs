//! Selection of the strategy that a role follows in the next simulations (Świechowski 2015, section
//! 3.4).
//!
//! [`ucb`] selects anew each time. The other mechanisms plan [`rounds`]: each strategy is allotted
//! a number of simulations by its average score, and when these are used up the next round is
//! planned.

mod proportional;
mod rank_allocation;
mod rounds;
mod ucb;

use std::fmt::Debug;

use proportional::Proportional;
use rank_allocation::RankAllocation;
use rounds::Rounds;
use ucb::Ucb;

/// The results of a strategy.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct StrategyRecord {
    /// The number of playouts that followed it, pending ones included: T of equation 3.12.
    pub(super) chosen: u64,
    /// The number of playouts with a result.
    pub(super) ended: u64,
    /// The sum of their scores, each from 0 to 1.
    pub(super) score: f64,
}

impl StrategyRecord {
    /// The average score, Q; `None` before the first result.
    #[allow(clippy::cast_precision_loss)] // counts far below 2^52
    pub(super) fn average(&self) -> Option<f64> {
        (self.ended > 0).then(|| self.score / self.ended as f64)
    }
}

/// A mechanism of selection. Each role has its own.
pub(super) trait Selection: Debug + Send {
    /// The index of the strategy of the next simulation, among those that are ready. At least one
    /// is.
    fn choose(&mut self, records: &[StrategyRecord], is_ready: &[bool]) -> usize;
}

/// The mechanism of a name.
pub(super) fn selection(name: &str, constant: f64) -> Box<dyn Selection> {
    match name {
        "proportional" => Box::new(Rounds::new(Proportional::new(1))),
        "squared" => Box::new(Rounds::new(Proportional::new(2))),
        "static" => Box::new(Rounds::new(RankAllocation)),
        _ => Box::new(Ucb { constant }),
    }
}

/// Tests on the example of section 3.4.5.
#[cfg(test)]
mod tests {
    use ludorum_reasoner::Rng;

    use super::*;

    /// The shares of S1 to S7 after a number of simulations that give 1 or 0 with the expected
    /// scores of the example.
    fn shares(name: &str, simulations: u32, seed: u64) -> [f64; 7] {
        let expected = [0.4, 0.3, 0.25, 0.2, 0.5, 0.75, 0.6];
        let mut selection = selection(name, 5.0);
        let mut records = [StrategyRecord::default(); 7];
        let mut rng = Rng::new(seed);
        for _ in 0..simulations {
            let place = selection.choose(&records, &[true; 7]);
            let record = &mut records[place];
            record.chosen += 1;
            record.ended += 1;
            record.score += f64::from(u8::from(rng.next_f64() < expected[place]));
        }
        records.map(|record| f64::from(record.chosen as u32) / f64::from(simulations))
    }

    /// The share of the best strategy, S6: the median of nine runs, because some begin with
    /// unlikely results.
    fn best(name: &str, simulations: u32) -> f64 {
        let mut runs: Vec<f64> = (1..=9)
            .map(|seed| shares(name, simulations, seed)[5])
            .collect();
        runs.sort_by(f64::total_cmp);
        runs[4]
    }

    fn near(share: f64, expected: f64, tolerance: f64) {
        assert!((share - expected).abs() < tolerance, "{share} {expected}");
    }

    #[test]
    fn proportional_allocation_gives_the_best_a_quarter() {
        near(best("proportional", 50_000), 0.25, 0.005);
        // The worst has 0.2 of the sum of 3.0.
        near(shares("proportional", 50_000, 1)[3], 0.2 / 3.0, 0.01);
    }

    #[test]
    fn squared_allocation_gives_the_best_a_third() {
        // Squares alone would give 37 %. Equations 3.10 and 3.11 square the overflow as well, which
        // gives a third.
        near(best("squared", 50_000), 0.34, 0.012);
    }

    #[test]
    fn static_allocation_gives_the_best_44_percent() {
        near(best("static", 50_000), 0.44, 0.002);
        let shares = shares("static", 50_000, 1);
        near(shares[6], 0.22, 0.01);
        near(shares[3], 0.02, 0.01);
    }

    #[test]
    fn ucb_gives_the_best_52_percent_and_more_as_time_goes_by() {
        // The text gives the share without the number of simulations. By equation 3.12 it is
        // reached after about 10,000 and grows from there.
        near(best("ucb", 10_500), 0.52, 0.02);
        near(shares("ucb", 50_000, 1)[5], 0.77, 0.02);
    }

    #[test]
    fn strategies_that_are_not_ready_are_never_chosen() {
        for name in ["ucb", "static", "squared", "proportional"] {
            let mut selection = selection(name, 5.0);
            let mut records = [StrategyRecord::default(); 3];
            for number in 0..300 {
                // The last one becomes ready later.
                let is_ready = [false, true, number >= 100];
                let place = selection.choose(&records, &is_ready);
                assert!(is_ready[place], "{name}");
                records[place].chosen += 1;
                records[place].ended += 1;
                records[place].score += 0.5;
            }
            assert!(records[2].chosen >= 10, "{name}");
        }
    }
}
