//! Average sizes of relations, for condition ordering.

use ludorum_logic::join_cost::unknown_answers;
use rustc_hash::FxHashSet;

use super::cell::Cell;
use super::rowset::Rowset;

#[derive(Clone, Debug, Default)]
struct Figures {
    samples: f64,
    rows: f64,
    /// Sums of the distinct symbols of each column.
    distinct: Vec<f64>,
}

/// Average sizes of relations over the sampled states.
#[derive(Clone, Debug, Default)]
pub(super) struct SizeStatistics {
    relations: Vec<Figures>,
}

impl SizeStatistics {
    /// Records the rows of a relation.
    #[allow(clippy::cast_precision_loss)] // an estimate
    pub(super) fn note<C: Cell>(&mut self, relation: usize, rows: &Rowset<C>) {
        if self.relations.len() <= relation {
            self.relations.resize(relation + 1, Figures::default());
        }
        let figures = &mut self.relations[relation];
        figures.samples += 1.0;
        figures.rows += rows.len as f64;
        figures.distinct.resize(rows.width, 0.0);
        for (column, sum) in figures.distinct.iter_mut().enumerate() {
            let symbols = rows.data.iter().skip(column).step_by(rows.width);
            *sum += symbols.collect::<FxHashSet<_>>().len() as f64;
        }
    }

    /// Estimated number of matching rows when some columns are known.
    #[allow(clippy::cast_precision_loss)] // an estimate
    pub(super) fn estimate(&self, relation: usize, known: &[bool]) -> f64 {
        let figures = self.relations.get(relation);
        let Some(figures) = figures.filter(|f| f.samples > 0.0 && f.rows > 0.0) else {
            let open = known.iter().filter(|known| !**known).count();
            return unknown_answers(open, known.len());
        };
        let mut rows = figures.rows / figures.samples;
        for (sum, known) in figures.distinct.iter().zip(known) {
            if *known {
                rows /= (sum / figures.samples).max(1.0);
            }
        }
        rows
    }
}
