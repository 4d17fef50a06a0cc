/*!
A memory around any engine: what was asked of a state once is not worked out again.

[`Cached`] is a reasoner around another. It remembers, state by state, whether the game is over, the
goals, the legal moves of each role, and the next state for each joint move, as the cache of
GGP-Base does (section 5.4 of 'Optimizing Propositional Networks'). Playouts go through it too.
States are compared whole, not by their keys, so a remembered answer is always the answer.

The memory is a `store` of shards, each behind a lock of its own and bounded in bytes. All forks of
a reasoner share it. A full shard makes room by second chance (CLOCK): an item in which an answer
was found since the hand last came by is spared once, the rest goes. New items have to earn their
chance: questions that find nothing, and answers that are put in, do not count. So a long run of
states that are seen only once does not push out those that come back.
*/

mod playout;
mod shard;
mod store;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use ludorum_reasoner::{
    CacheReport, CachedQuery, FluentId, Goal, HeapSize, MoveId, Playout, ReasonError, Reasoner,
    Rng, Role,
};
use store::{Place, Store};

/// The bytes of a cache when nothing else is said.
pub const DEFAULT_BYTES: usize = 256 << 20;

/// A reasoner that remembers the answers of another.
#[derive(Debug)]
pub struct Cached<R: Reasoner> {
    inner: R,
    store: Arc<Store<R::State>>,
}

impl<R: Reasoner<State: HeapSize>> Cached<R> {
    /// A memory of at most so many bytes around a reasoner.
    pub fn new(inner: R, bytes: usize) -> Self {
        let store = Arc::new(Store::new(inner.roles().len(), bytes));
        Self { inner, store }
    }

    /// The reasoner inside.
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
        if let Some(answer) = self.store.ask(place, CachedQuery::Terminal, known) {
            return Ok(answer);
        }
        let answer = self.inner.is_terminal(state)?;
        self.store
            .learn(place, state, |known| known.terminal = Some(answer));
        Ok(answer)
    }

    fn goal(&mut self, state: &R::State, role: Role) -> Result<Goal, ReasonError> {
        let place = self.store.place(state);
        let known = |shard: &mut shard::Shard<R::State>| {
            shard.answer(state, place.hash, |known| known.goals.get(role)?.clone())
        };
        if let Some(answer) = self.store.ask(place, CachedQuery::Goal, known) {
            return Ok(answer);
        }
        let answer = self.inner.goal(state, role)?;
        let roles = self.inner.roles().len();
        self.store.learn(place, state, |known| {
            // Few states are asked for their goals.
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
        if self.store.ask(place, CachedQuery::Legal, known).is_some() {
            return Ok(());
        }
        self.inner.legal_moves(state, role, moves)?;
        self.store.learn(place, state, |known| {
            if let Some(legal) = known.legal.get_mut(role) {
                *legal = Some(moves.as_slice().into());
            }
        });
        Ok(())
    }

    fn next(&mut self, state: &R::State, joint_move: &[MoveId]) -> Result<R::State, ReasonError> {
        let place = self.store.place(state);
        // Only legal joint moves are ever remembered, so what is found needs no check.
        let known = |shard: &mut shard::Shard<R::State>| {
            let slot = shard.find(state, place.hash)?;
            shard.successor(slot, joint_move).cloned()
        };
        if let Some(answer) = self.store.ask(place, CachedQuery::Next, known) {
            return Ok(answer);
        }
        let answer = self.inner.next(state, joint_move)?;
        self.store
            .learn_successor(place, state, joint_move, &answer);
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

    fn cache_report(&self) -> Option<CacheReport> {
        Some(self.store.report())
    }

    fn playout(
        &mut self,
        state: &R::State,
        rng: &mut Rng,
        limit: u32,
    ) -> Result<Playout, ReasonError> {
        self.random(state, rng, limit)
    }
}

#[cfg(test)]
mod tests;
