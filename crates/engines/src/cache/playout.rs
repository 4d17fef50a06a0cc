//! Playouts through a memory: where everything about a state is known, a step takes one look into
//! one shard.

use super::shard::Shard;
use super::{Cached, Place};
use ludorum_reasoner::{
    CachedQuery, HeapSize, MoveId, Playout, PlayoutEnd, ReasonError, Reasoner, Rng,
};

/// What one look at a state gives.
enum Look<S> {
    /// Something is not known yet; nothing was drawn.
    Unknown,
    /// The game ends here.
    End(PlayoutEnd),
    /// Moves were drawn, and this is the state after them.
    Next(S),
    /// Moves were drawn, but the state after them is not known.
    Drawn,
}

impl<R: Reasoner<State: HeapSize>> Cached<R> {
    /// The same playout that the questions would give with the same rng.
    pub(super) fn random(
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
            match self.look(&state, place, rng, &mut joint, steps < limit) {
                Look::End(end) => break end,
                Look::Next(next) => state = next,
                Look::Drawn => {
                    let next = self.inner.next(&state, &joint)?;
                    self.store.learn_successor(place, &state, &joint, &next);
                    state = next;
                }
                Look::Unknown => {
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

    /// Looks at a state and draws moves if they are all known.
    fn look(
        &self,
        state: &R::State,
        place: Place,
        rng: &mut Rng,
        joint: &mut Vec<MoveId>,
        go_on: bool,
    ) -> Look<R::State> {
        let look = |shard: &mut Shard<R::State>| {
            let Some(slot) = shard.find(state, place.hash) else {
                return Look::Unknown;
            };
            let Some(known) = shard.known(slot) else {
                return Look::Unknown;
            };
            match known.terminal {
                None => return Look::Unknown,
                Some(true) => {
                    shard.spare(slot);
                    shard.report.count(CachedQuery::Terminal, true);
                    return Look::End(PlayoutEnd::Terminal);
                }
                Some(false) => {}
            }
            if !go_on {
                shard.spare(slot);
                shard.report.count(CachedQuery::Terminal, true);
                return Look::End(PlayoutEnd::Limit);
            }
            if known.legal.iter().any(Option::is_none) {
                return Look::Unknown;
            }
            joint.clear();
            let lists = known.legal.iter().flatten();
            // Roles draw in their order, up to the first without a move, as they do by questions.
            for list in lists.take_while(|list| !list.is_empty()) {
                joint.push(list[rng.below(list.len())]);
            }
            let roles = known.legal.len();
            shard.spare(slot);
            shard.report.count(CachedQuery::Terminal, true);
            for _ in 0..roles.min(joint.len() + 1) {
                shard.report.count(CachedQuery::Legal, true);
            }
            if joint.len() < roles {
                return Look::End(PlayoutEnd::Stuck);
            }
            let next = shard.successor(slot, joint).cloned();
            shard.report.count(CachedQuery::Next, next.is_some());
            next.map_or(Look::Drawn, Look::Next)
        };
        self.store.with(place, look)
    }
}
