//! Nodes by position: by Zobrist keys, or as in section 4.2.3 of the thesis.
//!
//! The thesis counts what a state has (legal moves, facts, kinds of facts that there are, facts of
//! each kind) and goes by these numbers through nested tables; in the last one states lie by the
//! hash of Equation 4.4 and are compared. Here this is for comparison: it works out facts as text,
//! where keys come with the states.

use ludorum_reasoner::{ReasonError, Reasoner};
use rustc_hash::FxHashMap;

use super::desk::ROLE;
use super::settings::TableKind;

/// Nodes by position.
#[derive(Debug)]
pub(super) enum Transpositions<S> {
    Keys(FxHashMap<u128, u32>),
    Nested(Box<Nested<S>>),
    Off,
}

/// Where a state belongs.
#[derive(Debug)]
pub(super) enum KnownPosition {
    Key(u128),
    Nested { numbers: Vec<u32>, hash: u64 },
    Nowhere,
}

impl<S: Clone + Eq> Transpositions<S> {
    pub(super) fn new(kind: TableKind) -> Self {
        match kind {
            TableKind::Zobrist => Self::Keys(FxHashMap::default()),
            TableKind::Nested => Self::Nested(Box::new(Nested {
                kinds: FxHashMap::default(),
                symbols: FxHashMap::default(),
                top: Shelf::default(),
            })),
            TableKind::Off => Self::Off,
        }
    }

    pub(super) fn clear(&mut self) {
        match self {
            Self::Keys(keys) => *keys = FxHashMap::default(),
            Self::Nested(nested) => nested.top = Shelf::default(),
            Self::Off => {}
        }
    }

    /// About how many bytes a node takes here.
    pub(super) fn entry_bytes(&self) -> usize {
        match self {
            Self::Keys(_) => 48,
            Self::Nested(_) => 160,
            Self::Off => 0,
        }
    }

    /// Where a state belongs.
    pub(super) fn place<R: Reasoner<State = S>>(
        &mut self,
        reasoner: &mut R,
        state: &S,
    ) -> Result<KnownPosition, ReasonError> {
        Ok(match self {
            Self::Keys(_) => KnownPosition::Key(reasoner.key(state)),
            Self::Nested(nested) => {
                let mut legal = Vec::new();
                reasoner.legal_moves(state, ROLE, &mut legal)?;
                nested.place(legal.len(), &reasoner.facts(state))
            }
            Self::Off => KnownPosition::Nowhere,
        })
    }

    /// The node of a state.
    pub(super) fn find(&self, place: &KnownPosition, state: &S) -> Option<u32> {
        match (self, place) {
            (Self::Keys(keys), KnownPosition::Key(key)) => keys.get(key).copied(),
            (Self::Nested(nested), KnownPosition::Nested { numbers, hash }) => {
                let shelf = nested.top.find(numbers)?;
                let states = shelf.states.get(hash)?;
                let found = states.iter().find(|(other, _)| other == state);
                found.map(|(_, node)| *node)
            }
            _ => None,
        }
    }

    pub(super) fn put(&mut self, place: KnownPosition, state: &S, node: u32) {
        match (self, place) {
            (Self::Keys(keys), KnownPosition::Key(key)) => {
                keys.insert(key, node);
            }
            (Self::Nested(nested), KnownPosition::Nested { numbers, hash }) => {
                let shelf = nested.top.make(&numbers);
                let states = shelf.states.entry(hash).or_default();
                states.push((state.clone(), node));
            }
            _ => {}
        }
    }
}

/// The nested tables.
#[derive(Debug)]
pub(super) struct Nested<S> {
    /// Kinds of facts, in the order in which they were first seen.
    kinds: FxHashMap<String, usize>,
    /// The number of each symbol: I of Equation 4.4.
    symbols: FxHashMap<String, u16>,
    top: Shelf<S>,
}

/// A table: of tables by the next number, or of states by their hash.
#[derive(Debug)]
struct Shelf<S> {
    next: FxHashMap<u32, Self>,
    states: FxHashMap<u64, Vec<(S, u32)>>,
}

impl<S> Default for Shelf<S> {
    fn default() -> Self {
        Self {
            next: FxHashMap::default(),
            states: FxHashMap::default(),
        }
    }
}

impl<S> Shelf<S> {
    fn find(&self, numbers: &[u32]) -> Option<&Self> {
        let mut at = self;
        for number in numbers {
            at = at.next.get(number)?;
        }
        Some(at)
    }

    fn make(&mut self, numbers: &[u32]) -> &mut Self {
        let mut at = self;
        for number in numbers {
            at = at.next.entry(*number).or_default();
        }
        at
    }
}

impl<S> Nested<S> {
    fn place(&mut self, legal: usize, facts: &[String]) -> KnownPosition {
        let mut counts: Vec<u32> = vec![0; self.kinds.len()];
        let mut hash: u64 = 0;
        for fact in facts {
            let words = fact.split(|c: char| c.is_whitespace() || c == '(' || c == ')');
            let mut words = words.filter(|word| !word.is_empty());
            let kind = words.next().unwrap_or_default();
            let known = self.kinds.len();
            let kind = match self.kinds.get(kind) {
                Some(kind) => *kind,
                None => *self.kinds.entry(kind.to_owned()).or_insert(known),
            };
            counts.resize(counts.len().max(kind + 1), 0);
            counts[kind] += 1;
            for (i, word) in words.enumerate() {
                let known = self.symbols.len() as u16;
                let number = match self.symbols.get(word) {
                    Some(number) => *number,
                    None => *self.symbols.entry(word.to_owned()).or_insert(known),
                };
                hash = hash.wrapping_add(u64::from(number) << (i + 1).min(40));
            }
        }
        let mut numbers = vec![
            legal as u32,
            facts.len() as u32,
            counts.iter().filter(|count| **count > 0).count() as u32,
        ];
        // Kinds that were seen later are none here.
        while counts.last() == Some(&0) {
            counts.pop();
        }
        numbers.extend(counts);
        KnownPosition::Nested { numbers, hash }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_the_example_in_the_thesis() {
        let mut nested: Nested<u32> = Nested {
            kinds: FxHashMap::default(),
            symbols: FxHashMap::default(),
            top: Shelf::default(),
        };
        let facts = [
            "(cell 1 1 white)",
            "(cell 2 1 blank)",
            "(cell 3 1 blank)",
            "(step 1)",
        ];
        let facts = facts.map(str::to_owned);
        let KnownPosition::Nested { numbers, hash } = nested.place(3, &facts) else {
            panic!("no place");
        };
        assert_eq!(numbers, [3, 4, 2, 3, 1]);
        // Symbols are numbered 1: 0, white: 1, 2: 2, blank: 3, 3: 4; the sum of 2^i I(r_i), i from
        // 1.
        assert_eq!(hash, 8 + (2 * 2 + 8 * 3) + (2 * 4 + 8 * 3));
    }

    #[test]
    fn states_of_one_place_are_told_apart() {
        let mut table: Transpositions<u32> = Transpositions::new(TableKind::Nested);
        let place = || KnownPosition::Nested {
            numbers: vec![1, 2],
            hash: 7,
        };
        table.put(place(), &10, 0);
        table.put(place(), &11, 1);
        assert_eq!(table.find(&place(), &11), Some(1));
        assert_eq!(table.find(&place(), &12), None);
        table.clear();
        assert_eq!(table.find(&place(), &11), None);
    }
}
