//! The shards of a cache and the locks before them.

use std::hash::BuildHasher as _;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustc_hash::FxBuildHasher;

use super::shard::{Known, Shard};
use ludorum_reasoner::{CacheReport, CachedQuery, HeapSize, MoveId, Reasoner};

/// How many shards there are: enough that threads rarely meet, few enough that each has room for
/// large items.
const SHARDS: usize = 64;

/// Where a state belongs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) hash: u64,
    shard: usize,
}

/// What all forks of a cached reasoner remember.
#[derive(Debug)]
pub(super) struct Store<S> {
    shards: Box<[Mutex<Shard<S>>]>,
}

impl<S: std::hash::Hash> Store<S> {
    /// The place of a state.
    pub(super) fn place(&self, state: &S) -> Place {
        let hash = FxBuildHasher.hash_one(state);
        // The tables in the shards look at the lowest and the highest bits.
        let shard = (hash >> 32) as usize % self.shards.len();
        Place { hash, shard }
    }
}

impl<S: HeapSize + Clone + Eq + std::hash::Hash> Store<S> {
    pub(super) fn new(roles: usize, bytes: usize) -> Self {
        let shard = || Mutex::new(Shard::new(roles, bytes / SHARDS));
        Self {
            shards: std::iter::repeat_with(shard).take(SHARDS).collect(),
        }
    }

    fn lock(&self, place: Place) -> MutexGuard<'_, Shard<S>> {
        lock(&self.shards[place.shard])
    }

    /// Looks for an answer, and counts whether there was one.
    pub(super) fn ask<T>(
        &self,
        place: Place,
        question: CachedQuery,
        look: impl FnOnce(&mut Shard<S>) -> Option<T>,
    ) -> Option<T> {
        let mut shard = self.lock(place);
        let answer = look(&mut shard);
        shard.report.count(question, answer.is_some());
        answer
    }

    /// Does something with the shard of a place.
    pub(super) fn with<T>(&self, place: Place, work: impl FnOnce(&mut Shard<S>) -> T) -> T {
        work(&mut self.lock(place))
    }

    /// Remembers an answer about a state.
    pub(super) fn learn(&self, place: Place, state: &S, write: impl FnOnce(&mut Known<S>)) {
        self.lock(place).learn(state, place.hash, write);
    }

    /// Remembers a next state.
    pub(super) fn learn_successor(&self, place: Place, state: &S, joint: &[MoveId], next: &S) {
        self.lock(place)
            .learn_successor(state, place.hash, joint, next);
    }

    /// How full it is and what it has answered.
    pub(super) fn report(&self) -> CacheReport {
        let mut sum = CacheReport::default();
        for shard in &self.shards {
            sum.add(&lock(shard).report());
        }
        sum
    }
}

/// A thread that panicked inside a shard leaves whole items behind: each is put in at once.
fn lock<S>(shard: &Mutex<Shard<S>>) -> MutexGuard<'_, Shard<S>> {
    shard.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A cache of states must be usable from threads.
const _: fn() = || {
    fn shared<T: Send + Sync>() {}
    fn check<R: Reasoner<State: HeapSize>>() {
        shared::<Store<R::State>>();
    }
    check::<ludorum_prover::Prover>();
};
