//! Code: the operations of a graph in execution order, with a memory slot for each result.
//!
//! Code consists of *sections* that run one after another. A section computes what its roots need
//! and what was not computed before. Results that later sections need stay in memory between them.
//! A section may be a [`Loop`] that is repeated until nothing changes.
//!
//! Within a section, [scheduling] orders nodes depth first, so that results are close to their
//! uses, and [slot allocation](slot_allocation) reuses a slot after the last use of its result. An
//! AND of two whose only use is as a negated argument of another AND is not computed on its own but
//! as a *pair* within it. No operation needs a NOT: an AND with a positive argument is a chain of
//! AND and AND-NOT, any other is an OR whose result is stored negated.

mod scheduling;
mod slot_allocation;

use self::scheduling::Scheduler;
use self::slot_allocation::SlotAllocator;
use super::graph::{LaneGraph, Literal};

/// The index of a word in memory.
pub(super) type Slot = u32;

/// What a section has to produce.
#[derive(Clone, Debug, Default)]
pub(super) struct SectionRequest {
    /// Which results are stored where. Slots may be leaves of the graph; these are overwritten
    /// after their last read.
    pub(super) stores: Vec<(Literal, Slot)>,
    /// Results that later sections read.
    pub(super) keeps: Vec<Literal>,
    /// How the section is repeated, if it is a loop. Its results are then only in its stores.
    pub(super) repeats: Option<Loop>,
}

/// A section that is repeated until nothing changes.
#[derive(Clone, Debug)]
pub(super) struct Loop {
    /// The slot of the lanes in which an iteration has changed something.
    pub(super) changed: Slot,
    /// The slots that an iteration hands to the next.
    pub(super) carried: Vec<Slot>,
    /// If the loop goes on from its last run, the slot of the lanes that start from false instead.
    /// `changed` then has the lanes in which the loop's inputs have changed since the last run.
    pub(super) restarted: Option<Slot>,
    /// The inputs of the last run.
    pub(super) kept_inputs: Vec<Slot>,
}

/// An argument: a slot with an optional negation, `slot << 1 | negated`.
pub(super) type Argument = u32;

/// The operation codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OpKind {
    /// All single arguments hold, the first of which is not negated, and no pair does.
    And,
    /// Some single argument holds, none of which is negated, or some pair does.
    Or,
    /// An odd number of the arguments holds, none of which is negated.
    Xor,
    /// At least two of three arguments hold, at most one of which is negated.
    Majority,
    /// A copy of the argument.
    Copy,
}

/// An operation. Its arguments are `singles` single ones, then `pairs` pairs of two.
#[derive(Clone, Copy, Debug)]
pub(super) struct Op {
    pub(super) kind: OpKind,
    /// The slot of the result.
    pub(super) to: Slot,
    pub(super) start: u32,
    pub(super) singles: u32,
    pub(super) pairs: u32,
    /// Whether the result must be in memory at the end of the section.
    pub(super) lasting: bool,
}

/// A sequence of operations that runs as a unit.
#[derive(Clone, Debug)]
pub(super) struct Section {
    pub(super) ops: Vec<Op>,
    pub(super) repeats: Option<Loop>,
    /// The slots of results that later sections read.
    pub(super) kept: Vec<Slot>,
}

/// Sections and the memory they need.
#[derive(Clone, Debug)]
pub(super) struct Code {
    pub(super) sections: Vec<Section>,
    pub(super) arguments: Vec<Argument>,
    /// The total number of slots, those of leaves and stores included.
    pub(super) slots: u32,
}

impl Code {
    pub(super) fn singles(&self, op: &Op) -> &[Argument] {
        &self.arguments[op.start as usize..(op.start + op.singles) as usize]
    }

    pub(super) fn pairs(&self, op: &Op) -> &[[Argument; 2]] {
        let start = (op.start + op.singles) as usize;
        let flat = &self.arguments[start..start + 2 * op.pairs as usize];
        flat.as_chunks().0
    }

    /// How many operations all sections have.
    pub(super) fn operations(&self) -> usize {
        self.sections.iter().map(|section| section.ops.len()).sum()
    }

    /// The length of the code in operations of average size; some have hundreds of arguments.
    pub(super) fn length(&self) -> usize {
        self.operations().max(self.arguments.len() / 3)
    }

    /// The memory of the code itself, in bytes.
    pub(super) fn bytes(&self) -> usize {
        let ops = self.operations() * size_of::<Op>();
        ops + size_of_val(&self.arguments[..])
    }

    /// How many words all operations of a section read.
    pub(super) fn reads(&self, section: usize) -> usize {
        let ops = &self.sections[section].ops;
        ops.iter()
            .map(|op| (op.singles + 2 * op.pairs) as usize)
            .sum()
    }

    /// Schedules a graph and allocates its slots. Slots below `first_free` are reserved for leaves
    /// and stores.
    pub(super) fn new(graph: &LaneGraph, requests: &[SectionRequest], first_free: Slot) -> Self {
        let schedule = Scheduler::new(graph, requests).run();
        SlotAllocator::new(&schedule, first_free).run()
    }
}
