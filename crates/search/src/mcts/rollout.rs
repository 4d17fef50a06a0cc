//! Who plays from the leaves, where it is not the engine alone.
//!
//! The tree finds leaves and takes results back; what happens in between can be somebody else's: a
//! [`Rollout`]. Each thread has one of its own, so that none waits for another; what they tell
//! about themselves they write into one [`Ledger`].

use std::fmt::Debug;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use ludorum_reasoner::{PlayoutTotals, ReasonError, Reasoner, Rng, Role};

use ludorum_player::StrategyResult;

/// How long thinking lasts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    /// When it ends; none while pondering.
    pub(crate) until: Option<Instant>,
    /// The most simulations; 0 for no bound.
    pub(crate) simulations: u64,
}

/// Leaves to play from.
#[derive(Debug)]
pub(crate) struct Leaves<'a, S> {
    pub(crate) states: &'a [S],
    /// How far each is from the root, in moves.
    pub(crate) depths: &'a [u32],
    /// The steps after which a playout is cut.
    pub(crate) limit: u32,
    /// Whether playouts are to follow anything; random ones suit some games better.
    pub(crate) is_guided: bool,
}

impl<S> Clone for Leaves<'_, S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S> Copy for Leaves<'_, S> {}

/// A way of playing from leaves.
pub(crate) trait Rollout<R: Reasoner>: Debug + Send {
    /// Thinking begins.
    fn begin(&mut self, span: Span);

    /// How many leaves it likes to be given at once.
    fn leaves(&self, reasoner: &R) -> usize;

    /// Gives what came out of one playout from each leaf, or the equal of one if more were made.
    fn play(
        &mut self,
        reasoner: &mut R,
        leaves: Leaves<'_, R::State>,
        rng: &mut Rng,
    ) -> Result<Vec<PlayoutTotals>, ReasonError>;
}

/// What strategies have earned so far, for whoever tells about it.
#[derive(Debug, Default)]
pub(crate) struct Ledger(Mutex<Vec<StrategyResult>>);

impl Ledger {
    fn lock(&self) -> MutexGuard<'_, Vec<StrategyResult>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in simulations in which a role followed a strategy, and the sum of its goals, 0 to 100
    /// each.
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

    /// All of it, role by role.
    pub(crate) fn read(&self) -> Vec<StrategyResult> {
        self.lock().clone()
    }
}
