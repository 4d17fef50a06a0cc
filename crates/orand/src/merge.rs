//! Merge operations on the rowsets of AND nodes (Świechowski 2015, section 6.4.3).

use super::and_plan::{KnownValue, Merge, MergeKind, MergeOp, Part, RowSource};
use super::and_rowset::AndRowset;
use super::cell::{Cell, mix};
use super::interpreter::{Interpreter, MAX_CELLS};
use super::row_number_set::RowNumberSet;
use super::rowset::Rowset;
use super::shape::{symbol, term};
use super::work_meter::WorkMeter;
use ludorum_gdl::Symbol;
use ludorum_logic::TermId;
use ludorum_reasoner::ReasonError;
use ludorum_reasoner::vocabulary::MAX_TERM;
use ludorum_reasoner::vocabulary::too_long;

/// The value of a known symbol in a row.
#[inline]
pub(super) fn value<C: Cell>(known: KnownValue, row: &[C]) -> C {
    match known {
        KnownValue::Const(symbol) => C::of(symbol),
        KnownValue::Column(column) => row[column],
    }
}

/// Checks limits while a rowset grows.
#[cold]
pub(super) fn check_growth<C: Cell>(
    meter: &mut WorkMeter,
    out: &AndRowset<C>,
) -> Result<(), ReasonError> {
    if out.data.len() > MAX_CELLS {
        return Err(ReasonError::Budget(format!(
            "a rule has more than {MAX_CELLS} symbols in its rows"
        )));
    }
    meter.check_limits(out.bytes())
}

impl<C: Cell> Interpreter<C> {
    /// Runs an operation on the rowset of an AND node below `node`.
    pub(super) fn apply(
        &mut self,
        op: &MergeOp,
        node: usize,
        block: &mut AndRowset<C>,
    ) -> Result<(), ReasonError> {
        self.meter.work += block.len as u64;
        match op {
            MergeOp::Merge(merge) => self.merge(merge, block)?,
            MergeOp::Filtered(filtered) => self.filtered(filtered, node, block)?,
            MergeOp::Distinct(pairs) => {
                let mut deleted = self.reuse_list();
                for i in 0..block.len {
                    let row = block.row(i);
                    let equal =
                        |(a, b): &(KnownValue, KnownValue)| value(*a, row) == value(*b, row);
                    if pairs.iter().all(equal) {
                        deleted.push(i as u32);
                    }
                }
                block.delete(&deleted);
                self.lists.push(deleted);
            }
            MergeOp::Compose(functor, parts, column) => {
                self.compose(*functor, parts, *column, block)?;
            }
            MergeOp::Decompose(whole, functor, parts) => {
                self.decompose(*whole, *functor, parts, block);
            }
            MergeOp::AnyRow => {
                block.len = block.len.min(1);
                block.data.truncate(block.stride);
            }
            MergeOp::Unique(columns) => self.unique(columns, block),
            MergeOp::Fork(paths) => {
                let mut all = self.reuse_block(block.stride);
                for path in paths {
                    let waiting = block.bytes() + all.bytes();
                    self.waiting += waiting;
                    let mut copy = self.reuse_block(block.stride);
                    copy.data.extend_from_slice(&block.data);
                    copy.len = block.len;
                    for op in path {
                        if copy.len == 0 {
                            break;
                        }
                        self.apply(op, node, &mut copy)?;
                    }
                    self.waiting -= waiting;
                    all.data.extend_from_slice(&copy.data);
                    all.len += copy.len;
                    self.blocks.push(copy);
                }
                std::mem::swap(block, &mut all);
                self.blocks.push(all);
            }
        }
        self.check()
    }

    pub(super) fn reuse_list(&mut self) -> Vec<u32> {
        let mut list = self.lists.pop().unwrap_or_default();
        list.clear();
        list
    }

    pub(super) fn merge(
        &mut self,
        merge: &Merge,
        block: &mut AndRowset<C>,
    ) -> Result<(), ReasonError> {
        if let RowSource::Node(node) = merge.source {
            let waiting = block.bytes();
            self.waiting += waiting;
            self.prove_all(node)?;
            self.waiting -= waiting;
        }
        let mut key = self.keys.pop().unwrap_or_default();
        key.clear();
        key.extend(merge.key.symbols.iter().map(|symbol| C::of(*symbol)));
        let mut deleted = self.reuse_list();
        let mut out = self.reuse_block(block.stride);
        let rows = match merge.source {
            RowSource::Leaf(relation) => &mut self.leaves[relation],
            RowSource::Node(node) => &mut self.tables[node].results,
        };
        if !merge.key.is_empty() {
            rows.ready(merge.access);
        }
        let meter = &mut self.meter;
        match merge.kind {
            MergeKind::Check | MergeKind::CheckNot => {
                let any = if merge.key.is_empty() && merge.same.is_empty() {
                    rows.len > 0
                } else {
                    any(rows, merge, &key, &mut meter.work)
                };
                if any == (merge.kind == MergeKind::CheckNot) {
                    block.len = 0;
                    block.data.clear();
                }
            }
            MergeKind::Verify | MergeKind::VerifyNot => {
                let wanted = merge.kind == MergeKind::Verify;
                for i in 0..block.len {
                    let row = block.row(i);
                    for (place, column) in &merge.key.columns {
                        key[*place] = row[*column];
                    }
                    if any(rows, merge, &key, &mut meter.work) != wanted {
                        deleted.push(i as u32);
                    }
                    if meter.is_due() {
                        meter.check_limits(0)?;
                    }
                }
                block.delete(&deleted);
            }
            MergeKind::New | MergeKind::Combine | MergeKind::True => {
                join(rows, merge, block, &mut out, &mut key, meter)?;
                std::mem::swap(block, &mut out);
            }
        }
        self.keys.push(key);
        self.lists.push(deleted);
        self.blocks.push(out);
        Ok(())
    }

    fn unique(&mut self, columns: &[usize], block: &mut AndRowset<C>) {
        if block.len < 2 {
            return;
        }
        let mut numbers: RowNumberSet = std::mem::take(&mut self.unique_numbers);
        numbers.clear();
        let mut deleted = self.reuse_list();
        let hash = |i: u32| {
            let row = block.row(i as usize);
            columns
                .iter()
                .fold(0, |hash, c| mix(hash, row[*c].symbol()))
        };
        for i in 0..block.len as u32 {
            let row = block.row(i as usize);
            let equal = |j: u32| {
                let other = block.row(j as usize);
                columns.iter().all(|c| row[*c] == other[*c])
            };
            if numbers.insert(hash(i), i, equal, hash).is_some() {
                deleted.push(i);
            }
        }
        block.delete(&deleted);
        self.lists.push(deleted);
        self.unique_numbers = numbers;
    }

    fn compose(
        &mut self,
        functor: Symbol,
        parts: &[KnownValue],
        column: usize,
        block: &mut AndRowset<C>,
    ) -> Result<(), ReasonError> {
        let mut args: Vec<TermId> = Vec::with_capacity(parts.len());
        for i in 0..block.len {
            args.clear();
            let row = block.row_mut(i);
            args.extend(parts.iter().map(|known| term(value(*known, row).symbol())));
            let whole = self.vocabulary.intern(functor, &args);
            if self.vocabulary.terms().size(whole) > MAX_TERM || symbol(whole) > C::MAX {
                return Err(too_long());
            }
            row[column] = C::of(symbol(whole));
            self.meter.work += 8;
            self.check()?;
        }
        Ok(())
    }

    fn decompose(
        &mut self,
        whole: KnownValue,
        functor: Symbol,
        parts: &[Part],
        block: &mut AndRowset<C>,
    ) {
        let mut deleted = self.reuse_list();
        let terms = self.vocabulary.terms();
        for i in 0..block.len {
            let row = block.row_mut(i);
            let id = term(value(whole, row).symbol());
            let args = terms.args(id);
            let mut fits = terms.functor(id) == functor && args.len() == parts.len();
            if fits {
                for (part, arg) in parts.iter().zip(args) {
                    let cell = C::of(symbol(*arg));
                    match part {
                        Part::Equal(known) => fits &= value(*known, row) == cell,
                        Part::Earlier(earlier) => fits &= args[*earlier] == *arg,
                        Part::Column(column) => row[*column] = cell,
                        Part::Ignored => {}
                    }
                }
            }
            if !fits {
                deleted.push(i as u32);
            }
        }
        block.delete(&deleted);
        self.lists.push(deleted);
    }
}

/// Whether some row of a source matches.
#[inline]
fn any<C: Cell>(rows: &mut Rowset<C>, merge: &Merge, key: &[C], work: &mut u64) -> bool {
    if key.is_empty() {
        return (0..rows.len as u32).any(|at| rows.is_same(at, &merge.same));
    }
    rows.any(merge.access, key, &merge.same, work)
}

/// New, Combine and True merge.
fn join<C: Cell>(
    rows: &Rowset<C>,
    merge: &Merge,
    block: &AndRowset<C>,
    out: &mut AndRowset<C>,
    key: &mut [C],
    meter: &mut WorkMeter,
) -> Result<(), ReasonError> {
    for i in 0..block.len {
        let row = block.row(i);
        let emit = |at: u32, out: &mut AndRowset<C>| {
            let result = rows.row(at as usize);
            let new = out.push(row);
            for (from, to) in &merge.outputs {
                new[*to] = result[*from];
            }
        };
        if merge.key.is_empty() {
            for at in 0..rows.len as u32 {
                meter.work += 1;
                if rows.is_same(at, &merge.same) {
                    emit(at, out);
                }
                if meter.is_due() {
                    check_growth(meter, out)?;
                }
            }
        } else {
            for (place, column) in &merge.key.columns {
                key[*place] = row[*column];
            }
            let (mut at, end) = rows.start(merge.access, key);
            while at != end {
                meter.work += 1;
                if rows.fits(merge.access, key, at) && rows.is_same(at, &merge.same) {
                    emit(at, out);
                }
                at = rows.after(merge.access, at);
                if meter.is_due() {
                    check_growth(meter, out)?;
                }
            }
        }
    }
    Ok(())
}
