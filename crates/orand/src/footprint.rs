//! How much memory the interpreter's rowsets take: they never shrink while nodes last, so this
//! shows whether they keep growing.

use super::block::Block;
use super::cell::Cell;
use super::filter::Site;
use super::machine::Machine;
use super::numbering::Numbering;
use super::plan::{AndPlan, Key, Merge, NodePlan, Op, Seed};
use super::rows::{Access, Rows, Spans};
use super::table::Table;

/// About what a term takes in the table of a fork and in the table that all forks share.
const TERM_BYTES: usize = 160;

fn bytes<T>(list: &Vec<T>) -> usize {
    list.capacity() * size_of::<T>()
}

impl Numbering {
    fn footprint(&self) -> usize {
        bytes(&self.slots)
    }
}

impl<C: Cell> Rows<C> {
    fn footprint(&self) -> usize {
        let chains = |a: &Access| bytes(&a.chains.heads) + bytes(&a.chains.next);
        let spans = |s: &Spans| bytes(&s.of);
        bytes(&self.data)
            + bytes(&self.accesses)
            + self.accesses.iter().map(chains).sum::<usize>()
            + self.spans.iter().map(spans).sum::<usize>()
    }
}

impl<C: Cell> Table<C> {
    fn footprint(&self) -> usize {
        bytes(&self.asked_data)
            + self.asked_numbers.footprint()
            + bytes(&self.done)
            + bytes(&self.heads)
            + bytes(&self.next)
            + bytes(&self.owners)
            + self.answers.footprint()
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

impl Op {
    /// Forks have no forks below them.
    fn footprint(&self) -> usize {
        size_of::<Self>()
            + match self {
                Self::Merge(merge) => merge.footprint(),
                Self::Filtered(filtered) => {
                    size_of_val(&**filtered)
                        + size_of::<Site>()
                        + size_of_val(&*filtered.asked)
                        + size_of_val(&*filtered.outputs)
                        + filtered.whole.footprint()
                }
                Self::Distinct(pairs) => size_of_val(&**pairs),
                Self::Compose(_, parts, _) => size_of_val(&**parts),
                Self::Decompose(_, _, parts) => size_of_val(&**parts),
                Self::One => 0,
                Self::Unique(columns) => size_of_val(&**columns),
                Self::Fork(paths) => paths.iter().flatten().map(Self::footprint).sum(),
            }
    }
}

impl NodePlan {
    pub(super) fn footprint(&self) -> usize {
        let rule = |rule: &AndPlan| {
            size_of::<AndPlan>()
                + rule.seeds.len() * size_of::<Seed>()
                + size_of_val(&*rule.results)
                + rule.ops.iter().map(Op::footprint).sum::<usize>()
        };
        size_of::<Self>() + self.rules.iter().map(rule).sum::<usize>()
    }
}

impl<C: Cell> Machine<C> {
    /// The bytes of terms, and of what fluents and moves look like as rows. Terms are shared by all
    /// who play this game, so they stay.
    pub(super) fn term_bytes(&self) -> usize {
        self.vocabulary.terms().len() * TERM_BYTES + self.kept_bytes
    }

    /// The bytes that nodes and rowsets take, those under way included, and the terms that the
    /// symbols in them stand for.
    pub(super) fn footprint(&self) -> usize {
        let block = |b: &Block<C>| bytes(&b.data);
        self.leaves.iter().map(Rows::footprint).sum::<usize>()
            + self.tables.iter().map(Table::footprint).sum::<usize>()
            + self.blocks.iter().map(block).sum::<usize>()
            + self.lists.iter().map(bytes).sum::<usize>()
            + self.keys.iter().map(bytes).sum::<usize>()
            + self.unique_numbers.footprint()
            + self.node_bytes
            + self.waiting
            + self.term_bytes()
    }
}
