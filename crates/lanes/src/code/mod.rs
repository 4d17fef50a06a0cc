//! Code: graph nodes put into an order, with a place in memory for each result.
//!
//! Code is made in *sections* that run one after the other. A section computes what its roots need
//! and was not computed before; results that later sections need stay in memory between them. A
//! section may be a *loop*, run until nothing changes.
//!
//! Within a section nodes come depth first, so that producers are close to consumers, and memory is
//! reused as soon as a result has had its last use. An AND of two that a single AND uses in negated
//! form is not computed on its own but as a *pair* within it. No operation needs a NOT: an AND with
//! at least one argument in positive form is a chain of AND and AND-NOT, any other an OR whose
//! result is known to be stored in negated form.

mod scheduling;
mod slot_allocation;

use self::scheduling::Scheduler;
use self::slot_allocation::SlotAllocator;
use super::graph::{LaneGraph, Literal};

/// A word of memory.
pub(super) type Slot = u32;

/// What a section has to bring about.
#[derive(Clone, Debug, Default)]
pub(super) struct SectionRequest {
    /// What is stored where. Slots may be leaves of the graph; those are written when nothing reads
    /// them any more.
    pub(super) stores: Vec<(Literal, Slot)>,
    /// What later sections find in memory.
    pub(super) keeps: Vec<Literal>,
    /// Whether it runs again and again.
    pub(super) repeats: bool,
}

/// An argument: where it is and whether it is negated, `slot << 1 | negated`.
pub(super) type Argument = u32;

/// What an operation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OpKind {
    /// All arguments, the first of which is not negated, and no pair.
    And,
    /// Some argument, none of which is negated, or some pair.
    Or,
    /// An odd number of the arguments, none negated.
    Xor,
    /// Two of three, at most one of which is negated.
    Majority,
    /// The argument.
    Copy,
}

/// An operation: its arguments are single ones, then pairs of two.
#[derive(Clone, Copy, Debug)]
pub(super) struct Op {
    pub(super) kind: OpKind,
    /// Where the result goes.
    pub(super) to: Slot,
    pub(super) start: u32,
    pub(super) singles: u32,
    pub(super) pairs: u32,
    /// Whether the result must be in memory after the section.
    pub(super) lasting: bool,
}

/// A section.
#[derive(Clone, Debug)]
pub(super) struct Section {
    pub(super) ops: Vec<Op>,
    pub(super) repeats: bool,
    /// Where results lie that later sections use.
    pub(super) kept: Vec<Slot>,
    /// For loops, what is empty at the start.
    pub(super) cleared: Vec<Slot>,
}

/// Sections and the memory they need.
#[derive(Clone, Debug)]
pub(super) struct Code {
    pub(super) sections: Vec<Section>,
    pub(super) arguments: Vec<Argument>,
    /// All slots, those of leaves and stores included.
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

    /// How long the code is, in operations of a usual size: some have hundreds of arguments.
    pub(super) fn length(&self) -> usize {
        self.operations().max(self.arguments.len() / 3)
    }

    /// The memory that the code itself takes.
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

    /// Makes code. Slots below `first_free` belong to leaves and stores.
    pub(super) fn new(graph: &LaneGraph, requests: &[SectionRequest], first_free: Slot) -> Self {
        let schedule = Scheduler::new(graph, requests).run();
        SlotAllocator::new(&schedule, first_free).run()
    }
}
