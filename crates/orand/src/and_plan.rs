//! Plans of AND nodes: the conditions of a rule in order, each as a merge operation on the node's
//! rowset (Świechowski 2015, table 6.2). `planner` makes them.

use ludorum_gdl::Symbol;

use super::customise::Condition;
use super::flat::FlatRelationId;

/// A symbol that is known when an operation starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KnownValue {
    Const(u32),
    Column(usize),
}

/// A lookup key: constants, and the rowset columns from which the other positions are filled.
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

/// The merge operations of Świechowski 2015, table 6.2.
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

/// Where a merge reads rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowSource {
    /// A leaf OR node: facts, fluents or moves.
    Leaf(FlatRelationId),
    /// An OR node without a filter.
    Node(usize),
}

/// Merges the rows of a source that match a key.
#[derive(Clone, Debug)]
pub(super) struct Merge {
    pub(super) kind: MergeKind,
    pub(super) source: RowSource,
    /// The row access of the source for the key columns.
    pub(super) access: usize,
    pub(super) key: Key,
    /// Pairs of source columns that must be equal.
    pub(super) same: Box<[(usize, usize)]>,
    /// Source columns, and the rowset columns they initialise.
    pub(super) outputs: Box<[(usize, usize)]>,
}

/// Merges the results of an OR node that this rowset filters.
#[derive(Clone, Debug)]
pub(super) struct Filtered {
    pub(super) kind: MergeKind,
    pub(super) node: usize,
    /// The values passed to the filter.
    pub(super) request: Box<[KnownValue]>,
    /// Result columns, and the rowset columns they initialise.
    pub(super) outputs: Box<[(usize, usize)]>,
    /// The same merge without the filter.
    pub(super) whole: Merge,
    /// The filter site, which collects statistics on whether the filter pays.
    pub(super) site: usize,
}

/// An argument of a term that is decomposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Equal(KnownValue),
    /// Equal to an earlier argument.
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
    /// Composes a term.
    Compose(Symbol, Box<[KnownValue]>, usize),
    /// Decomposes a term.
    Decompose(KnownValue, Symbol, Box<[Part]>),
    /// Keeps one row: from here on only the existence of a row matters.
    AnyRow,
    /// Removes duplicates with respect to these columns.
    Unique(Box<[usize]>),
    /// The resolution paths of an `or` (section 6.4.4): each runs on a copy of the rowset, and the
    /// results are joined.
    Fork(Vec<Vec<MergeOp>>),
}

/// How a column of the filtering row initialises the rowset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ColumnSeed {
    Equal(u32),
    Earlier(usize),
    Column(usize),
    Ignored,
}

/// The plan of an AND node.
#[derive(Clone, Debug)]
pub(super) struct AndPlan {
    /// Number of rowset columns. With a filter, the number of the filtering row comes first.
    pub(super) stride: usize,
    pub(super) seeds: Box<[ColumnSeed]>,
    pub(super) ops: Vec<MergeOp>,
    /// The head columns that the OR node stores.
    pub(super) results: Box<[KnownValue]>,
}

/// The plans of the AND nodes below an OR node.
#[derive(Clone, Debug, Default)]
pub(super) struct NodePlan {
    pub(super) rules: Vec<AndPlan>,
}

/// How the rows of a condition are found among those of its whole relation (reuse of supersets,
/// section B.5).
#[derive(Clone, Debug)]
pub(super) struct Superset {
    pub(super) access: usize,
    pub(super) key: Box<[u32]>,
    pub(super) same: Box<[(usize, usize)]>,
    pub(super) outputs: Box<[usize]>,
}

/// The planner's access to nodes, rowsets and limits.
pub(super) trait PlanHost {
    /// The OR node of a condition, created if necessary.
    fn node(&mut self, condition: Condition) -> usize;
    /// The row access of a source by columns, created if necessary.
    fn access(&mut self, source: RowSource, columns: &[usize]) -> usize;
    /// Creates a filter site for a condition with the given unfiltered node.
    fn site(&mut self, whole: usize) -> usize;
    /// Whether a relation has so many nodes that constants should be passed as filter values, too.
    fn has_many_nodes(&self, relation: FlatRelationId) -> bool;
    /// Counts planning work. `None` if the limit is exceeded.
    fn spend_planning(&mut self, work: u64) -> Option<()>;
    /// Whether a fact exists.
    fn holds(&mut self, relation: FlatRelationId, row: &[u32]) -> bool;
}
