//! A graph of bitwise operations with negation on the arguments.
//!
//! The gates of the game and the sampling of moves become one graph, so that they are simplified,
//! scheduled and compiled together. A [`Literal`] is a node with an optional negation. Equal nodes
//! are made once (hash consing), and constants are folded.

use hashbrown::HashTable;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash as _, Hasher as _};

/// A node with an optional negation: `node << 1 | negated`.
pub(super) type Literal = u32;

/// False in every lane.
pub(super) const NO_LANE: Literal = 0;
/// True in every lane.
pub(super) const EVERY_LANE: Literal = 1;

/// The operation of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Operation {
    /// False in every lane; only node 0.
    Constant,
    /// The word in a memory slot. Its argument is the slot.
    Leaf,
    /// All arguments hold.
    And,
    /// An odd number of the two or three arguments holds.
    Xor,
    /// At least two of the three arguments hold.
    Majority,
}

/// The graph in topological order, in flat arrays.
#[derive(Debug)]
pub(super) struct LaneGraph {
    operations: Vec<Operation>,
    starts: Vec<u32>,
    arguments: Vec<Literal>,
    known: HashTable<u32>,
    scratch: Vec<Literal>,
    /// Nodes that are best computed one after another, because they read the same words.
    bundles: Vec<Vec<u32>>,
    /// The bundle of a node, if it has one.
    bundle_of: FxHashMap<u32, usize>,
}

impl LaneGraph {
    pub(super) fn new() -> Self {
        Self {
            operations: vec![Operation::Constant],
            starts: vec![0, 0],
            arguments: Vec::new(),
            known: HashTable::new(),
            scratch: Vec::new(),
            bundles: Vec::new(),
            bundle_of: FxHashMap::default(),
        }
    }

    /// How many nodes there are.
    pub(super) fn len(&self) -> usize {
        self.operations.len()
    }

    pub(super) fn operation(&self, node: u32) -> Operation {
        self.operations[node as usize]
    }

    /// The arguments of a node; for a leaf its slot.
    pub(super) fn arguments(&self, node: u32) -> &[Literal] {
        let node = node as usize;
        &self.arguments[self.starts[node] as usize..self.starts[node + 1] as usize]
    }

    /// A new bundle: nodes that are best computed one after another, because they read the same
    /// words.
    pub(super) fn new_bundle(&mut self) -> usize {
        self.bundles.push(Vec::new());
        self.bundles.len() - 1
    }

    /// Adds a node to a bundle, unless it is in one.
    pub(super) fn add_to_bundle(&mut self, bundle: usize, node: u32) {
        if self.operation(node) == Operation::And && !self.bundle_of.contains_key(&node) {
            self.bundle_of.insert(node, bundle);
            self.bundles[bundle].push(node);
        }
    }

    /// The bundle of a node, and the nodes in it.
    pub(super) fn bundle(&self, node: u32) -> Option<(usize, &[u32])> {
        let bundle = *self.bundle_of.get(&node)?;
        Some((bundle, &self.bundles[bundle]))
    }

    /// The word in a memory slot.
    pub(super) fn leaf(&mut self, slot: u32) -> Literal {
        self.node(Operation::Leaf, &[slot]) << 1
    }

    /// The word in a memory slot from now on: it differs from all earlier leaves of the slot, so
    /// that nothing computed from these is taken for something computed from it.
    pub(super) fn new_leaf(&mut self, slot: u32) -> Literal {
        self.push(Operation::Leaf, &[slot]) << 1
    }

    /// The conjunction of literals.
    pub(super) fn and(&mut self, arguments: &[Literal]) -> Literal {
        let mut list = std::mem::take(&mut self.scratch);
        list.clear();
        list.extend_from_slice(arguments);
        list.sort_unstable();
        list.dedup();
        list.retain(|lit| *lit != EVERY_LANE);
        let contradiction = list.windows(2).any(|pair| pair[0] ^ pair[1] == 1);
        let result = match list[..] {
            _ if contradiction => NO_LANE,
            [NO_LANE, ..] => NO_LANE,
            [] => EVERY_LANE,
            [lit] => lit,
            _ => self.node(Operation::And, &list) << 1,
        };
        self.scratch = list;
        result
    }

    /// The disjunction of literals.
    pub(super) fn or(&mut self, arguments: &[Literal]) -> Literal {
        let negated: Vec<Literal> = arguments.iter().map(|lit| lit ^ 1).collect();
        self.and(&negated) ^ 1
    }

    /// The exclusive or of two literals.
    pub(super) fn xor(&mut self, a: Literal, b: Literal) -> Literal {
        self.odd([a, b, NO_LANE])
    }

    /// The parity of three literals: the sum of a full adder.
    pub(super) fn odd(&mut self, arguments: [Literal; 3]) -> Literal {
        let sign = arguments.iter().fold(0, |sign, lit| sign ^ lit & 1);
        let mut nodes = arguments.map(|lit| lit & !1);
        nodes.sort_unstable();
        let [a, b, c] = nodes;
        let result = if a == b {
            c
        } else if b == c {
            a
        } else if a == NO_LANE {
            self.node(Operation::Xor, &[b, c]) << 1
        } else {
            self.node(Operation::Xor, &[a, b, c]) << 1
        };
        result ^ sign
    }

    /// The majority of three literals: the carry of a full adder.
    pub(super) fn majority(&mut self, arguments: [Literal; 3]) -> Literal {
        let mut sorted = arguments;
        sorted.sort_unstable();
        let [a, b, c] = sorted;
        if a == b || b == c {
            return b;
        }
        if a ^ b == 1 {
            return c;
        }
        if b ^ c == 1 {
            return a;
        }
        match a {
            NO_LANE => self.and(&[b, c]),
            EVERY_LANE => self.or(&[b, c]),
            // Majority is self-dual; only one of a node and its dual is made.
            _ if a & 1 == 1 => self.node(Operation::Majority, &[a ^ 1, b ^ 1, c ^ 1]) << 1 ^ 1,
            _ => self.node(Operation::Majority, &[a, b, c]) << 1,
        }
    }

    /// The nodes that nodes depend on and that do not depend on any leaf made since node `first`,
    /// as far as they are read by nodes that do.
    pub(super) fn invariants(&self, roots: Vec<u32>, first: u32) -> Vec<Literal> {
        let mut varies = vec![false; self.len() - first as usize];
        for node in first..self.len() as u32 {
            let varying = |argument: &Literal| {
                let at = (argument >> 1).checked_sub(first);
                at.is_some_and(|at| varies[at as usize])
            };
            let own = match self.operation(node) {
                Operation::Leaf => true,
                _ => self.arguments(node).iter().any(varying),
            };
            varies[(node - first) as usize] = own;
        }
        let mut seen = vec![false; varies.len()];
        let mut found = Vec::new();
        let mut open = roots;
        while let Some(node) = open.pop() {
            match node.checked_sub(first).map(|at| at as usize) {
                Some(at) if varies[at] => {
                    let is_leaf = self.operation(node) == Operation::Leaf;
                    if !std::mem::replace(&mut seen[at], true) && !is_leaf {
                        open.extend(self.arguments(node).iter().map(|argument| argument >> 1));
                    }
                }
                _ => found.push(node << 1),
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    fn node(&mut self, operation: Operation, arguments: &[Literal]) -> u32 {
        let hash = hash_of(operation, arguments);
        let (operations, starts, all) = (&self.operations, &self.starts, &self.arguments);
        let arguments_of = |node: u32| {
            let node = node as usize;
            &all[starts[node] as usize..starts[node + 1] as usize]
        };
        let found = self.known.find(hash, |node| {
            operations[*node as usize] == operation && arguments_of(*node) == arguments
        });
        if let Some(node) = found {
            return *node;
        }
        let node = self.push(operation, arguments);
        let (operations, starts, all) = (&self.operations, &self.starts, &self.arguments);
        self.known.insert_unique(hash, node, |node| {
            let node = *node as usize;
            hash_of(
                operations[node],
                &all[starts[node] as usize..starts[node + 1] as usize],
            )
        });
        node
    }

    fn push(&mut self, operation: Operation, arguments: &[Literal]) -> u32 {
        self.operations.push(operation);
        self.arguments.extend_from_slice(arguments);
        self.starts.push(self.arguments.len() as u32);
        self.operations.len() as u32 - 1
    }
}

fn hash_of(operation: Operation, arguments: &[Literal]) -> u64 {
    let mut hasher = FxHasher::default();
    operation.hash(&mut hasher);
    arguments.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_repeats_and_contradictions_make_no_node() {
        let mut graph = LaneGraph::new();
        let (a, b) = (graph.leaf(7), graph.leaf(8));
        assert_eq!(graph.and(&[a, EVERY_LANE, a]), a);
        assert_eq!(graph.and(&[a, b, a ^ 1]), NO_LANE);
        assert_eq!(graph.and(&[a, NO_LANE]), NO_LANE);
        assert_eq!(graph.and(&[]), EVERY_LANE);
        assert_eq!(graph.or(&[a, b ^ 1, b]), EVERY_LANE);
        assert_eq!(graph.xor(a, a), NO_LANE);
        assert_eq!(graph.xor(a, a ^ 1), EVERY_LANE);
        assert_eq!(graph.xor(a, EVERY_LANE), a ^ 1);
        assert_eq!(graph.majority([a, a ^ 1, b]), b);
        assert_eq!(graph.majority([a, b, a]), a);
    }

    #[test]
    fn equal_nodes_are_made_once_whatever_the_order_and_the_signs() {
        let mut graph = LaneGraph::new();
        let (a, b, c) = (graph.leaf(1), graph.leaf(2), graph.leaf(3));
        assert_eq!(graph.and(&[a, b, c]), graph.and(&[c, a, b]));
        assert_eq!(graph.odd([a, b, c]), graph.odd([c ^ 1, b ^ 1, a]));
        let carry = graph.majority([a, b, c]);
        assert_eq!(graph.majority([a ^ 1, c ^ 1, b ^ 1]), carry ^ 1);
        assert_eq!(graph.majority([NO_LANE, b, c]), graph.and(&[b, c]));
        assert_eq!(graph.majority([b, EVERY_LANE, c]), graph.or(&[b, c]));
    }
}
