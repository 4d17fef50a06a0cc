//! How far some parts of a [`Model`] are from where they are wanted, looked up in tables.
//!
//! Parts are bundled as long as the table of a bundle, with one entry for each combination of
//! situations, stays small. A table is filled backwards from what is wanted. No bundle is nearer
//! than its entry says; the sum over bundles, which share no part, says how far a position looks to
//! be, and is what a search goes by that need not find the shortest line.

use super::model::{COLUMNS, Model};

/// An entry that is not known: nothing leads from there to what is wanted.
const FAR: u8 = u8::MAX;
/// Entries of a table, at most.
const MOST_ENTRIES: usize = 8_000_000;
/// Entries times moves times parts of a table, at most: the work of filling it.
const MOST_WORK: usize = 800_000_000;

/// Entries that cost as much to look at as one to fill.
const LOOKS: usize = 64;

/// A table for a bundle of parts.
#[derive(Debug)]
struct Pattern {
    /// The parts, and what a situation of each adds to the index.
    parts: Vec<(usize, usize)>,
    entries: usize,
    /// Empty until it is its turn.
    distance: Vec<u8>,
}

/// The tables of a model. They say nothing about where a match is, and are good for all of it.
#[derive(Debug)]
pub(super) struct Patterns {
    all: Vec<Pattern>,
    /// The table that is being filled, and how far it is: what is wanted is marked before the first
    /// depth.
    filling: usize,
    depth: Option<u8>,
    at: usize,
    /// Whether this depth has entries.
    is_alive: bool,
}

impl Patterns {
    /// Bundles the parts; the tables are yet to be [filled](Self::fill).
    pub(super) fn new(model: &Model, most_bytes: usize) -> Self {
        let mut most = MOST_ENTRIES;
        let mut bundles = bundles(model, most);
        while most > 1 && total(model, &bundles) > most_bytes {
            most /= 2;
            bundles = self::bundles(model, most);
        }
        let patterns = bundles
            .into_iter()
            .map(|bundle| Pattern::new(model, &bundle));
        Self {
            all: patterns.collect(),
            filling: 0,
            depth: None,
            at: 0,
            is_alive: false,
        }
    }

    /// Fills tables for a while; gives whether they are full and how much was done.
    pub(super) fn fill(&mut self, model: &Model, quota: u64) -> (bool, u64) {
        let mut done = 0;
        while let Some(pattern) = self.all.get_mut(self.filling) {
            let mut digits = vec![0; pattern.parts.len()];
            if pattern.distance.is_empty() {
                pattern.distance = vec![FAR; pattern.entries];
                done += (pattern.entries / LOOKS) as u64;
            }
            while self.at < pattern.entries {
                if done >= quota {
                    return (false, done);
                }
                let at = self.at;
                match self.depth {
                    None => {
                        pattern.mark(model, at, &mut digits);
                        done += 1;
                    }
                    Some(depth) if pattern.distance[at] == depth => {
                        self.is_alive = true;
                        pattern.spread(model, at, depth, &mut digits);
                        done += model.moves.len() as u64;
                    }
                    Some(_) => done += u64::from(at.is_multiple_of(LOOKS)),
                }
                self.at += 1;
            }
            self.at = 0;
            let is_alive = std::mem::take(&mut self.is_alive);
            self.depth = match self.depth {
                None => Some(0),
                Some(depth) if is_alive && depth + 1 < FAR => Some(depth + 1),
                Some(_) => {
                    self.filling += 1;
                    None
                }
            };
        }
        (true, done)
    }

    /// How far a position looks to be.
    #[inline]
    pub(super) fn distance(&self, state: &[u8]) -> u32 {
        let distances = self.all.iter();
        distances
            .map(|pattern| u32::from(pattern.distance[pattern.index(state)]))
            .sum()
    }

    /// The bytes of all tables.
    pub(super) fn bytes(&self) -> usize {
        self.all.iter().map(|pattern| pattern.distance.len()).sum()
    }
}

/// The parts in bundles whose tables have no more entries than this, unless a part alone has more.
fn bundles(model: &Model, most: usize) -> Vec<Vec<usize>> {
    let mut bundles: Vec<Vec<usize>> = Vec::new();
    let mut entries = usize::MAX;
    // Parts of the same kind together: what they share shows in one table.
    let mut order: Vec<usize> = (0..model.sizes.len()).collect();
    order.sort_by_key(|part| model.sizes[*part]);
    for part in order {
        let size = model.sizes[part];
        let count = bundles.last().map_or(0, Vec::len) + 1;
        let larger = entries.saturating_mul(size);
        let work = larger.saturating_mul(model.moves.len() * count);
        match bundles.last_mut() {
            Some(bundle) if larger <= most && work <= MOST_WORK => {
                entries = larger;
                bundle.push(part);
            }
            _ => {
                entries = size;
                bundles.push(vec![part]);
            }
        }
    }
    bundles
}

/// The entries of the tables of some bundles.
fn total(model: &Model, bundles: &[Vec<usize>]) -> usize {
    let entries = |bundle: &Vec<usize>| {
        bundle
            .iter()
            .map(|part| model.sizes[*part])
            .product::<usize>()
    };
    bundles.iter().map(entries).sum()
}

impl Pattern {
    fn new(model: &Model, bundle: &[usize]) -> Self {
        let mut parts = Vec::new();
        let mut entries = 1;
        for part in bundle {
            parts.push((*part, entries));
            entries *= model.sizes[*part];
        }
        Self {
            parts,
            entries,
            distance: Vec::new(),
        }
    }

    /// Marks an entry if it is wanted.
    fn mark(&mut self, model: &Model, index: usize, digits: &mut [usize]) {
        self.digits(model, index, digits);
        let mut parts = self.parts.iter().zip(&*digits);
        if parts.all(|((part, _), digit)| model.wanted[*part][*digit]) {
            self.distance[index] = 0;
        }
    }

    #[inline]
    fn index(&self, state: &[u8]) -> usize {
        let parts = self.parts.iter();
        parts
            .map(|(part, stride)| state[*part] as usize * stride)
            .sum()
    }

    fn digits(&self, model: &Model, mut index: usize, digits: &mut [usize]) {
        for (digit, (part, _)) in digits.iter_mut().zip(&self.parts) {
            *digit = index % model.sizes[*part];
            index /= model.sizes[*part];
        }
    }

    /// Everything that one move leads from to an entry is one step farther, if nothing nearer is
    /// known.
    fn spread(&mut self, model: &Model, index: usize, depth: u8, digits: &mut [usize]) {
        self.digits(model, index, digits);
        for number in 0..model.moves.len() {
            let row = number * COLUMNS;
            let parts = self.parts.iter().zip(&*digits);
            let from: usize = parts
                .map(|((part, stride), digit)| model.before[*part][row + digit] as usize * stride)
                .sum();
            if self.distance[from] == FAR {
                self.distance[from] = depth + 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::tests::model;

    #[test]
    fn distances_are_those_of_the_shortest_way() {
        let model = model();
        let mut patterns = Patterns::new(&model, 1 << 20);
        assert_eq!(patterns.all.len(), 1);
        while !patterns.fill(&model, 3).0 {}
        // Wanted is (2, 0). Turning the first back leads there from (0, 0), turning the second from
        // (2, 1), turning both from (1, 1).
        for (state, distance) in [
            ([2, 0], 0),
            ([0, 0], 1),
            ([2, 1], 1),
            ([1, 1], 1),
            ([0, 1], 2),
            ([1, 0], 2),
        ] {
            assert_eq!(patterns.distance(&state), distance, "{state:?}");
        }
    }

    #[test]
    fn little_memory_makes_smaller_bundles() {
        let model = model();
        assert_eq!(Patterns::new(&model, 5).all.len(), 2);
    }

    #[test]
    fn tables_are_filled_in_pieces_of_any_size() {
        let model = model();
        let mut patterns = Patterns::new(&model, 1 << 20);
        assert_eq!(patterns.bytes(), 0, "nothing is made before its turn");
        let mut pieces = 0;
        loop {
            let (is_full, done) = patterns.fill(&model, 1);
            if is_full {
                break;
            }
            // A piece is no more than one entry with all moves.
            assert!((1..=model.moves.len() as u64).contains(&done));
            pieces += 1;
        }
        assert!(pieces > 6, "six entries are marked, and then spread");
        assert_eq!(patterns.distance(&[1, 0]), 2);
    }
}
