//! The budget of a grounding, the meter that watches it, and the verdict when it is used up.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde::Serialize;

/// What a grounding may use.
#[derive(Clone, Debug)]
pub struct GroundBudget {
    /// Ground rules made, and atoms found, at most this many of each.
    pub max_instances: u64,
    /// Bytes of the grounder's own tables.
    pub max_memory: u64,
    /// Time on the clock.
    pub max_time: Duration,
    /// Terms nested deeper than this count as nesting without bound.
    pub max_nesting: u32,
    /// Set by others to make the grounding end early.
    pub cancel: Option<Arc<AtomicBool>>,
}

impl Default for GroundBudget {
    fn default() -> Self {
        Self {
            max_instances: 20_000_000,
            max_memory: 4 << 30,
            max_time: Duration::from_mins(1),
            max_nesting: 1_000,
            cancel: None,
        }
    }
}

/// What ran out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum GroundLimit {
    /// [`GroundBudget::max_instances`], counted in atoms.
    Atoms,
    /// [`GroundBudget::max_instances`], counted in ground rules.
    Instances,
    /// [`GroundBudget::max_memory`].
    Memory,
    /// [`GroundBudget::max_time`].
    Time,
    /// [`GroundBudget::max_nesting`].
    Nesting,
    /// Nothing: somebody set [`GroundBudget::cancel`].
    Cancelled,
}

/// Why a grounding ended without a program.
#[derive(Clone, Debug, thiserror::Error, Serialize)]
#[error("{} (at `{at}`, with {atoms} atoms, {instances} ground rules, {} MiB, after {seconds:.1} s)", .limit.text(), .bytes >> 20)]
pub struct GroundError {
    /// What ran out.
    pub limit: GroundLimit,
    /// The relation whose rules were at work.
    pub at: String,
    /// Atoms found until then.
    pub atoms: u64,
    /// Ground rules made until then.
    pub instances: u64,
    /// Bytes in use.
    pub bytes: u64,
    /// Time spent.
    pub seconds: f64,
}

impl GroundLimit {
    fn text(self) -> &'static str {
        match self {
            Self::Atoms => "too many ground atoms",
            Self::Instances => "too many ground rules",
            Self::Memory => "out of the memory allowed",
            Self::Time => "out of the time allowed",
            Self::Nesting => "terms nest without bound",
            Self::Cancelled => "cancelled",
        }
    }
}

/// What the grounder is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum GroundPhase {
    /// Computing relations that never change.
    Rigid,
    /// Finding all atoms that may ever hold.
    Atoms,
    /// Making ground rules.
    Rules,
    /// Simplifying and numbering them.
    Finish,
}

/// How far a grounding has come.
#[derive(Clone, Copy, Debug)]
pub struct GroundProgress<'a> {
    /// What it is at.
    pub phase: GroundPhase,
    /// The relation at work.
    pub relation: &'a str,
    /// Rule groups of this phase that are done.
    pub done: usize,
    /// Rule groups of this phase.
    pub total: usize,
    /// Atoms found.
    pub atoms: u64,
    /// Ground rules made.
    pub instances: u64,
}

/// Rows looked at between two looks at the clock.
const INTERVAL: u32 = 1 << 15;

/// Watches the budget. The hot loop calls [`BudgetMeter::tick`], which is a decrement nearly always.
pub(crate) struct BudgetMeter<'a> {
    budget: GroundBudget,
    progress: &'a mut dyn FnMut(&GroundProgress<'_>),
    start: Instant,
    left: u32,
    pub(crate) phase: GroundPhase,
    pub(crate) relation: String,
    pub(crate) done: usize,
    pub(crate) total: usize,
    pub(crate) atoms: u64,
    pub(crate) instances: u64,
    /// Bytes of tables, as last summed up, and of everything else.
    pub(crate) table_bytes: u64,
    pub(crate) other_bytes: u64,
}

impl<'a> BudgetMeter<'a> {
    pub(crate) fn new(
        budget: &GroundBudget,
        progress: &'a mut dyn FnMut(&GroundProgress<'_>),
    ) -> Self {
        Self {
            budget: budget.clone(),
            progress,
            start: Instant::now(),
            left: INTERVAL,
            phase: GroundPhase::Rigid,
            relation: String::new(),
            done: 0,
            total: 0,
            atoms: 0,
            instances: 0,
            table_bytes: 0,
            other_bytes: 0,
        }
    }

    /// Counts one unit of work; true if it is time for [`BudgetMeter::check`].
    #[inline]
    pub(crate) fn tick(&mut self) -> bool {
        self.left -= 1;
        self.left == 0
    }

    /// Compares what is used with the budget.
    pub(crate) fn check(&mut self) -> Result<(), GroundError> {
        self.left = INTERVAL;
        let budget = &self.budget;
        let limit = if self.atoms > budget.max_instances {
            GroundLimit::Atoms
        } else if self.instances > budget.max_instances {
            GroundLimit::Instances
        } else if self.table_bytes + self.other_bytes > budget.max_memory {
            GroundLimit::Memory
        } else if self.start.elapsed() > budget.max_time {
            GroundLimit::Time
        } else if budget
            .cancel
            .as_ref()
            .is_some_and(|cancel| cancel.load(Ordering::Relaxed))
        {
            GroundLimit::Cancelled
        } else {
            (self.progress)(&GroundProgress {
                phase: self.phase,
                relation: &self.relation,
                done: self.done,
                total: self.total,
                atoms: self.atoms,
                instances: self.instances,
            });
            return Ok(());
        };
        Err(self.error(limit))
    }

    pub(crate) fn max_nesting(&self) -> u32 {
        self.budget.max_nesting
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    pub(crate) fn error(&self, limit: GroundLimit) -> GroundError {
        GroundError {
            limit,
            at: self.relation.clone(),
            atoms: self.atoms,
            instances: self.instances,
            bytes: self.table_bytes + self.other_bytes,
            seconds: self.start.elapsed().as_secs_f64(),
        }
    }
}
