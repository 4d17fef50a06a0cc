//! Merges with filters (Świechowski 2015, section 6.5): a condition proves only what the rows of
//! the filtering rowset need.

use super::and_plan::{Filtered, MergeKind, RowSource};
use super::and_rowset::AndRowset;
use super::cell::Cell;
use super::interpreter::Interpreter;
use super::merge::{check_growth, value};
use super::rowset::NONE;
use ludorum_reasoner::ReasonError;

/// Maximum number of unshared nodes of recurrent conditions, without tabling.
const MAX_COPIES: usize = 4_000;

/// Depth below which nodes are shared even without tabling, so that cycles are detected.
const MAX_COPY_DEPTH: usize = 60;

impl<C: Cell> Interpreter<C> {
    /// Requests the results of a condition for the rows of the rowset, and merges them.
    pub(super) fn filtered(
        &mut self,
        filtered: &Filtered,
        from: usize,
        block: &mut AndRowset<C>,
    ) -> Result<(), ReasonError> {
        if let RowSource::Node(whole) = filtered.whole.source
            && self.is_available(whole)
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
        let mut requests = self.reuse_list();
        let mut key = self.keys.pop().unwrap_or_default();
        let table = &mut self.tables[node];
        let before = table.request_count;
        let mut unfinished = false;
        for i in 0..block.len {
            let row = block.row(i);
            key.clear();
            key.extend(filtered.request.iter().map(|known| value(*known, row)));
            let number = table.request(&key);
            unfinished |= (number as usize) < before && !table.done[number as usize];
            requests.push(number);
        }
        self.keys.push(key);
        let new = table.request_count > before;
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
        self.merge_results(filtered, node, &requests, block)?;
        self.lists.push(requests);
        let epoch = self.epochs[self.nodes[node].class as usize];
        self.sites
            .note(filtered.site, epoch, self.meter.work - work);
        Ok(())
    }

    /// The same where the filter was removed. If that takes far more work than usual, the query
    /// fails and is repeated with the filter.
    fn unfiltered(
        &mut self,
        filtered: &Filtered,
        block: &mut AndRowset<C>,
    ) -> Result<(), ReasonError> {
        let limit = self.meter.lower_limit(self.sites.allowance(filtered.site));
        let result = self.merge(&filtered.whole, block);
        let exceeded = self.meter.restore_limit(limit);
        if result.is_err() && exceeded && self.filter_to_restore.is_none() {
            self.filter_to_restore = Some(filtered.site);
        }
        result
    }

    /// Merges results by the number of the row that requested them.
    fn merge_results(
        &mut self,
        filtered: &Filtered,
        node: usize,
        requests: &[u32],
        block: &mut AndRowset<C>,
    ) -> Result<(), ReasonError> {
        match filtered.kind {
            MergeKind::True => {
                let mut out = self.reuse_block(block.stride);
                let table = &self.tables[node];
                for (i, number) in requests.iter().enumerate() {
                    let mut at = table.heads[*number as usize];
                    while at != NONE {
                        self.meter.work += 1;
                        let result = table.results.row(at as usize);
                        let row = out.push(block.row(i));
                        for (from, to) in &filtered.outputs {
                            row[*to] = result[*from];
                        }
                        at = table.next[at as usize];
                        if self.meter.is_due() {
                            check_growth(&mut self.meter, &out)?;
                        }
                    }
                }
                std::mem::swap(block, &mut out);
                self.blocks.push(out);
            }
            kind => {
                let wanted = kind == MergeKind::Verify;
                let mut deleted = self.reuse_list();
                let heads = &self.tables[node].heads;
                for (i, number) in requests.iter().enumerate() {
                    if (heads[*number as usize] != NONE) != wanted {
                        deleted.push(i as u32);
                    }
                }
                block.delete(&deleted);
                self.lists.push(deleted);
            }
        }
        Ok(())
    }
}
