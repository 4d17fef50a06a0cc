//! Memory measurement. Rowsets do not shrink while their nodes exist, so it also shows whether they
//! keep growing.

use super::and_plan::{AndPlan, ColumnSeed, Key, Merge, MergeOp, NodePlan};
use super::and_rowset::AndRowset;
use super::cell::Cell;
use super::filter_sites::FilterSite;
use super::interpreter::Interpreter;
use super::node_table::NodeTable;
use super::row_number_set::RowNumberSet;
use super::rowset::{RowAccess, Rowset, Spans};

/// Approximate bytes of a term, in a fork's table and in the table shared by all forks.
const TERM_BYTES: usize = 160;

fn bytes<T>(list: &Vec<T>) -> usize {
    list.capacity() * size_of::<T>()
}

impl RowNumberSet {
    fn footprint(&self) -> usize {
        bytes(&self.slots)
    }
}

impl<C: Cell> Rowset<C> {
    fn footprint(&self) -> usize {
        let chains = |a: &RowAccess| bytes(&a.chains.heads) + bytes(&a.chains.next);
        let spans = |s: &Spans| bytes(&s.of);
        bytes(&self.data)
            + bytes(&self.accesses)
            + self.accesses.iter().map(chains).sum::<usize>()
            + self.spans.iter().map(spans).sum::<usize>()
    }
}

impl<C: Cell> NodeTable<C> {
    fn footprint(&self) -> usize {
        bytes(&self.request_data)
            + self.request_numbers.footprint()
            + bytes(&self.done)
            + bytes(&self.heads)
            + bytes(&self.next)
            + bytes(&self.owners)
            + self.results.footprint()
            + self.numbers.footprint()
    }
}

impl Key {
    fn footprint(&self) -> usize {
        size_of_val(&*self.symbols) + size_of_val(&*self.columns)
    }
}

impl Merge {
    fn footprint(&self) -> usize {
        self.key.footprint() + size_of_val(&*self.same) + size_of_val(&*self.outputs)
    }
}

impl MergeOp {
    /// Forks are not nested.
    fn footprint(&self) -> usize {
        size_of::<Self>()
            + match self {
                Self::Merge(merge) => merge.footprint(),
                Self::Filtered(filtered) => {
                    size_of_val(&**filtered)
                        + size_of::<FilterSite>()
                        + size_of_val(&*filtered.request)
                        + size_of_val(&*filtered.outputs)
                        + filtered.whole.footprint()
                }
                Self::Distinct(pairs) => size_of_val(&**pairs),
                Self::Compose(_, parts, _) => size_of_val(&**parts),
                Self::Decompose(_, _, parts) => size_of_val(&**parts),
                Self::AnyRow => 0,
                Self::Unique(columns) => size_of_val(&**columns),
                Self::Fork(paths) => paths.iter().flatten().map(Self::footprint).sum(),
            }
    }
}

impl NodePlan {
    pub(super) fn footprint(&self) -> usize {
        let rule = |rule: &AndPlan| {
            size_of::<AndPlan>()
                + rule.seeds.len() * size_of::<ColumnSeed>()
                + size_of_val(&*rule.results)
                + rule.ops.iter().map(MergeOp::footprint).sum::<usize>()
        };
        size_of::<Self>() + self.rules.iter().map(rule).sum::<usize>()
    }
}

impl<C: Cell> Interpreter<C> {
    /// Bytes of terms, and of the remembered rows of fluents and moves. Terms are shared by all
    /// users of the game and are never freed.
    pub(super) fn term_bytes(&self) -> usize {
        self.vocabulary.terms().len() * TERM_BYTES + self.kept_bytes
    }

    /// Bytes of nodes and rowsets, including those in use by a proof, and of the terms their
    /// symbols stand for.
    pub(super) fn footprint(&self) -> usize {
        let block = |b: &AndRowset<C>| bytes(&b.data);
        self.leaves.iter().map(Rowset::footprint).sum::<usize>()
            + self.tables.iter().map(NodeTable::footprint).sum::<usize>()
            + self.blocks.iter().map(block).sum::<usize>()
            + self.lists.iter().map(bytes).sum::<usize>()
            + self.keys.iter().map(bytes).sum::<usize>()
            + self.unique_numbers.footprint()
            + self.node_bytes
            + self.waiting
            + self.term_bytes()
    }
}
