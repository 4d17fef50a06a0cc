//! Decision diagrams with many values: sets of tuples as acyclic graphs in which equal suffixes are
//! shared (Bryant 1986 for two values, Srinivasan et al. 1990 for many).
//!
//! A diagram tests variables in the order of their levels. A node has an edge for some values of
//! its variable and another for all other values, so that a condition on two of nine variables does
//! not mention the values of the rest. Relations with billions of rows, such as "exactly one of
//! nine arguments is `?x`", have a few dozen nodes.

use rustc_hash::FxHashMap;

/// Number of a node in [`Diagrams`].
pub(crate) type NodeId = u32;

/// The empty set.
pub(crate) const NEVER: NodeId = 0;
/// The set of everything.
pub(crate) const ALWAYS: NodeId = 1;

/// Limits the nodes of all diagrams together.
const MAX_NODES: usize = 400_000;
/// Limits the edges visited.
const MAX_WORK: u64 = 20_000_000;

/// The diagrams became too large.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TooLarge;

/// A test of one variable.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Node {
    pub(crate) level: u32,
    /// The next node by value, sorted.
    pub(crate) edges: Box<[(u32, NodeId)]>,
    /// The next node for all other values.
    pub(crate) otherwise: NodeId,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Operation {
    And,
    Or,
}

/// A store of diagrams. Equal diagrams have equal numbers.
pub(crate) struct Diagrams {
    nodes: Vec<Node>,
    numbers: FxHashMap<Node, NodeId>,
    results: FxHashMap<(Operation, NodeId, NodeId), NodeId>,
    work: u64,
}

impl Diagrams {
    pub(crate) fn new() -> Self {
        let terminal = Node {
            level: u32::MAX,
            edges: Box::new([]),
            otherwise: NEVER,
        };
        Self {
            nodes: vec![terminal.clone(), terminal],
            numbers: FxHashMap::default(),
            results: FxHashMap::default(),
            work: 0,
        }
    }

    pub(crate) fn get(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    fn level(&self, id: NodeId) -> u32 {
        self.nodes[id as usize].level
    }

    /// Counts work that is done for these diagrams elsewhere.
    pub(crate) fn charge(&mut self, work: u64) -> Result<(), TooLarge> {
        self.work += work;
        if self.work > MAX_WORK {
            return Err(TooLarge);
        }
        Ok(())
    }

    /// The node with these edges, which are sorted by value.
    pub(crate) fn node(
        &mut self,
        level: u32,
        mut edges: Vec<(u32, NodeId)>,
        otherwise: NodeId,
    ) -> Result<NodeId, TooLarge> {
        self.charge(edges.len() as u64 + 1)?;
        edges.retain(|(_, to)| *to != otherwise);
        if edges.is_empty() {
            return Ok(otherwise);
        }
        let node = Node {
            level,
            edges: edges.into(),
            otherwise,
        };
        if let Some(id) = self.numbers.get(&node) {
            return Ok(*id);
        }
        if self.nodes.len() >= MAX_NODES {
            return Err(TooLarge);
        }
        let id = self.nodes.len() as NodeId;
        self.nodes.push(node.clone());
        self.numbers.insert(node, id);
        Ok(id)
    }

    /// The set of some tuples over increasing levels. The tuples are sorted here.
    pub(crate) fn tuples(
        &mut self,
        levels: &[u32],
        tuples: &mut Vec<Vec<u32>>,
    ) -> Result<NodeId, TooLarge> {
        tuples.sort_unstable();
        tuples.dedup();
        self.sorted_tuples(levels, tuples, 0)
    }

    fn sorted_tuples(
        &mut self,
        levels: &[u32],
        tuples: &[Vec<u32>],
        at: usize,
    ) -> Result<NodeId, TooLarge> {
        if tuples.is_empty() {
            return Ok(NEVER);
        }
        if at == levels.len() {
            return Ok(ALWAYS);
        }
        let mut edges = Vec::new();
        for group in tuples.chunk_by(|a, b| a[at] == b[at]) {
            edges.push((group[0][at], self.sorted_tuples(levels, group, at + 1)?));
        }
        self.node(levels[at], edges, NEVER)
    }

    /// The pairs of equal values, or of different ones, at two levels. The variable at the first
    /// level has one of these values, sorted.
    pub(crate) fn pairs(
        &mut self,
        first: u32,
        second: u32,
        values: &[u32],
        equal: bool,
    ) -> Result<NodeId, TooLarge> {
        if first < second {
            let (own, others) = if equal {
                (ALWAYS, NEVER)
            } else {
                (NEVER, ALWAYS)
            };
            let mut edges = Vec::with_capacity(values.len());
            for value in values {
                edges.push((*value, self.node(second, vec![(*value, own)], others)?));
            }
            return self.node(first, edges, NEVER);
        }
        let mut edges = Vec::with_capacity(values.len());
        for value in values {
            let allowed = values.iter().filter(|v| (*v == value) == equal);
            let allowed = allowed.map(|v| (*v, ALWAYS)).collect();
            edges.push((*value, self.node(first, allowed, NEVER)?));
        }
        let all = values.iter().map(|v| (*v, ALWAYS)).collect();
        let otherwise = if equal {
            NEVER
        } else {
            self.node(first, all, NEVER)?
        };
        self.node(second, edges, otherwise)
    }

    pub(crate) fn and(&mut self, a: NodeId, b: NodeId) -> Result<NodeId, TooLarge> {
        self.apply(Operation::And, a, b)
    }

    pub(crate) fn or(&mut self, a: NodeId, b: NodeId) -> Result<NodeId, TooLarge> {
        self.apply(Operation::Or, a, b)
    }

    /// Recurses over the levels, of which a rule has few.
    fn apply(&mut self, operation: Operation, a: NodeId, b: NodeId) -> Result<NodeId, TooLarge> {
        let (neutral, absorbing) = match operation {
            Operation::And => (ALWAYS, NEVER),
            Operation::Or => (NEVER, ALWAYS),
        };
        if a == b || b == neutral || a == absorbing {
            return Ok(a);
        }
        if a == neutral || b == absorbing {
            return Ok(b);
        }
        let key = (operation, a.min(b), a.max(b));
        if let Some(known) = self.results.get(&key) {
            return Ok(*known);
        }
        let level = self.level(a).min(self.level(b));
        let (a_edges, a_rest) = self.edges_at(a, level);
        let (b_edges, b_rest) = self.edges_at(b, level);
        let mut values: Vec<u32> = a_edges.iter().chain(&b_edges).map(|edge| edge.0).collect();
        values.sort_unstable();
        values.dedup();
        let to = |edges: &[(u32, NodeId)], rest: NodeId, value: u32| {
            let at = edges.binary_search_by_key(&value, |edge| edge.0);
            at.map_or(rest, |at| edges[at].1)
        };
        let mut edges = Vec::with_capacity(values.len());
        for value in values {
            let (a, b) = (to(&a_edges, a_rest, value), to(&b_edges, b_rest, value));
            edges.push((value, self.apply(operation, a, b)?));
        }
        let otherwise = self.apply(operation, a_rest, b_rest)?;
        let result = self.node(level, edges, otherwise)?;
        self.results.insert(key, result);
        Ok(result)
    }

    /// The edges of a node if it tests this level, else one edge to itself.
    fn edges_at(&self, id: NodeId, level: u32) -> (Vec<(u32, NodeId)>, NodeId) {
        let node = self.get(id);
        if node.level == level {
            (node.edges.to_vec(), node.otherwise)
        } else {
            (Vec::new(), id)
        }
    }

    /// The complement of a set.
    pub(crate) fn not(&mut self, id: NodeId) -> Result<NodeId, TooLarge> {
        let mut known = FxHashMap::default();
        known.insert(NEVER, ALWAYS);
        known.insert(ALWAYS, NEVER);
        self.map(id, &mut known, &|_| false)
    }

    /// The set without the variables from a level on: a tuple is in it if some values of these
    /// variables make it a member.
    pub(crate) fn project(&mut self, id: NodeId, from: u32) -> Result<NodeId, TooLarge> {
        let mut known = FxHashMap::default();
        known.insert(NEVER, NEVER);
        known.insert(ALWAYS, ALWAYS);
        self.map(id, &mut known, &|level| level >= from)
    }

    /// Rebuilds a diagram. Nodes at levels that are dropped become the union of their children,
    /// which is everything unless it is empty, since all further levels are dropped too.
    fn map(
        &mut self,
        id: NodeId,
        known: &mut FxHashMap<NodeId, NodeId>,
        dropped: &dyn Fn(u32) -> bool,
    ) -> Result<NodeId, TooLarge> {
        if let Some(known) = known.get(&id) {
            return Ok(*known);
        }
        let node = self.get(id).clone();
        let result = if dropped(node.level) {
            // A node that is not `NEVER` has a member.
            ALWAYS
        } else {
            let mut edges = Vec::with_capacity(node.edges.len());
            for (value, to) in &node.edges {
                edges.push((*value, self.map(*to, known, dropped)?));
            }
            let otherwise = self.map(node.otherwise, known, dropped)?;
            self.node(node.level, edges, otherwise)?
        };
        known.insert(id, result);
        Ok(result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a tuple is in the set; position `i` is the value at level `i`.
    fn contains(diagrams: &Diagrams, mut id: NodeId, tuple: &[u32]) -> bool {
        while id > ALWAYS {
            let node = diagrams.get(id);
            let value = tuple[node.level as usize];
            let edge = node.edges.iter().find(|edge| edge.0 == value);
            id = edge.map_or(node.otherwise, |edge| edge.1);
        }
        id == ALWAYS
    }

    fn all_tuples() -> impl Iterator<Item = [u32; 3]> {
        (0..64).map(|n| [n % 4, n / 4 % 4, n / 16])
    }

    #[test]
    fn operations_are_those_of_sets() -> Result<(), TooLarge> {
        let mut diagrams = Diagrams::new();
        let a = diagrams.tuples(&[0, 2], &mut vec![vec![1, 2], vec![0, 0], vec![1, 3]])?;
        let b = diagrams.tuples(&[1, 2], &mut vec![vec![2, 3], vec![1, 0], vec![0, 2]])?;
        let (and, or, not) = (diagrams.and(a, b)?, diagrams.or(a, b)?, diagrams.not(a)?);
        for [x, y, z] in all_tuples() {
            let in_a = [(1, 2), (0, 0), (1, 3)].contains(&(x, z));
            let in_b = [(2, 3), (1, 0), (0, 2)].contains(&(y, z));
            let tuple = [x, y, z];
            assert_eq!(contains(&diagrams, and, &tuple), in_a && in_b);
            assert_eq!(contains(&diagrams, or, &tuple), in_a || in_b);
            assert_eq!(contains(&diagrams, not, &tuple), !in_a);
        }
        let back = diagrams.not(not)?;
        assert_eq!(back, a);
        let projected = diagrams.project(and, 2)?;
        for [x, y, _] in all_tuples() {
            let some = (0..4).any(|z| contains(&diagrams, and, &[x, y, z]));
            assert_eq!(contains(&diagrams, projected, &[x, y]), some);
        }
        Ok(())
    }

    #[test]
    fn pairs_are_equal_or_different() -> Result<(), TooLarge> {
        let mut diagrams = Diagrams::new();
        for equal in [false, true] {
            for (first, second) in [(0, 1), (1, 0)] {
                let pairs = diagrams.pairs(first, second, &[1, 2], equal)?;
                for [x, y, _] in all_tuples() {
                    let tuple = [x, y];
                    let (a, b) = (tuple[first as usize], tuple[second as usize]);
                    let wanted = [1, 2].contains(&a) && (a == b) == equal;
                    assert_eq!(contains(&diagrams, pairs, &tuple), wanted, "{tuple:?}");
                }
            }
        }
        Ok(())
    }

    #[test]
    fn a_permutation_of_eight_values_has_a_node_for_each_subset() -> Result<(), TooLarge> {
        let mut diagrams = Diagrams::new();
        let mut all = ALWAYS;
        let values: Vec<u32> = (0..8).collect();
        for second in 0..8 {
            for first in 0..second {
                let differ = diagrams.pairs(first, second, &values, false)?;
                all = diagrams.and(all, differ)?;
            }
        }
        let mut reached = vec![all];
        let mut at = 0;
        while at < reached.len() {
            let node = diagrams.get(reached[at]).clone();
            for (_, to) in &node.edges {
                if *to > ALWAYS && !reached.contains(to) {
                    reached.push(*to);
                }
            }
            at += 1;
        }
        // The last variable is bound to one of the values by `pairs`, or free of the others.
        assert!(reached.len() < 300, "{}", reached.len());
        Ok(())
    }
}
