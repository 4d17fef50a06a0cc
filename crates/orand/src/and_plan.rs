//! How the rule of an AND node runs: its conditions in order, each as a merge operation (NodeTable 6.2
//! of the thesis) on the node's rowset. `planner` makes these plans.

use ludorum_gdl::Symbol;

use super::customise::Condition;
use super::flat::FlatRelationId;

/// A symbol that is known when an operation starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KnownValue {
    Const(u32),
    Column(usize),
}

/// How to make a key: its constants, and which of its places come from which columns.
#[derive(Clone, Debug, Default)]
pub(super) struct Key {
    pub(super) symbols: Box<[u32]>,
    pub(super) columns: Box<[(usize, usize)]>,
}

impl Key {
    pub(super) fn new(known: &[KnownValue]) -> Self {
        let symbol = |known: &KnownValue| match known {
            KnownValue::Const(symbol) => *symbol,
            KnownValue::Column(_) => 0,
        };
        let column = |(i, known): (usize, &KnownValue)| match known {
            KnownValue::Const(_) => None,
            KnownValue::Column(column) => Some((i, *column)),
        };
        Self {
            symbols: known.iter().map(symbol).collect(),
            columns: known.iter().enumerate().filter_map(column).collect(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.symbols.is_empty()
    }
}

/// The kinds of merge operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MergeKind {
    New,
    True,
    Combine,
    Verify,
    Check,
    VerifyNot,
    CheckNot,
}

/// Where the rows for a merge come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowSource {
    /// A leaf: facts, fluents or moves.
    Leaf(FlatRelationId),
    /// An OR node without a filter.
    Node(usize),
}

/// Merges rows of a source, found by the key columns.
#[derive(Clone, Debug)]
pub(super) struct Merge {
    pub(super) kind: MergeKind,
    pub(super) source: RowSource,
    /// The way to find rows of the source.
    pub(super) access: usize,
    pub(super) key: Key,
    /// RuleColumns of the source that must be equal.
    pub(super) same: Box<[(usize, usize)]>,
    /// From columns of the source to columns here.
    pub(super) outputs: Box<[(usize, usize)]>,
}

/// Merges the results of an OR node that this rowset filters.
#[derive(Clone, Debug)]
pub(super) struct Filtered {
    pub(super) kind: MergeKind,
    pub(super) node: usize,
    /// What filters.
    pub(super) asked: Box<[KnownValue]>,
    /// From columns of the results to columns here.
    pub(super) outputs: Box<[(usize, usize)]>,
    /// The same merge without the filter.
    pub(super) whole: Merge,
    /// Where the worth of the filter is noted.
    pub(super) site: usize,
}

/// A part of a term that is taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Equal(KnownValue),
    /// The same as an earlier part.
    Earlier(usize),
    Column(usize),
    Ignored,
}

/// An operation on the rowset of an AND node.
#[derive(Clone, Debug)]
pub(super) enum MergeOp {
    Merge(Merge),
    Filtered(Box<Filtered>),
    Distinct(Box<[(KnownValue, KnownValue)]>),
    /// Puts a term together.
    Compose(Symbol, Box<[KnownValue]>, usize),
    /// Takes a term apart.
    Decompose(KnownValue, Symbol, Box<[Part]>),
    /// Nothing but whether there is a row matters from here on.
    AnyRow,
    /// Rowset that are equal in these columns are one from here on.
    Unique(Box<[usize]>),
    /// The paths of an `or`, each on a copy of the rowset, joined again.
    Fork(Vec<Vec<MergeOp>>),
}

/// What a filter's row gives to the rowset at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ColumnSeed {
    Equal(u32),
    Earlier(usize),
    Column(usize),
    Ignored,
}

/// The rule of an AND node, ready to run.
#[derive(Clone, Debug)]
pub(super) struct AndPlan {
    /// RuleColumns of its rowset; the number of the filter's row comes first where there is a filter.
    pub(super) stride: usize,
    pub(super) seeds: Box<[ColumnSeed]>,
    pub(super) ops: Vec<MergeOp>,
    /// The wanted columns of the head.
    pub(super) results: Box<[KnownValue]>,
}

/// The rules of an OR node, ready to run.
#[derive(Clone, Debug, Default)]
pub(super) struct NodePlan {
    pub(super) rules: Vec<AndPlan>,
}

/// How the rows of a condition are found among those of its whole relation.
#[derive(Clone, Debug)]
pub(super) struct Superset {
    pub(super) access: usize,
    pub(super) key: Box<[u32]>,
    pub(super) same: Box<[(usize, usize)]>,
    pub(super) outputs: Box<[usize]>,
}

/// What the planner asks of whoever keeps nodes and rowsets.
pub(super) trait PlanHost {
    /// The number of the node for a condition.
    fn node(&mut self, condition: Condition) -> usize;
    /// The number of the way to find rows of a source by columns.
    fn access(&mut self, source: RowSource, columns: &[usize]) -> usize;
    /// A new place to note the worth of a filter, with the node that has none.
    fn site(&mut self, whole: usize) -> usize;
    /// Whether conditions on a relation have so many nodes that constants should be filters like
    /// other values.
    fn is_crowded(&self, relation: FlatRelationId) -> bool;
    /// Counts work; `None` if there was too much of it.
    fn spend(&mut self, work: u64) -> Option<()>;
    /// Whether a row of facts exists.
    fn holds(&mut self, relation: FlatRelationId, row: &[u32]) -> bool;
}
