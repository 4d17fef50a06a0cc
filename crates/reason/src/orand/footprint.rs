//! How much memory the interpreter's rowsets take: they never shrink while nodes last, so this shows whether they keep growing.

use super::cell::Cell;
use super::game::Game;
use super::machine::{Block, Machine};
use super::numbering::Numbering;
use super::rows::Rows;
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
        let chains = |a: &super::rows::Access| bytes(&a.chains.heads) + bytes(&a.chains.next);
        let spans = |s: &super::rows::Spans| bytes(&s.of);
        bytes(&self.data)
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

impl<C: Cell> Machine<C> {
    /// The bytes that rowsets take, those under way included, and the terms that the symbols in them stand for.
    pub(super) fn footprint(&self) -> usize {
        let block = |b: &Block<C>| bytes(&b.data);
        self.leaves.iter().map(Rows::footprint).sum::<usize>()
            + self.tables.iter().map(Table::footprint).sum::<usize>()
            + self.blocks.iter().map(block).sum::<usize>()
            + self.lists.iter().map(bytes).sum::<usize>()
            + self.keys.iter().map(bytes).sum::<usize>()
            + self.unique_numbers.footprint()
            + bytes(&self.nodes)
            + self.waiting
            + self.vocabulary.terms.len() * TERM_BYTES
    }
}

impl<C: Cell> Game<C> {
    /// The bytes that all rowsets take.
    pub(super) fn footprint(&self) -> usize {
        self.machine.footprint()
    }
}
