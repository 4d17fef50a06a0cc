//! Pattern databases (Culberson and Schaeffer 1998): distances of groups of factors of a
//! [`FactorModel`] to their goal states.
//!
//! Factors are grouped as long as the database of a group, with one entry for each combination of
//! states, stays small. A database is filled backwards from the goal states, breadth-first. Each
//! entry is a lower bound of the moves that the group needs. The estimate of a position is the sum
//! over all groups. One move can bring several groups nearer, so the sum is not admissible; the
//! beam search does not need that.

use crate::factor_model::{FactorModel, TABLE_WIDTH};

/// An entry that is not reached: no line of fewer than 255 moves leads from there to the goal.
const UNREACHED: u8 = u8::MAX;
/// Maximal number of entries of a database.
const MAX_ENTRIES: usize = 8_000_000;
/// Maximal work of filling a database: entries times moves times factors.
const MAX_FILL_WORK: usize = 800_000_000;

/// Entries that can be scanned for the cost of filling one.
const SCANS_PER_UNIT: usize = 64;

/// The database of a group of factors.
#[derive(Debug)]
struct PatternDatabase {
    /// The factors, each with its stride in the index.
    factors: Vec<(usize, usize)>,
    /// Number of entries.
    entries: usize,
    /// The distances; empty until the filling starts.
    distance: Vec<u8>,
}

/// The databases of a model. They do not depend on the position of the match and stay valid through
/// it.
#[derive(Debug)]
pub(crate) struct PatternDatabases {
    databases: Vec<PatternDatabase>,
    /// The database that is being filled.
    filling: usize,
    /// Its current depth; `None` while the goal entries are marked.
    depth: Option<u8>,
    /// The next entry to visit at this depth.
    next_entry: usize,
    /// Whether the current depth has entries.
    has_entries_at_depth: bool,
}

impl PatternDatabases {
    /// Groups the factors. The databases are still to be [filled](Self::fill).
    pub(crate) fn new(model: &FactorModel, max_bytes: usize) -> Self {
        let mut max_entries = MAX_ENTRIES;
        let mut partition = partition(model, max_entries);
        while max_entries > 1 && total_entries(model, &partition) > max_bytes {
            max_entries /= 2;
            partition = self::partition(model, max_entries);
        }
        let databases = partition
            .into_iter()
            .map(|group| PatternDatabase::new(model, &group));
        Self {
            databases: databases.collect(),
            filling: 0,
            depth: None,
            next_entry: 0,
            has_entries_at_depth: false,
        }
    }

    /// Fills for a while. Returns whether all databases are complete, and the work done.
    pub(crate) fn fill(&mut self, model: &FactorModel, quota: u64) -> (bool, u64) {
        let mut done = 0;
        while let Some(database) = self.databases.get_mut(self.filling) {
            let mut digits = vec![0; database.factors.len()];
            if database.distance.is_empty() {
                database.distance = vec![UNREACHED; database.entries];
                done += (database.entries / SCANS_PER_UNIT) as u64;
            }
            while self.next_entry < database.entries {
                if done >= quota {
                    return (false, done);
                }
                let next_entry = self.next_entry;
                match self.depth {
                    None => {
                        database.mark_goal(model, next_entry, &mut digits);
                        done += 1;
                    }
                    Some(depth) if database.distance[next_entry] == depth => {
                        self.has_entries_at_depth = true;
                        database.expand_backwards(model, next_entry, depth, &mut digits);
                        done += model.moves.len() as u64;
                    }
                    Some(_) => done += u64::from(next_entry.is_multiple_of(SCANS_PER_UNIT)),
                }
                self.next_entry += 1;
            }
            self.next_entry = 0;
            let has_entries_at_depth = std::mem::take(&mut self.has_entries_at_depth);
            self.depth = match self.depth {
                None => Some(0),
                Some(depth) if has_entries_at_depth && depth + 1 < UNREACHED => Some(depth + 1),
                Some(_) => {
                    self.filling += 1;
                    None
                }
            };
        }
        (true, done)
    }

    /// The estimated distance of a position.
    #[inline]
    pub(crate) fn distance(&self, state: &[u8]) -> u32 {
        let distances = self.databases.iter();
        distances
            .map(|database| u32::from(database.distance[database.index(state)]))
            .sum()
    }

    /// The bytes of all databases.
    pub(crate) fn bytes(&self) -> usize {
        self.databases
            .iter()
            .map(|database| database.distance.len())
            .sum()
    }
}

/// Groups of factors whose databases have at most `max_entries` entries, unless one factor alone
/// has more.
fn partition(model: &FactorModel, max_entries: usize) -> Vec<Vec<usize>> {
    let mut partition: Vec<Vec<usize>> = Vec::new();
    let mut entries = usize::MAX;
    // Factors with equally many states are grouped, since their interaction is what a database
    // captures.
    let mut order: Vec<usize> = (0..model.state_counts.len()).collect();
    order.sort_by_key(|factor| model.state_counts[*factor]);
    for factor in order {
        let size = model.state_counts[factor];
        let count = partition.last().map_or(0, Vec::len) + 1;
        let larger = entries.saturating_mul(size);
        let work = larger.saturating_mul(model.moves.len() * count);
        match partition.last_mut() {
            Some(group) if larger <= max_entries && work <= MAX_FILL_WORK => {
                entries = larger;
                group.push(factor);
            }
            _ => {
                entries = size;
                partition.push(vec![factor]);
            }
        }
    }
    partition
}

/// The entries of the databases of all groups.
fn total_entries(model: &FactorModel, partition: &[Vec<usize>]) -> usize {
    let entries = |group: &Vec<usize>| {
        group
            .iter()
            .map(|factor| model.state_counts[*factor])
            .product::<usize>()
    };
    partition.iter().map(entries).sum()
}

impl PatternDatabase {
    fn new(model: &FactorModel, group: &[usize]) -> Self {
        let mut factors = Vec::new();
        let mut entries = 1;
        for factor in group {
            factors.push((*factor, entries));
            entries *= model.state_counts[*factor];
        }
        Self {
            factors,
            entries,
            distance: Vec::new(),
        }
    }

    /// Sets the distance of a goal entry to 0.
    fn mark_goal(&mut self, model: &FactorModel, index: usize, digits: &mut [usize]) {
        self.digits(model, index, digits);
        let mut factors = self.factors.iter().zip(&*digits);
        if factors.all(|((factor, _), digit)| model.goal_states[*factor][*digit]) {
            self.distance[index] = 0;
        }
    }

    #[inline]
    fn index(&self, state: &[u8]) -> usize {
        let factors = self.factors.iter();
        factors
            .map(|(factor, stride)| state[*factor] as usize * stride)
            .sum()
    }

    fn digits(&self, model: &FactorModel, mut index: usize, digits: &mut [usize]) {
        for (digit, (factor, _)) in digits.iter_mut().zip(&self.factors) {
            *digit = index % model.state_counts[*factor];
            index /= model.state_counts[*factor];
        }
    }

    /// Sets the distance of all predecessors of an entry that are not reached yet.
    fn expand_backwards(
        &mut self,
        model: &FactorModel,
        index: usize,
        depth: u8,
        digits: &mut [usize],
    ) {
        self.digits(model, index, digits);
        for number in 0..model.moves.len() {
            let row = number * TABLE_WIDTH;
            let factors = self.factors.iter().zip(&*digits);
            let from: usize = factors
                .map(|((factor, stride), digit)| {
                    model.inverse_transitions[*factor][row + digit] as usize * stride
                })
                .sum();
            if self.distance[from] == UNREACHED {
                self.distance[from] = depth + 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::factor_model::tests::model;

    #[test]
    fn distances_are_lengths_of_shortest_lines() {
        let model = model();
        let mut databases = PatternDatabases::new(&model, 1 << 20);
        assert_eq!(databases.databases.len(), 1);
        while !databases.fill(&model, 3).0 {}
        // The goal is (2, 0). Turning the first factor back leads there from (0, 0), turning the
        // second from (2, 1), turning both from (1, 1).
        for (state, distance) in [
            ([2, 0], 0),
            ([0, 0], 1),
            ([2, 1], 1),
            ([1, 1], 1),
            ([0, 1], 2),
            ([1, 0], 2),
        ] {
            assert_eq!(databases.distance(&state), distance, "{state:?}");
        }
    }

    #[test]
    fn little_memory_makes_smaller_groups() {
        let model = model();
        assert_eq!(PatternDatabases::new(&model, 5).databases.len(), 2);
    }

    #[test]
    fn databases_are_filled_in_pieces_of_any_size() {
        let model = model();
        let mut databases = PatternDatabases::new(&model, 1 << 20);
        assert_eq!(databases.bytes(), 0, "nothing is made before its turn");
        let mut pieces = 0;
        loop {
            let (is_full, done) = databases.fill(&model, 1);
            if is_full {
                break;
            }
            // A piece is at most one entry with all moves.
            assert!((1..=model.moves.len() as u64).contains(&done));
            pieces += 1;
        }
        assert!(pieces > 6, "six entries are marked, and then expanded");
        assert_eq!(databases.distance(&[1, 0]), 2);
    }
}
