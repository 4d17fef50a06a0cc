//! UCB allocation (section 3.4.4): the best average with a premium for strategies that were tried
//! less.

use super::{Record, Selection};

/// The score of a strategy whose first simulation is under way.
const UNKNOWN: f64 = 0.5;

/// Equation 3.12.
#[derive(Debug)]
pub(super) struct Ucb {
    /// How much of the others is tried; 5 in the thesis.
    pub(super) constant: f64,
}

impl Ucb {
    /// What a strategy is worth trying after `all` simulations; one that was never tried comes
    /// first.
    #[allow(clippy::cast_precision_loss)] // counts far below 2^52
    fn merit(&self, record: &Record, all: u64) -> f64 {
        if record.chosen == 0 {
            return f64::INFINITY;
        }
        let average = record.average().unwrap_or(UNKNOWN);
        average + self.constant * ((all as f64).ln() / record.chosen as f64).sqrt()
    }
}

impl Selection for Ucb {
    fn choose(&mut self, records: &[Record], is_ready: &[bool]) -> usize {
        let all = records.iter().map(|record| record.chosen).sum::<u64>();
        let places = (0..records.len()).filter(|place| is_ready[*place]);
        let merits = places.map(|place| (place, self.merit(&records[place], all)));
        // The first of the best, so that the strategies are first tried in their order.
        let best = merits.reduce(|best, next| if next.1 > best.1 { next } else { best });
        best.map_or(0, |(place, _)| place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(chosen: u64, score: f64) -> Record {
        Record {
            chosen,
            ended: chosen,
            score,
        }
    }

    #[test]
    fn merits_are_as_worked_out_by_hand() {
        let ucb = Ucb { constant: 5.0 };
        // 20 simulations in 100: 12 / 20 + 5 * sqrt(ln 100 / 20) = 0.6 + 5 * sqrt(4.60517 / 20) =
        // 0.6 + 5 * 0.479852.
        assert!((ucb.merit(&record(20, 12.0), 100) - 2.999_26).abs() < 1e-4);
        // 80 in 100: 0.75 + 5 * sqrt(4.60517 / 80) = 0.75 + 5 * 0.239926.
        assert!((ucb.merit(&record(80, 60.0), 100) - 1.949_63).abs() < 1e-4);
    }

    #[test]
    fn what_was_never_tried_comes_first_and_what_is_under_way_counts() {
        let mut ucb = Ucb { constant: 5.0 };
        let records = [record(3, 3.0), record(0, 0.0), record(0, 0.0)];
        assert_eq!(ucb.choose(&records, &[true; 3]), 1);
        assert_eq!(ucb.choose(&records, &[true, false, false]), 0);
        // Nine simulations of the second are under way: it is the turn of the first.
        let under_way = Record {
            chosen: 9,
            ended: 1,
            score: 1.0,
        };
        assert_eq!(ucb.choose(&[record(1, 1.0), under_way], &[true; 2]), 0);
    }
}
