//! The shards of a cache and their locks.

use std::hash::BuildHasher as _;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustc_hash::FxBuildHasher;

use super::shard::{Known, Shard};
use ludorum_reasoner::{CacheReport, CachedQuery, HeapSize, MoveId, Reasoner};

/// The number of shards: many enough that threads rarely wait for each other, few enough that each
/// has room for large items.
const SHARDS: usize = 64;

/// The shard and the hash of a state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) hash: u64,
    shard: usize,
}

/// The cache that all forks of a cached reasoner share.
#[derive(Debug)]
pub(super) struct Store<S> {
    shards: Box<[Mutex<Shard<S>>]>,
}

impl<S: std::hash::Hash> Store<S> {
    /// The place of a state.
    pub(super) fn place(&self, state: &S) -> Place {
        let hash = FxBuildHasher.hash_one(state);
        // The hash tables inside the shards use the lowest and the highest bits.
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

    /// Looks an answer up and counts the hit or miss.
    pub(super) fn lookup<T>(
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

    /// Locks the shard of a place and works on it.
    pub(super) fn with<T>(&self, place: Place, work: impl FnOnce(&mut Shard<S>) -> T) -> T {
        work(&mut self.lock(place))
    }

    /// Stores an answer about a state.
    pub(super) fn insert(&self, place: Place, state: &S, write: impl FnOnce(&mut Known<S>)) {
        self.lock(place).insert(state, place.hash, write);
    }

    /// Stores a successor.
    pub(super) fn insert_successor(&self, place: Place, state: &S, joint: &[MoveId], next: &S) {
        self.lock(place)
            .insert_successor(state, place.hash, joint, next);
    }

    /// The size and hit rates of all shards together.
    pub(super) fn report(&self) -> CacheReport {
        let mut sum = CacheReport::default();
        for shard in &self.shards {
            sum.add(&lock(shard).report());
        }
        sum
    }
}

/// A poisoned lock can be used: a shard changes by whole items.
fn lock<S>(shard: &Mutex<Shard<S>>) -> MutexGuard<'_, Shard<S>> {
    shard.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A compile-time check that a cache can be shared between threads.
const _: fn() = || {
    fn shared<T: Send + Sync>() {}
    fn check<R: Reasoner<State: HeapSize>>() {
        shared::<Store<R::State>>();
    }
    check::<ludorum_prover::Prover>();
};
