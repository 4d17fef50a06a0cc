//! Limits of grounding: the budget, the meter that checks it, the error when it is exceeded, and
//! progress reports.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde::Serialize;

/// Limits of one grounding.
#[derive(Clone, Debug)]
pub struct GroundBudget {
    /// Maximum number of atoms, and separately of ground rules.
    pub max_instances: u64,
    /// Maximum bytes of the grounder's tables and of the program under construction.
    pub max_memory: u64,
    /// Maximum wall-clock time.
    pub max_time: Duration,
    /// Maximum nesting depth of terms. Deeper terms are taken as a sign of unbounded nesting.
    pub max_nesting: u32,
    /// Cancels the grounding when set.
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

/// The limit that ended a grounding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum GroundLimit {
    /// [`GroundBudget::max_instances`], exceeded by atoms.
    Atoms,
    /// [`GroundBudget::max_instances`], exceeded by ground rules.
    Instances,
    /// [`GroundBudget::max_memory`].
    Memory,
    /// [`GroundBudget::max_time`].
    Time,
    /// [`GroundBudget::max_nesting`].
    Nesting,
    /// No limit: [`GroundBudget::cancel`] was set.
    Cancelled,
}

/// Why a grounding ended without a program.
#[derive(Clone, Debug, thiserror::Error, Serialize)]
#[error("{} (at `{at}`, with {atoms} atoms, {instances} ground rules, {} MiB, after {seconds:.1} s)", .limit.text(), .bytes >> 20)]
pub struct GroundError {
    /// The exceeded limit.
    pub limit: GroundLimit,
    /// The relation whose rules were being processed.
    pub at: String,
    /// Atoms found so far.
    pub atoms: u64,
    /// Ground rules made so far.
    pub instances: u64,
    /// Bytes in use.
    pub bytes: u64,
    /// Elapsed time in seconds.
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

/// A phase of grounding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum GroundPhase {
    /// Computing the rigid relations, which are the same in all states.
    Rigid,
    /// Finding the atoms that hold in some state (an over-approximation).
    Atoms,
    /// Instantiating the rules.
    Rules,
    /// Simplifying, renumbering and finding components.
    Finish,
}

/// A progress report.
#[derive(Clone, Copy, Debug)]
pub struct GroundProgress<'a> {
    /// The current phase.
    pub phase: GroundPhase,
    /// The relation being processed.
    pub relation: &'a str,
    /// Number of components of this phase that are finished.
    pub done: usize,
    /// Number of components of this phase.
    pub total: usize,
    /// Atoms found so far.
    pub atoms: u64,
    /// Ground rules made so far.
    pub instances: u64,
}

/// Number of rows between two checks of the budget.
const CHECK_INTERVAL: u32 = 1 << 15;

/// Compares usage with the budget.
///
/// The innermost join loop calls [`BudgetMeter::tick`], which is usually a single decrement.
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
    /// Bytes of the tables at the last measurement; everything else is in `other_bytes`.
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
            left: CHECK_INTERVAL,
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

    /// Counts one unit of work. Returns true when [`BudgetMeter::check`] is due.
    #[inline]
    pub(crate) fn tick(&mut self) -> bool {
        self.left -= 1;
        self.left == 0
    }

    /// Compares usage with the budget, and reports progress if nothing is exceeded.
    pub(crate) fn check(&mut self) -> Result<(), GroundError> {
        self.left = CHECK_INTERVAL;
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
