//! Transposition table of the tree: from positions to nodes, by Zobrist key (Zobrist 1970) or by
//! the nested tables of Świechowski 2015, section 4.2.3.
//!
//! The nested tables count the legal moves, facts, non-empty relations and facts of each relation
//! of a state. These numbers are the keys of nested hash maps. The innermost map is keyed by the
//! hash of equation 4.4, and its states are compared. This variant exists for comparison: it needs
//! the facts as text, while Zobrist keys come with the states.

use ludorum_reasoner::{ReasonError, Reasoner};
use rustc_hash::FxHashMap;

use crate::rule_analysis::ROLE;
use crate::settings::TranspositionKind;

/// The nodes of positions.
#[derive(Debug)]
pub(crate) enum TranspositionIndex<S> {
    /// By Zobrist key.
    Keys(FxHashMap<u128, u32>),
    /// By the nested tables of section 4.2.3.
    Nested(Box<NestedTables<S>>),
    /// No table: every position is a new node.
    Off,
}

/// The key of a position.
#[derive(Debug)]
pub(crate) enum PositionKey {
    /// A Zobrist key.
    Key(u128),
    /// The numbers of the nested tables and the hash of equation 4.4.
    Nested { numbers: Vec<u32>, hash: u64 },
    /// There is no table.
    Untracked,
}

impl<S: Clone + Eq> TranspositionIndex<S> {
    pub(crate) fn new(kind: TranspositionKind) -> Self {
        match kind {
            TranspositionKind::Zobrist => Self::Keys(FxHashMap::default()),
            TranspositionKind::Nested => Self::Nested(Box::new(NestedTables {
                relations: FxHashMap::default(),
                symbols: FxHashMap::default(),
                root: NestedTable::default(),
            })),
            TranspositionKind::Off => Self::Off,
        }
    }

    pub(crate) fn clear(&mut self) {
        match self {
            Self::Keys(keys) => *keys = FxHashMap::default(),
            Self::Nested(nested) => nested.root = NestedTable::default(),
            Self::Off => {}
        }
    }

    /// The approximate bytes of an entry.
    pub(crate) fn entry_bytes(&self) -> usize {
        match self {
            Self::Keys(_) => 48,
            Self::Nested(_) => 160,
            Self::Off => 0,
        }
    }

    /// The key of a state.
    pub(crate) fn position_key<R: Reasoner<State = S>>(
        &mut self,
        reasoner: &mut R,
        state: &S,
    ) -> Result<PositionKey, ReasonError> {
        Ok(match self {
            Self::Keys(_) => PositionKey::Key(reasoner.key(state)),
            Self::Nested(nested) => {
                let mut legal = Vec::new();
                reasoner.legal_moves(state, ROLE, &mut legal)?;
                nested.position_key(legal.len(), &reasoner.facts(state))
            }
            Self::Off => PositionKey::Untracked,
        })
    }

    /// The node of a state.
    pub(crate) fn find(&self, position_key: &PositionKey, state: &S) -> Option<u32> {
        match (self, position_key) {
            (Self::Keys(keys), PositionKey::Key(key)) => keys.get(key).copied(),
            (Self::Nested(nested), PositionKey::Nested { numbers, hash }) => {
                let table = nested.root.find(numbers)?;
                let states = table.states.get(hash)?;
                let found = states.iter().find(|(other, _)| other == state);
                found.map(|(_, node)| *node)
            }
            _ => None,
        }
    }

    /// Adds the node of a state.
    pub(crate) fn insert(&mut self, position_key: PositionKey, state: &S, node: u32) {
        match (self, position_key) {
            (Self::Keys(keys), PositionKey::Key(key)) => {
                keys.insert(key, node);
            }
            (Self::Nested(nested), PositionKey::Nested { numbers, hash }) => {
                let table = nested.root.get_or_insert(&numbers);
                let states = table.states.entry(hash).or_default();
                states.push((state.clone(), node));
            }
            _ => {}
        }
    }
}

/// The nested tables of section 4.2.3.
#[derive(Debug)]
pub(crate) struct NestedTables<S> {
    /// Relations of facts, in the order of their first occurrence.
    relations: FxHashMap<String, usize>,
    /// The number of each symbol: I of equation 4.4.
    symbols: FxHashMap<String, u16>,
    root: NestedTable<S>,
}

/// A table: of tables by the next number, or of states by hash.
#[derive(Debug)]
struct NestedTable<S> {
    next: FxHashMap<u32, Self>,
    states: FxHashMap<u64, Vec<(S, u32)>>,
}

impl<S> Default for NestedTable<S> {
    fn default() -> Self {
        Self {
            next: FxHashMap::default(),
            states: FxHashMap::default(),
        }
    }
}

impl<S> NestedTable<S> {
    /// The innermost table for some numbers, if it exists.
    fn find(&self, numbers: &[u32]) -> Option<&Self> {
        let mut at = self;
        for number in numbers {
            at = at.next.get(number)?;
        }
        Some(at)
    }

    /// The innermost table for some numbers.
    fn get_or_insert(&mut self, numbers: &[u32]) -> &mut Self {
        let mut at = self;
        for number in numbers {
            at = at.next.entry(*number).or_default();
        }
        at
    }
}

impl<S> NestedTables<S> {
    /// The key of a state with some number of legal moves and these facts.
    fn position_key(&mut self, legal: usize, facts: &[String]) -> PositionKey {
        let mut counts: Vec<u32> = vec![0; self.relations.len()];
        let mut hash: u64 = 0;
        for fact in facts {
            let words = fact.split(|c: char| c.is_whitespace() || c == '(' || c == ')');
            let mut words = words.filter(|word| !word.is_empty());
            let relation = words.next().unwrap_or_default();
            let known = self.relations.len();
            let relation = match self.relations.get(relation) {
                Some(relation) => *relation,
                None => *self.relations.entry(relation.to_owned()).or_insert(known),
            };
            counts.resize(counts.len().max(relation + 1), 0);
            counts[relation] += 1;
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
        // Relations that are first seen later have no facts here.
        while counts.last() == Some(&0) {
            counts.pop();
        }
        numbers.extend(counts);
        PositionKey::Nested { numbers, hash }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_swiechowski_2015_section_4_2_3_has_these_keys() {
        let mut nested: NestedTables<u32> = NestedTables {
            relations: FxHashMap::default(),
            symbols: FxHashMap::default(),
            root: NestedTable::default(),
        };
        let facts = [
            "(cell 1 1 white)",
            "(cell 2 1 blank)",
            "(cell 3 1 blank)",
            "(step 1)",
        ];
        let facts = facts.map(str::to_owned);
        let PositionKey::Nested { numbers, hash } = nested.position_key(3, &facts) else {
            panic!("no position key");
        };
        assert_eq!(numbers, [3, 4, 2, 3, 1]);
        // The symbols are numbered 1: 0, white: 1, 2: 2, blank: 3, 3: 4. The hash is the sum of 2^i
        // I(r_i), with i from 1.
        assert_eq!(hash, 8 + (2 * 2 + 8 * 3) + (2 * 4 + 8 * 3));
    }

    #[test]
    fn states_with_equal_keys_are_compared() {
        let mut table: TranspositionIndex<u32> = TranspositionIndex::new(TranspositionKind::Nested);
        let position_key = || PositionKey::Nested {
            numbers: vec![1, 2],
            hash: 7,
        };
        table.insert(position_key(), &10, 0);
        table.insert(position_key(), &11, 1);
        assert_eq!(table.find(&position_key(), &11), Some(1));
        assert_eq!(table.find(&position_key(), &12), None);
        table.clear();
        assert_eq!(table.find(&position_key(), &11), None);
    }
}
