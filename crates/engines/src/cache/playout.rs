//! Playouts through the cache. A step from a state with all answers cached takes one lookup in one
//! shard.

use super::shard::Shard;
use super::{Cached, Place};
use ludorum_reasoner::{
    CachedQuery, HeapSize, MoveId, Playout, PlayoutEnd, ReasonError, Reasoner, Rng,
};

/// The result of one lookup of a state.
enum Lookup<S> {
    /// Some answer is not cached. No moves were drawn.
    Unknown,
    /// The playout ends here.
    End(PlayoutEnd),
    /// Moves were drawn, and their successor is cached.
    Next(S),
    /// Moves were drawn, but their successor is not cached.
    Drawn,
}

impl<R: Reasoner<State: HeapSize>> Cached<R> {
    /// Plays the same playout as [`random_playout`](ludorum_reasoner::random_playout) with the same
    /// random numbers.
    pub(super) fn cached_playout(
        &mut self,
        state: &R::State,
        rng: &mut Rng,
        limit: u32,
    ) -> Result<Playout, ReasonError> {
        let roles = self.inner.roles().len();
        let mut state = state.clone();
        let mut joint: Vec<MoveId> = Vec::with_capacity(roles);
        let mut legal = Vec::new();
        let mut steps = 0;
        let end = 'game: loop {
            let place = self.store.place(&state);
            match self.look_up(&state, place, rng, &mut joint, steps < limit) {
                Lookup::End(end) => break end,
                Lookup::Next(next) => state = next,
                Lookup::Drawn => {
                    let next = self.inner.next(&state, &joint)?;
                    self.store.insert_successor(place, &state, &joint, &next);
                    state = next;
                }
                Lookup::Unknown => {
                    if self.is_terminal(&state)? {
                        break PlayoutEnd::Terminal;
                    }
                    if steps >= limit {
                        break PlayoutEnd::Limit;
                    }
                    joint.clear();
                    for role in 0..roles {
                        self.legal_moves(&state, role, &mut legal)?;
                        if legal.is_empty() {
                            break 'game PlayoutEnd::Stuck;
                        }
                        joint.push(legal[rng.below(legal.len())]);
                    }
                    state = self.next(&state, &joint)?;
                }
            }
            steps += 1;
        };
        let goals = (0..roles)
            .map(|role| self.goal(&state, role))
            .collect::<Result<_, _>>()?;
        Ok(Playout { goals, steps, end })
    }

    /// Looks a state up, and draws moves if all legal moves are cached.
    fn look_up(
        &self,
        state: &R::State,
        place: Place,
        rng: &mut Rng,
        joint: &mut Vec<MoveId>,
        is_below_limit: bool,
    ) -> Lookup<R::State> {
        let look = |shard: &mut Shard<R::State>| {
            let Some(slot) = shard.find(state, place.hash) else {
                return Lookup::Unknown;
            };
            let Some(known) = shard.known(slot) else {
                return Lookup::Unknown;
            };
            match known.terminal {
                None => return Lookup::Unknown,
                Some(true) => {
                    shard.mark_used(slot);
                    shard.report.count(CachedQuery::Terminal, true);
                    return Lookup::End(PlayoutEnd::Terminal);
                }
                Some(false) => {}
            }
            if !is_below_limit {
                shard.mark_used(slot);
                shard.report.count(CachedQuery::Terminal, true);
                return Lookup::End(PlayoutEnd::Limit);
            }
            if known.legal.iter().any(Option::is_none) {
                return Lookup::Unknown;
            }
            joint.clear();
            let lists = known.legal.iter().flatten();
            // Draw in the order of the roles, up to the first without a legal move, as a playout
            // through queries does.
            for list in lists.take_while(|list| !list.is_empty()) {
                joint.push(list[rng.below(list.len())]);
            }
            let roles = known.legal.len();
            shard.mark_used(slot);
            shard.report.count(CachedQuery::Terminal, true);
            for _ in 0..roles.min(joint.len() + 1) {
                shard.report.count(CachedQuery::Legal, true);
            }
            if joint.len() < roles {
                return Lookup::End(PlayoutEnd::Stuck);
            }
            let next = shard.successor(slot, joint).cloned();
            shard.report.count(CachedQuery::Next, next.is_some());
            next.map_or(Lookup::Drawn, Lookup::Next)
        };
        self.store.with(place, look)
    }
}
