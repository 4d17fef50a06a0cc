//! Conditions that a rowset filters: they are asked for what its rows need, and nothing else is
//! proved (section 6.5 of the thesis).

use super::and_plan::{Filtered, MergeKind, RowSource};
use super::and_rowset::AndRowset;
use super::cell::Cell;
use super::interpreter::Interpreter;
use super::merge::{look, value};
use super::rowset::NONE;
use ludorum_reasoner::contract::ReasonError;

/// Nodes of recurrent conditions that are made for single paths, where they are not shared, at
/// most; and the depth below which they are shared all the same, for cycles to be seen.
const MAX_COPIES: usize = 4_000;
const MAX_COPY_DEPTH: usize = 60;

impl<C: Cell> Interpreter<C> {
    /// Asks a condition for the results of the rowset's rows, and merges them.
    pub(super) fn filtered(
        &mut self,
        filtered: &Filtered,
        from: usize,
        block: &mut AndRowset<C>,
    ) -> Result<(), ReasonError> {
        if let RowSource::Node(whole) = filtered.whole.source
            && self.can_be_taken(whole)
        {
            return self.merge(&filtered.whole, block);
        }
        if self.sites.is_dropped(filtered.site) {
            return self.unfiltered(filtered, block);
        }
        let work = self.meter.work;
        let mut node = filtered.node;
        let component = self.nodes[node].component;
        if !self.settings.table_recurrent
            && component.is_some_and(|c| self.components[c].active && !self.components[c].rounds)
            && self.copies.len() < MAX_COPIES
            && self.depth < MAX_COPY_DEPTH
        {
            node = self.copy(from, filtered.site, node);
        }
        self.refresh(node);
        let mut asked = self.take_list();
        let mut key = self.keys.pop().unwrap_or_default();
        let table = &mut self.tables[node];
        let before = table.asked;
        let mut unfinished = false;
        for i in 0..block.len {
            let row = block.row(i);
            key.clear();
            key.extend(filtered.asked.iter().map(|known| value(*known, row)));
            let number = table.ask(&key);
            unfinished |= (number as usize) < before && !table.done[number as usize];
            asked.push(number);
        }
        self.keys.push(key);
        let new = table.asked > before;
        if let Some(component) = component
            && unfinished
            && self.components[component].active
        {
            self.components[component].cyclic = true;
        }
        if new {
            let waiting = block.bytes();
            self.waiting += waiting;
            self.prove(node, before)?;
            self.waiting -= waiting;
        }
        self.merge_asked(filtered, node, &asked, block)?;
        self.lists.push(asked);
        let epoch = self.epochs[self.nodes[node].class as usize];
        self.sites
            .note(filtered.site, epoch, self.meter.work - work);
        Ok(())
    }

    /// The same where the filter was dropped. If that turns out to take far more work than it used
    /// to, the question ends, and is asked again with the filter.
    fn unfiltered(
        &mut self,
        filtered: &Filtered,
        block: &mut AndRowset<C>,
    ) -> Result<(), ReasonError> {
        let limit = self.meter.narrow(self.sites.allowance(filtered.site));
        let result = self.merge(&filtered.whole, block);
        let exceeded = self.meter.widen(limit);
        if result.is_err() && exceeded && self.missed.is_none() {
            self.missed = Some(filtered.site);
        }
        result
    }

    /// Merges results that are found by the number of the row that asked for them.
    fn merge_asked(
        &mut self,
        filtered: &Filtered,
        node: usize,
        asked: &[u32],
        block: &mut AndRowset<C>,
    ) -> Result<(), ReasonError> {
        match filtered.kind {
            MergeKind::True => {
                let mut out = self.take_block(block.stride);
                let table = &self.tables[node];
                for (i, number) in asked.iter().enumerate() {
                    let mut at = table.heads[*number as usize];
                    while at != NONE {
                        self.meter.work += 1;
                        let result = table.answers.row(at as usize);
                        let row = out.push(block.row(i));
                        for (from, to) in &filtered.outputs {
                            row[*to] = result[*from];
                        }
                        at = table.next[at as usize];
                        if self.meter.is_due() {
                            look(&mut self.meter, &out)?;
                        }
                    }
                }
                std::mem::swap(block, &mut out);
                self.blocks.push(out);
            }
            kind => {
                let wanted = kind == MergeKind::Verify;
                let mut gone = self.take_list();
                let heads = &self.tables[node].heads;
                for (i, number) in asked.iter().enumerate() {
                    if (heads[*number as usize] != NONE) != wanted {
                        gone.push(i as u32);
                    }
                }
                block.delete(&gone);
                self.lists.push(gone);
            }
        }
        Ok(())
    }
}
