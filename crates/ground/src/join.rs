//! Executes join plans: enumerates the instances of a clause without recursion and without
//! allocation for each row.

use ludorum_gdl::Symbol;
use ludorum_logic::{TermId, Terms};

use crate::budget::{BudgetMeter, GroundError, GroundLimit};
use crate::join_plan::{JoinOp, JoinPlan};
use crate::tuple_table::{NONE, TupleTables};

/// The term table, with the nesting depth of each term.
pub(crate) struct TermStore<'a> {
    pub(crate) terms: &'a mut Terms,
    depths: Vec<u32>,
    /// Number of terms that existed before grounding.
    given: usize,
}

/// Approximate bytes of a new term: node, arguments and hash table entry.
const TERM_BYTES: usize = 80;

impl<'a> TermStore<'a> {
    pub(crate) fn new(terms: &'a mut Terms) -> Self {
        let mut term_store = Self {
            given: terms.len(),
            terms,
            depths: Vec::new(),
        };
        term_store.update_depths();
        term_store
    }

    /// Computes the depths of new terms. Parts of a term always have lower ids than the term.
    fn update_depths(&mut self) {
        for id in self.depths.len()..self.terms.len() {
            let parts = self.terms.args(TermId(id as u32)).iter();
            let depth = parts.map(|part| self.depths[part.index()] + 1).max();
            self.depths.push(depth.unwrap_or(0));
        }
    }

    /// Bytes of the terms made during grounding.
    pub(crate) fn bytes(&self) -> usize {
        (self.terms.len() - self.given) * TERM_BYTES
    }

    fn compose(&mut self, functor: u32, parts: &[TermId]) -> TermId {
        let id = self.terms.intern(Symbol(functor), parts);
        if id.index() >= self.depths.len() {
            self.update_depths();
        }
        id
    }
}

/// Receives the instances of a clause.
pub(crate) trait InstanceSink {
    /// Called for each instance, with the slot values and the row of each positive literal.
    fn instance(
        &mut self,
        tables: &mut TupleTables,
        slots: &[u32],
        rows: &[u32],
        meter: &mut BudgetMeter<'_>,
    ) -> Result<(), GroundError>;
}

/// Buffers reused by all joins.
#[derive(Default)]
pub(crate) struct JoinScratch {
    slots: Vec<u32>,
    rows: Vec<u32>,
    cursors: Vec<u32>,
    cells: Vec<u32>,
    parts: Vec<TermId>,
}

/// Enumerates the instances of a planned clause. `ranges` limits the rows of each positive literal.
pub(crate) fn run<S: InstanceSink>(
    plan: &JoinPlan,
    ranges: &[(u32, u32)],
    tables: &mut TupleTables,
    term_store: &mut TermStore<'_>,
    meter: &mut BudgetMeter<'_>,
    scratch: &mut JoinScratch,
    sink: &mut S,
) -> Result<(), GroundError> {
    for step in &plan.steps {
        if let Some((index, _)) = step.access {
            tables.get_mut(step.table).refresh(index);
        }
    }
    scratch.slots.clear();
    scratch.slots.extend(&plan.slots);
    scratch.rows.clear();
    scratch.rows.resize(ranges.len(), NONE);
    scratch.cursors.clear();
    scratch.cursors.resize(plan.steps.len(), 0);
    if !run_ops(&plan.ops, ranges, tables, term_store, meter, scratch)? {
        return Ok(());
    }
    if plan.steps.is_empty() {
        return sink.instance(tables, &scratch.slots, &scratch.rows, meter);
    }
    let last = plan.steps.len() - 1;
    let mut level = 0;
    enter(plan, 0, ranges, tables, scratch);
    loop {
        let step = &plan.steps[level];
        let (low, high) = ranges[step.literal as usize];
        let row = scratch.cursors[level];
        if row >= high {
            // `NONE`, the end of an index chain, is beyond every range as well.
            if level == 0 {
                return Ok(());
            }
            level -= 1;
            continue;
        }
        let table = tables.get(step.table);
        scratch.cursors[level] = match step.access {
            None => row + 1,
            Some((index, _)) => table.after(index, row),
        };
        if meter.tick() {
            meter.table_bytes = (tables.bytes() + term_store.bytes()) as u64;
            meter.atoms = tables.rows();
            meter.check()?;
        }
        let table = tables.get(step.table);
        if row < low {
            continue;
        }
        let cells = table.row(row);
        let mut fits = true;
        for (column, slot, bind) in &step.columns {
            let value = cells[*column as usize];
            let slot = &mut scratch.slots[*slot as usize];
            if *bind {
                *slot = value;
            } else if *slot != value {
                fits = false;
                break;
            }
        }
        if !fits {
            continue;
        }
        scratch.rows[step.literal as usize] = row;
        if !step.ops.is_empty() && !run_ops(&step.ops, ranges, tables, term_store, meter, scratch)?
        {
            continue;
        }
        if level < last {
            level += 1;
            enter(plan, level, ranges, tables, scratch);
            continue;
        }
        sink.instance(tables, &scratch.slots, &scratch.rows, meter)?;
        if plan.existential_after == 0 {
            return Ok(());
        }
        level = plan.existential_after - 1;
    }
}

/// Sets the cursor of a step to its first row.
#[inline]
fn enter(
    plan: &JoinPlan,
    level: usize,
    ranges: &[(u32, u32)],
    tables: &TupleTables,
    scratch: &mut JoinScratch,
) {
    let step = &plan.steps[level];
    scratch.cursors[level] = match &step.access {
        None => ranges[step.literal as usize].0,
        Some((index, key)) => {
            let slots = &scratch.slots;
            scratch.cells.clear();
            scratch
                .cells
                .extend(key.iter().map(|slot| slots[*slot as usize]));
            tables.get(step.table).first(*index, &scratch.cells)
        }
    };
}

/// Runs tests and computations. Returns false if a test fails.
#[inline]
fn run_ops(
    ops: &[JoinOp],
    ranges: &[(u32, u32)],
    tables: &TupleTables,
    term_store: &mut TermStore<'_>,
    meter: &BudgetMeter<'_>,
    scratch: &mut JoinScratch,
) -> Result<bool, GroundError> {
    let JoinScratch {
        slots,
        rows,
        cells,
        parts: buffer,
        ..
    } = scratch;
    for op in ops {
        match op {
            JoinOp::Distinct(left, right) => {
                if slots[*left as usize] == slots[*right as usize] {
                    return Ok(false);
                }
            }
            JoinOp::Constant(slot) => {
                if !term_store
                    .terms
                    .args(TermId(slots[*slot as usize]))
                    .is_empty()
                {
                    return Ok(false);
                }
            }
            JoinOp::Absent(table, args) | JoinOp::HeadIsNew(table, args) => {
                cells.clear();
                cells.extend(args.iter().map(|slot| slots[*slot as usize]));
                if tables.get(*table).find(cells).is_some() {
                    return Ok(false);
                }
            }
            JoinOp::Present {
                table,
                args,
                literal,
            } => {
                cells.clear();
                cells.extend(args.iter().map(|slot| slots[*slot as usize]));
                let (low, high) = ranges[*literal as usize];
                match tables.get(*table).find(cells) {
                    Some(row) if row >= low && row < high => rows[*literal as usize] = row,
                    _ => return Ok(false),
                }
            }
            JoinOp::Compose {
                whole,
                functor,
                parts,
                bind,
            } => {
                buffer.clear();
                buffer.extend(parts.iter().map(|slot| TermId(slots[*slot as usize])));
                let id = term_store.compose(*functor, buffer);
                if *bind {
                    if term_store.depths[id.index()] > meter.max_nesting() {
                        return Err(meter.error(GroundLimit::Nesting));
                    }
                    slots[*whole as usize] = id.0;
                } else if slots[*whole as usize] != id.0 {
                    return Ok(false);
                }
            }
            JoinOp::Decompose {
                whole,
                functor,
                parts,
            } => {
                let id = TermId(slots[*whole as usize]);
                let args = term_store.terms.args(id);
                if term_store.terms.functor(id).0 != *functor || args.len() != parts.len() {
                    return Ok(false);
                }
                for (arg, (slot, bind)) in args.iter().zip(parts) {
                    let slot = &mut slots[*slot as usize];
                    if *bind {
                        *slot = arg.0;
                    } else if *slot != arg.0 {
                        return Ok(false);
                    }
                }
            }
        }
    }
    Ok(true)
}
