/*!
A cache of answers around any engine.

[`Cached`] is a reasoner that wraps another. For each state it stores whether the state is terminal,
the goals, the legal moves of each role, and the successor under each joint move, like the cache of
GGP-Base (Sironi and Winands 2016, section 5.4). Playouts use it too. States are compared by their
fluents, not by their keys, so a cached answer is always correct.

The `store` consists of shards, each with a lock and a memory bound in bytes. All forks of a reasoner
share it. A full shard evicts by second chance (CLOCK, Corbató 1968): an item that has been hit since
the hand last passed is kept for one more round. Only hits count as use. Misses and insertions do
not, so a long sequence of states that occur once does not evict the states that recur.
*/

mod playout;
mod shard;
mod store;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use ludorum_reasoner::{
    CacheReport, CachedQuery, EngineChoice, FluentId, Goal, HeapSize, MoveId, Playout, ReasonError,
    Reasoner, Rng, Role,
};
use store::{Place, Store};

/// The default memory bound of a cache, in bytes.
pub const DEFAULT_BYTES: usize = 256 << 20;

/// A reasoner that caches the answers of another.
#[derive(Debug)]
pub struct Cached<R: Reasoner> {
    inner: R,
    store: Arc<Store<R::State>>,
}

impl<R: Reasoner<State: HeapSize>> Cached<R> {
    /// A cache of at most so many bytes around a reasoner.
    pub fn new(inner: R, bytes: usize) -> Self {
        let store = Arc::new(Store::new(inner.roles().len(), bytes));
        Self { inner, store }
    }

    /// The wrapped reasoner.
    pub fn inner(&self) -> &R {
        &self.inner
    }
}

impl<R: Reasoner<State: HeapSize>> Reasoner for Cached<R> {
    type State = R::State;

    fn roles(&self) -> &[String] {
        self.inner.roles()
    }

    fn initial(&mut self) -> Result<R::State, ReasonError> {
        self.inner.initial()
    }

    fn is_terminal(&mut self, state: &R::State) -> Result<bool, ReasonError> {
        let place = self.store.place(state);
        let known = |shard: &mut shard::Shard<R::State>| {
            shard.answer(state, place.hash, |known| known.terminal)
        };
        if let Some(answer) = self.store.lookup(place, CachedQuery::Terminal, known) {
            return Ok(answer);
        }
        let answer = self.inner.is_terminal(state)?;
        self.store
            .insert(place, state, |known| known.terminal = Some(answer));
        Ok(answer)
    }

    fn goal(&mut self, state: &R::State, role: Role) -> Result<Goal, ReasonError> {
        let place = self.store.place(state);
        let known = |shard: &mut shard::Shard<R::State>| {
            shard.answer(state, place.hash, |known| known.goals.get(role)?.clone())
        };
        if let Some(answer) = self.store.lookup(place, CachedQuery::Goal, known) {
            return Ok(answer);
        }
        let answer = self.inner.goal(state, role)?;
        let roles = self.inner.roles().len();
        self.store.insert(place, state, |known| {
            // Allocated on demand, because few states are queried for goals.
            if known.goals.is_empty() {
                known.goals = vec![None; roles].into();
            }
            if let Some(goal) = known.goals.get_mut(role) {
                *goal = Some(answer.clone());
            }
        });
        Ok(answer)
    }

    fn legal_moves(
        &mut self,
        state: &R::State,
        role: Role,
        moves: &mut Vec<MoveId>,
    ) -> Result<(), ReasonError> {
        let place = self.store.place(state);
        let known = |shard: &mut shard::Shard<R::State>| {
            shard.answer(state, place.hash, |known| {
                let legal = known.legal.get(role)?.as_deref()?;
                moves.clear();
                moves.extend_from_slice(legal);
                Some(())
            })
        };
        if self
            .store
            .lookup(place, CachedQuery::Legal, known)
            .is_some()
        {
            return Ok(());
        }
        self.inner.legal_moves(state, role, moves)?;
        self.store.insert(place, state, |known| {
            if let Some(legal) = known.legal.get_mut(role) {
                *legal = Some(moves.as_slice().into());
            }
        });
        Ok(())
    }

    fn next(&mut self, state: &R::State, joint_move: &[MoveId]) -> Result<R::State, ReasonError> {
        let place = self.store.place(state);
        // Only legal joint moves are cached, so a hit needs no check.
        let known = |shard: &mut shard::Shard<R::State>| {
            let slot = shard.find(state, place.hash)?;
            shard.successor(slot, joint_move).cloned()
        };
        if let Some(answer) = self.store.lookup(place, CachedQuery::Next, known) {
            return Ok(answer);
        }
        let answer = self.inner.next(state, joint_move)?;
        self.store
            .insert_successor(place, state, joint_move, &answer);
        Ok(answer)
    }

    fn move_text(&mut self, role: Role, id: MoveId) -> String {
        self.inner.move_text(role, id)
    }

    fn find_move(&mut self, role: Role, text: &str) -> Option<MoveId> {
        self.inner.find_move(role, text)
    }

    fn facts(&mut self, state: &R::State) -> Vec<String> {
        self.inner.facts(state)
    }

    fn fluents(&mut self, state: &R::State, fluents: &mut Vec<FluentId>) {
        self.inner.fluents(state, fluents);
    }

    fn fluent_text(&mut self, id: FluentId) -> String {
        self.inner.fluent_text(id)
    }

    fn state_from_facts(&mut self, facts: &[String]) -> Result<R::State, ReasonError> {
        self.inner.state_from_facts(facts)
    }

    fn key(&self, state: &R::State) -> u128 {
        self.inner.key(state)
    }

    fn fork(&self) -> Self {
        Self {
            inner: self.inner.fork(),
            store: Arc::clone(&self.store),
        }
    }

    fn set_deadline(&mut self, deadline: Option<Instant>) {
        self.inner.set_deadline(deadline);
    }

    fn set_cancel(&mut self, cancel: Option<Arc<AtomicBool>>) {
        self.inner.set_cancel(cancel);
    }

    fn is_stopped(&self) -> bool {
        self.inner.is_stopped()
    }

    fn state_bytes(&self, state: &R::State) -> usize {
        self.inner.state_bytes(state)
    }

    fn components(&self) -> Option<usize> {
        self.inner.components()
    }

    fn fluent_difference(&mut self, first: &R::State, second: &R::State) -> (usize, usize) {
        self.inner.fluent_difference(first, second)
    }

    fn wait_until_ready(&mut self) {
        self.inner.wait_until_ready();
    }

    fn set_reproducible(&mut self, reproducible: bool) {
        self.inner.set_reproducible(reproducible);
    }

    fn engine_choice(&self) -> Option<EngineChoice> {
        self.inner.engine_choice()
    }

    fn cache_report(&self) -> Option<CacheReport> {
        Some(self.store.report())
    }

    fn playout(
        &mut self,
        state: &R::State,
        rng: &mut Rng,
        limit: u32,
    ) -> Result<Playout, ReasonError> {
        self.cached_playout(state, rng, limit)
    }
}

#[cfg(test)]
mod tests;
