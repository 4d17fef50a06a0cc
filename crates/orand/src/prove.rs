//! The PROVE method (Świechowski 2015, algorithms 2 and 3) on sets of requests.
//!
//! An OR node receives the rows of a filter as requests. Requests that were proved before have
//! their results; for the others its AND nodes run, each starting from the requested rows.
//! Recurrent conditions are proved depth first, with buffers for each level. If a node meets
//! requests that are still being proved further up, or the depth limit is reached, it uses the
//! results so far. The node through which the component was entered then repeats all requests
//! within the component in rounds, up to a fixpoint.
//!
//! Świechowski 2015 creates a node for each recursion depth instead (sections 6.3.4 and B.4).

use std::sync::Arc;

use super::and_plan::{AndPlan, ColumnSeed, KnownValue, MergeOp};
use super::and_rowset::AndRowset;
use super::cell::Cell;
use super::interpreter::{Interpreter, MAX_CELLS};
use super::rowset::NONE;
use ludorum_reasoner::ReasonError;

/// Maximum recursion depth of the depth-first proof. Beyond it every round adds one level, which
/// takes quadratic time.
const MAX_RECURRENCE: usize = 30_000;
/// Number of rows that are tried first where one result is enough.
const FIRST_ROWS: usize = 8;
/// Maximum nesting depth of nodes.
const MAX_DEPTH: usize = 50_000;

impl<C: Cell> Interpreter<C> {
    /// Drops the results of a node if they are not valid for the current state.
    #[inline]
    pub(super) fn refresh(&mut self, node: usize) {
        let Self {
            nodes,
            tables,
            epochs,
            ..
        } = self;
        let (node, table) = (&nodes[node], &mut tables[node]);
        let epoch = epochs[node.class as usize];
        let stale = table.epoch != epoch
            || (!self.settings.reuse_results
                && !node.component.is_some_and(|c| self.components[c].active));
        if stale {
            table.clear();
            table.epoch = epoch;
        }
    }

    /// Proves everything about the condition of a node without a filter.
    pub(super) fn prove_all(&mut self, node: usize) -> Result<(), ReasonError> {
        self.refresh(node);
        let table = &mut self.tables[node];
        if table.request_count > 0 {
            if let Some(component) = self.nodes[node].component
                && self.components[component].active
                && !table.done[0]
            {
                self.components[component].cyclic = true;
            }
            return Ok(());
        }
        if self.reuse_superset(node)? {
            return Ok(());
        }
        self.tables[node].request(&[]);
        self.prove(node, 0)
    }

    /// Proves the requests of a node, from the given one on.
    pub(super) fn prove(&mut self, node: usize, from: usize) -> Result<(), ReasonError> {
        let to = self.tables[node].request_count;
        let Some(component) = self.nodes[node].component else {
            return self.run_requests(node, from, to);
        };
        if self.components[component].active {
            let part = &mut self.components[component];
            if part.rounds || self.depth > MAX_RECURRENCE {
                part.cyclic = true;
                part.changed = true;
                return Ok(());
            }
            self.run_requests(node, from, to)?;
            self.tables[node].done[from..to].fill(true);
            return Ok(());
        }
        for i in 0..self.components[component].members.len() {
            let member = self.components[component].members[i];
            if member == node {
                self.tables[node].mark = from;
            } else {
                self.refresh(member);
                self.tables[member].mark = self.tables[member].request_count;
            }
        }
        self.components[component].active = true;
        self.components[component].cyclic = false;
        self.run_requests(node, from, to)?;
        self.tables[node].done[from..to].fill(true);
        if self.components[component].cyclic {
            self.components[component].rounds = true;
            loop {
                self.components[component].changed = false;
                let mut i = 0;
                while let Some(member) = self.components[component].members.get(i).copied() {
                    let (mark, request) =
                        (self.tables[member].mark, self.tables[member].request_count);
                    if mark < request {
                        self.run_requests(member, mark, request)?;
                    }
                    i += 1;
                }
                if !self.components[component].changed {
                    break;
                }
            }
            self.components[component].rounds = false;
            for i in 0..self.components[component].members.len() {
                let member = self.components[component].members[i];
                self.tables[member].done.fill(true);
            }
        }
        self.components[component].active = false;
        Ok(())
    }

    /// Runs the AND nodes of a node for a range of requests.
    fn run_requests(&mut self, node: usize, from: usize, to: usize) -> Result<(), ReasonError> {
        if self.depth >= MAX_DEPTH {
            return Err(ReasonError::Budget(format!(
                "conditions nest deeper than {MAX_DEPTH}"
            )));
        }
        self.depth += 1;
        let plan = match self.plan(node) {
            Ok(plan) => plan,
            Err(error) => {
                self.depth -= 1;
                return Err(error);
            }
        };
        let result = stacker::maybe_grow(128 << 10, 8 << 20, || {
            for rule in &plan.rules {
                self.run(rule, node, from, to)?;
            }
            Ok(())
        });
        self.depth -= 1;
        result
    }

    /// Runs one AND node.
    fn run(
        &mut self,
        rule: &AndPlan,
        node: usize,
        from: usize,
        to: usize,
    ) -> Result<(), ReasonError> {
        let mut block = self.reuse_block(rule.stride);
        self.seed(rule, node, from, to, &mut block);
        self.meter.work += 1 + block.len as u64;
        self.check()?;
        let one_is_enough = rule.seeds.is_empty() && rule.results.is_empty();
        self.run_ops(&rule.ops, node, &mut block, one_is_enough)?;
        if block.len > 0 {
            self.store_results(rule, node, &block)?;
        }
        self.blocks.push(block);
        Ok(())
    }

    /// Runs operations. Where a single result is enough, a few rows are run to the end first, and
    /// the others only if none of these succeeds.
    fn run_ops(
        &mut self,
        ops: &[MergeOp],
        node: usize,
        block: &mut AndRowset<C>,
        one_is_enough: bool,
    ) -> Result<(), ReasonError> {
        for (i, op) in ops.iter().enumerate() {
            if block.len == 0 {
                return Ok(());
            }
            if one_is_enough && block.len > 2 * FIRST_ROWS {
                let mut from = 0;
                let mut size = FIRST_ROWS;
                let waiting = block.bytes();
                self.waiting += waiting;
                while from < block.len {
                    let to = (from + size).min(block.len);
                    let mut ahead = self.reuse_block(block.stride);
                    let cells = from * block.stride..to * block.stride;
                    ahead.data.extend_from_slice(&block.data[cells]);
                    ahead.len = to - from;
                    self.run_ops(&ops[i..], node, &mut ahead, size <= FIRST_ROWS)?;
                    let found = ahead.len > 0;
                    if found {
                        std::mem::swap(block, &mut ahead);
                    }
                    self.blocks.push(ahead);
                    if found {
                        self.waiting -= waiting;
                        return Ok(());
                    }
                    from = to;
                    size *= 4;
                }
                self.waiting -= waiting;
                block.clear(block.stride);
                return Ok(());
            }
            self.apply(op, node, block)?;
        }
        Ok(())
    }

    /// Initialises the rowset with the requested rows.
    fn seed(
        &mut self,
        rule: &AndPlan,
        node: usize,
        from: usize,
        to: usize,
        block: &mut AndRowset<C>,
    ) {
        let table = &self.tables[node];
        let is_test = table.results.width == 0;
        if rule.seeds.is_empty() {
            if !(is_test && table.heads[0] != NONE) {
                block.data.resize(rule.stride, C::default());
                block.len = 1;
            }
            return;
        }
        'rows: for i in from..to {
            // A yes-or-no request that is proved needs no other rule.
            if is_test && table.heads[i] != NONE {
                continue;
            }
            let request = table.request_row(i);
            for (seed, cell) in rule.seeds.iter().zip(request) {
                let fits = match seed {
                    ColumnSeed::Equal(symbol) => cell.symbol() == *symbol,
                    ColumnSeed::Earlier(earlier) => *cell == request[*earlier],
                    ColumnSeed::Column(_) | ColumnSeed::Ignored => true,
                };
                if !fits {
                    continue 'rows;
                }
            }
            let start = block.data.len();
            block.data.resize(start + rule.stride, C::default());
            block.len += 1;
            let row = &mut block.data[start..];
            C::put(row, i as u32);
            for (seed, cell) in rule.seeds.iter().zip(request) {
                if let ColumnSeed::Column(column) = seed {
                    row[*column] = *cell;
                }
            }
        }
    }

    /// Stores the rows of an AND node as results of the OR node, without duplicates (the Return
    /// Query of Świechowski and Mańdziuk 2014, section III.D).
    fn store_results(
        &mut self,
        rule: &AndPlan,
        node: usize,
        block: &AndRowset<C>,
    ) -> Result<(), ReasonError> {
        let mut key = self.keys.pop().unwrap_or_default();
        let table = &mut self.tables[node];
        let has_owner = !rule.seeds.is_empty();
        let mut changed = false;
        for i in 0..block.len {
            let row = block.row(i);
            let owner = if has_owner { C::get(row) } else { 0 };
            key.clear();
            key.extend(rule.results.iter().map(|known| match known {
                KnownValue::Const(symbol) => C::of(*symbol),
                KnownValue::Column(column) => row[*column],
            }));
            changed |= table.add(owner, &key);
        }
        let full = table.results.data.len() > MAX_CELLS;
        self.keys.push(key);
        self.meter.work += block.len as u64;
        if changed && let Some(component) = self.nodes[node].component {
            self.components[component].changed = true;
        }
        if full {
            return Err(ReasonError::Budget(format!(
                "one condition has more than {MAX_CELLS} symbols in its results"
            )));
        }
        Ok(())
    }

    /// Runs a query: proves everything about the condition of a node.
    pub(super) fn query(&mut self, node: usize) -> Result<(), ReasonError> {
        if self.settings.remove_filters {
            self.probe_filters();
        }
        loop {
            let result = self.begin(None).and_then(|()| self.prove_all(node));
            self.sites.note_query(self.meter.work);
            if result.is_err() {
                self.reset();
                // Every failure for this reason restores one filter, so the loop terminates.
                if let Some(site) = self.filter_to_restore.take() {
                    self.sites.restore(site);
                    continue;
                }
            }
            return result;
        }
    }
}

// Plans are shared between forks.
const _: fn() = || {
    fn shared<T: Send + Sync>() {}
    shared::<Arc<super::and_plan::NodePlan>>();
};
