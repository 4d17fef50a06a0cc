//! The interface of rollout policies: playouts from leaves that the engine does not make alone.
//!
//! The tree selects leaves and backpropagates results; a [`RolloutPolicy`] plays in between. Each
//! thread has its own, so threads do not wait for each other. The statistics of their strategies go
//! into one [`StrategyLog`].

use std::fmt::Debug;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use ludorum_reasoner::{PlayoutTotals, ReasonError, Reasoner, Rng, Role};

use ludorum_player::StrategyResult;

/// The budget of a search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SearchBudget {
    /// The deadline; none while pondering.
    pub(crate) until: Option<Instant>,
    /// The maximum number of simulations; 0 for no limit.
    pub(crate) simulations: u64,
}

/// A batch of leaves to play from.
#[derive(Debug)]
pub(crate) struct LeafBatch<'a, S> {
    pub(crate) states: &'a [S],
    /// The depth of each leaf below the root, in moves.
    pub(crate) depths: &'a [u32],
    /// The step limit of a playout.
    pub(crate) limit: u32,
    /// Whether playouts follow strategies. Random playouts suit some games better.
    pub(crate) is_guided: bool,
}

impl<S> Clone for LeafBatch<'_, S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S> Copy for LeafBatch<'_, S> {}

/// A policy for playouts from leaves.
pub(crate) trait RolloutPolicy<R: Reasoner>: Debug + Send {
    /// A search begins.
    fn begin(&mut self, span: SearchBudget);

    /// The preferred number of leaves in a batch.
    fn leaves(&self, reasoner: &R) -> usize;

    /// Plays from each leaf. The totals count as one playout for each leaf, even if more were made.
    fn play(
        &mut self,
        reasoner: &mut R,
        leaves: LeafBatch<'_, R::State>,
        rng: &mut Rng,
    ) -> Result<Vec<PlayoutTotals>, ReasonError>;
}

/// The statistics of strategies, collected from all threads.
#[derive(Debug, Default)]
pub(crate) struct StrategyLog(Mutex<Vec<StrategyResult>>);

impl StrategyLog {
    fn lock(&self) -> MutexGuard<'_, Vec<StrategyResult>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds simulations in which a role followed a strategy, and the sum of the role's goals, 0 to
    /// 100 each.
    pub(crate) fn add(&self, role: Role, strategy: &'static str, simulations: u64, points: f64) {
        let mut strategies = self.lock();
        let is_same =
            |known: &&mut StrategyResult| known.role == role && known.strategy == strategy;
        if let Some(known) = strategies.iter_mut().find(is_same) {
            known.simulations += simulations;
            known.points += points;
            return;
        }
        strategies.push(StrategyResult {
            role,
            strategy,
            simulations,
            points,
        });
        strategies.sort_by_key(|known| known.role);
    }

    /// The statistics, sorted by role.
    pub(crate) fn read(&self) -> Vec<StrategyResult> {
        self.lock().clone()
    }
}
