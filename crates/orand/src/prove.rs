//! The PROVE method of the thesis (algorithms 2 and 3) on whole sets of questions.
//!
//! An OR node is asked for rows of a filter. Rowset that it was asked for before have their results;
//! for the others its AND nodes run, each starting from those rows. Recurrent conditions are proved
//! depth first, on memory of their own for each level; if some node meets rows that are still being
//! proved further up, or the depth gets out of hand, it makes do with the results so far, and the
//! node by which the component was entered repeats all that was asked for within it in rounds until
//! a round brings nothing new.

use std::sync::Arc;

use super::and_plan::{AndPlan, ColumnSeed, KnownValue, MergeOp};
use super::and_rowset::AndRowset;
use super::cell::Cell;
use super::interpreter::{Interpreter, MAX_CELLS};
use super::rowset::NONE;
use ludorum_reasoner::contract::ReasonError;

/// The deepest recurrence that is proved depth first. Below it every round of proving goes one
/// level deeper, which takes the square of the depth.
const MAX_RECURRENCE: usize = 30_000;
/// How many rows go ahead where one is enough.
const FEW_AHEAD: usize = 8;
/// The deepest chain of nodes.
const MAX_DEPTH: usize = 50_000;

impl<C: Cell> Interpreter<C> {
    /// Makes the results of a node valid for the current state.
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

    /// Proves everything about the condition of a node that has no filter.
    pub(super) fn prove_all(&mut self, node: usize) -> Result<(), ReasonError> {
        self.refresh(node);
        let table = &mut self.tables[node];
        if table.asked > 0 {
            if let Some(component) = self.nodes[node].component
                && self.components[component].active
                && !table.done[0]
            {
                self.components[component].cyclic = true;
            }
            return Ok(());
        }
        if self.take_results(node)? {
            return Ok(());
        }
        self.tables[node].ask(&[]);
        self.prove(node, 0)
    }

    /// Proves what a node was asked for, from the given row on.
    pub(super) fn prove(&mut self, node: usize, from: usize) -> Result<(), ReasonError> {
        let to = self.tables[node].asked;
        let Some(component) = self.nodes[node].component else {
            return self.batch(node, from, to);
        };
        if self.components[component].active {
            let part = &mut self.components[component];
            if part.rounds || self.depth > MAX_RECURRENCE {
                part.cyclic = true;
                part.changed = true;
                return Ok(());
            }
            self.batch(node, from, to)?;
            self.tables[node].done[from..to].fill(true);
            return Ok(());
        }
        for i in 0..self.components[component].members.len() {
            let member = self.components[component].members[i];
            if member == node {
                self.tables[node].mark = from;
            } else {
                self.refresh(member);
                self.tables[member].mark = self.tables[member].asked;
            }
        }
        self.components[component].active = true;
        self.components[component].cyclic = false;
        self.batch(node, from, to)?;
        self.tables[node].done[from..to].fill(true);
        if self.components[component].cyclic {
            self.components[component].rounds = true;
            loop {
                self.components[component].changed = false;
                let mut i = 0;
                while let Some(member) = self.components[component].members.get(i).copied() {
                    let (mark, asked) = (self.tables[member].mark, self.tables[member].asked);
                    if mark < asked {
                        self.batch(member, mark, asked)?;
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

    /// Runs the AND nodes of a node for some rows that it was asked for.
    fn batch(&mut self, node: usize, from: usize, to: usize) -> Result<(), ReasonError> {
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
        let mut block = self.take_block(rule.stride);
        self.seed(rule, node, from, to, &mut block);
        self.meter.work += 1 + block.len as u64;
        self.check()?;
        let one_will_do = rule.seeds.is_empty() && rule.results.is_empty();
        self.run_ops(&rule.ops, node, &mut block, one_will_do)?;
        if block.len > 0 {
            self.conclude(rule, node, &block)?;
        }
        self.blocks.push(block);
        Ok(())
    }

    /// Runs operations. Where one row is as good as many, a few rows go ahead to the end, and the
    /// rest only follow if none of them gets there.
    fn run_ops(
        &mut self,
        ops: &[MergeOp],
        node: usize,
        block: &mut AndRowset<C>,
        one_will_do: bool,
    ) -> Result<(), ReasonError> {
        for (i, op) in ops.iter().enumerate() {
            if block.len == 0 {
                return Ok(());
            }
            if one_will_do && block.len > 2 * FEW_AHEAD {
                let mut from = 0;
                let mut size = FEW_AHEAD;
                let waiting = block.bytes();
                self.waiting += waiting;
                while from < block.len {
                    let to = (from + size).min(block.len);
                    let mut ahead = self.take_block(block.stride);
                    let cells = from * block.stride..to * block.stride;
                    ahead.data.extend_from_slice(&block.data[cells]);
                    ahead.len = to - from;
                    self.run_ops(&ops[i..], node, &mut ahead, size <= FEW_AHEAD)?;
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

    /// Puts the rows asked for into the rowset.
    fn seed(
        &mut self,
        rule: &AndPlan,
        node: usize,
        from: usize,
        to: usize,
        block: &mut AndRowset<C>,
    ) {
        let table = &self.tables[node];
        let yes_or_no = table.answers.width == 0;
        if rule.seeds.is_empty() {
            if !(yes_or_no && table.heads[0] != NONE) {
                block.data.resize(rule.stride, C::default());
                block.len = 1;
            }
            return;
        }
        'rows: for i in from..to {
            // What is proved by one rule needs no other.
            if yes_or_no && table.heads[i] != NONE {
                continue;
            }
            let asked = table.asked_row(i);
            for (seed, cell) in rule.seeds.iter().zip(asked) {
                let fits = match seed {
                    ColumnSeed::Equal(symbol) => cell.symbol() == *symbol,
                    ColumnSeed::Earlier(earlier) => *cell == asked[*earlier],
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
            for (seed, cell) in rule.seeds.iter().zip(asked) {
                if let ColumnSeed::Column(column) = seed {
                    row[*column] = *cell;
                }
            }
        }
    }

    /// The return query: results for the OR node from the rows of an AND node, each once.
    fn conclude(
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
        let full = table.answers.data.len() > MAX_CELLS;
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

    /// Asks a question: everything about the condition of a node.
    pub(super) fn question(&mut self, node: usize) -> Result<(), ReasonError> {
        if self.settings.remove_filters {
            self.probe_filters();
        }
        loop {
            let result = self.begin(None).and_then(|()| self.prove_all(node));
            self.sites.note_question(self.meter.work);
            if result.is_err() {
                self.reset();
                // Every filter that is taken back ends one attempt.
                if let Some(site) = self.missed.take() {
                    self.sites.take_back(site);
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
