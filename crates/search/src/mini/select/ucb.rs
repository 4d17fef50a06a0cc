//! UCB allocation (Świechowski 2015, section 3.4.4, after Auer et al. 2002).

use super::{Selection, StrategyRecord};

/// The assumed score of a strategy whose first simulation is pending.
const UNKNOWN: f64 = 0.5;

/// UCB1 over strategies: equation 3.12.
#[derive(Debug)]
pub(super) struct Ucb {
    /// The exploration constant; 5 in Świechowski 2015.
    pub(super) constant: f64,
}

impl Ucb {
    /// The UCB value of a strategy after `all` simulations; infinite for one that was never tried.
    #[allow(clippy::cast_precision_loss)] // counts far below 2^52
    fn ucb_value(&self, record: &StrategyRecord, all: u64) -> f64 {
        if record.chosen == 0 {
            return f64::INFINITY;
        }
        let average = record.average().unwrap_or(UNKNOWN);
        average + self.constant * ((all as f64).ln() / record.chosen as f64).sqrt()
    }
}

impl Selection for Ucb {
    fn choose(&mut self, records: &[StrategyRecord], is_ready: &[bool]) -> usize {
        let all = records.iter().map(|record| record.chosen).sum::<u64>();
        let places = (0..records.len()).filter(|place| is_ready[*place]);
        let ucb_value = places.map(|place| (place, self.ucb_value(&records[place], all)));
        // Ties go to the first, so that strategies are first tried in their order.
        let best = ucb_value.reduce(|best, next| if next.1 > best.1 { next } else { best });
        best.map_or(0, |(place, _)| place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(chosen: u64, score: f64) -> StrategyRecord {
        StrategyRecord {
            chosen,
            ended: chosen,
            score,
        }
    }

    #[test]
    fn ucb_values_match_a_calculation_by_hand() {
        let ucb = Ucb { constant: 5.0 };
        // 20 simulations in 100: 12 / 20 + 5 * sqrt(ln 100 / 20) = 0.6 + 5 * sqrt(4.60517 / 20) =
        // 0.6 + 5 * 0.479852.
        assert!((ucb.ucb_value(&record(20, 12.0), 100) - 2.999_26).abs() < 1e-4);
        // 80 in 100: 0.75 + 5 * sqrt(4.60517 / 80) = 0.75 + 5 * 0.239926.
        assert!((ucb.ucb_value(&record(80, 60.0), 100) - 1.949_63).abs() < 1e-4);
    }

    #[test]
    fn untried_strategies_come_first_and_pending_simulations_count() {
        let mut ucb = Ucb { constant: 5.0 };
        let records = [record(3, 3.0), record(0, 0.0), record(0, 0.0)];
        assert_eq!(ucb.choose(&records, &[true; 3]), 1);
        assert_eq!(ucb.choose(&records, &[true, false, false]), 0);
        // Nine simulations of the second are pending, so the first is selected.
        let under_way = StrategyRecord {
            chosen: 9,
            ended: 1,
            score: 1.0,
        };
        assert_eq!(ucb.choose(&[record(1, 1.0), under_way], &[true; 2]), 0);
    }
}
