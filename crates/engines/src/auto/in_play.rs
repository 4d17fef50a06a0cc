//! The engines among which `auto` chooses, behind one interface with public ids.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use ludorum_prover::{Prover, ProverState};
use ludorum_reasoner::{
    Goal, GuidedRequest, GuidedResult, MoveId, Playout, PlayoutRecord, PlayoutTotals, ReasonError,
    Reasoner, Rng, Role, StateSummary, StopSignal,
};

use super::public::PublicIds;
use super::state::AutoState;

/// An answer. `None` if the engine cannot represent a state or a move of the question; the prover
/// answers then.
pub(super) type Answer<T> = Result<Option<T>, ReasonError>;

/// A request for playouts.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlayoutRequest<'a> {
    pub(super) starts: &'a [&'a AutoState],
    /// The number of playouts from each start.
    pub(super) each: u32,
    pub(super) limit: u32,
}

impl PlayoutRequest<'_> {
    /// The number of all playouts.
    pub(super) fn count(&self) -> u64 {
        self.starts.len() as u64 * u64::from(self.each)
    }
}

/// An engine in play. States and moves have their public ids.
pub(super) trait InPlay: fmt::Debug + Send {
    /// The engine for another thread.
    fn boxed_fork(&self) -> Box<dyn InPlay>;

    /// Replaces deadline and cancel flag, and the flag by which other threads interrupt queries.
    fn set_stop(&mut self, stop: &StopSignal, interrupt: &Arc<AtomicBool>);

    /// A state in the form that the engine gives to its states.
    fn own_form(&self, ids: &PublicIds, state: &AutoState) -> Option<AutoState>;

    fn initial(&mut self, ids: &mut PublicIds) -> Answer<AutoState>;

    fn is_terminal(&mut self, ids: &mut PublicIds, state: &AutoState) -> Answer<bool>;

    fn goal(&mut self, ids: &mut PublicIds, state: &AutoState, role: Role) -> Answer<Goal>;

    /// The legal moves. When the query is stopped, some of them may be in the list.
    fn legal_moves(
        &mut self,
        ids: &mut PublicIds,
        state: &AutoState,
        role: Role,
        moves: &mut Vec<MoveId>,
    ) -> Answer<()>;

    fn next(
        &mut self,
        ids: &mut PublicIds,
        state: &AutoState,
        joint_move: &[MoveId],
    ) -> Answer<AutoState>;

    fn summaries(
        &mut self,
        ids: &mut PublicIds,
        states: &[&AutoState],
    ) -> Answer<Vec<StateSummary>>;

    fn next_states(
        &mut self,
        ids: &mut PublicIds,
        moves: &[(&AutoState, &[MoveId])],
    ) -> Answer<Vec<AutoState>> {
        let mut states = Vec::with_capacity(moves.len());
        for (state, joint_move) in moves {
            match self.next(ids, state, joint_move)? {
                Some(next) => states.push(next),
                None => return Ok(None),
            }
        }
        Ok(Some(states))
    }

    fn playout(
        &mut self,
        ids: &mut PublicIds,
        start: &AutoState,
        rng: &mut Rng,
        limit: u32,
    ) -> Answer<Playout>;

    fn playouts(
        &mut self,
        ids: &mut PublicIds,
        request: PlayoutRequest<'_>,
        rng: &mut Rng,
    ) -> Answer<Vec<PlayoutTotals>>;

    /// Playouts with their moves, on an engine on the network.
    fn recorded_playouts(
        &mut self,
        _ids: &mut PublicIds,
        _request: PlayoutRequest<'_>,
        _rng: &mut Rng,
    ) -> Answer<Vec<Vec<PlayoutRecord>>> {
        Ok(None)
    }

    /// Playouts under a policy, on an engine on the network.
    fn guided_playouts(
        &mut self,
        _ids: &mut PublicIds,
        _request: &GuidedRequest<'_, &AutoState>,
        _rng: &mut Rng,
    ) -> Answer<GuidedResult> {
        Ok(None)
    }

    fn is_ready_for_guided_playouts(&mut self) -> bool {
        true
    }

    /// Waits until everything that the engine prepares in the background is ready.
    fn wait_until_ready(&mut self) {}
}

/// The prover has the public ids.
impl InPlay for Prover {
    fn boxed_fork(&self) -> Box<dyn InPlay> {
        Box::new(Reasoner::fork(self))
    }

    fn set_stop(&mut self, stop: &StopSignal, interrupt: &Arc<AtomicBool>) {
        self.set_deadline(stop.deadline);
        self.set_cancel(stop.cancel.clone());
        self.set_interrupt(Some(Arc::clone(interrupt)));
    }

    fn own_form(&self, ids: &PublicIds, state: &AutoState) -> Option<AutoState> {
        let state = ids.rules_state(state)?;
        Some(AutoState::of_rules(state.into_owned()))
    }

    fn initial(&mut self, _ids: &mut PublicIds) -> Answer<AutoState> {
        Reasoner::initial(self).map(|state| Some(AutoState::of_rules(state)))
    }

    fn is_terminal(&mut self, ids: &mut PublicIds, state: &AutoState) -> Answer<bool> {
        on_state(ids, state, |state| Reasoner::is_terminal(self, state))
    }

    fn goal(&mut self, ids: &mut PublicIds, state: &AutoState, role: Role) -> Answer<Goal> {
        on_state(ids, state, |state| Reasoner::goal(self, state, role))
    }

    fn legal_moves(
        &mut self,
        ids: &mut PublicIds,
        state: &AutoState,
        role: Role,
        moves: &mut Vec<MoveId>,
    ) -> Answer<()> {
        on_state(ids, state, |state| {
            Reasoner::legal_moves(self, state, role, moves)
        })
    }

    fn next(
        &mut self,
        ids: &mut PublicIds,
        state: &AutoState,
        joint_move: &[MoveId],
    ) -> Answer<AutoState> {
        on_state(ids, state, |state| {
            Reasoner::next(self, state, joint_move).map(AutoState::of_rules)
        })
    }

    fn summaries(
        &mut self,
        ids: &mut PublicIds,
        states: &[&AutoState],
    ) -> Answer<Vec<StateSummary>> {
        on_states(ids, states, |states| Reasoner::summaries(self, states))
    }

    fn playout(
        &mut self,
        ids: &mut PublicIds,
        start: &AutoState,
        rng: &mut Rng,
        limit: u32,
    ) -> Answer<Playout> {
        on_state(ids, start, |state| {
            Reasoner::playout(self, state, rng, limit)
        })
    }

    fn playouts(
        &mut self,
        ids: &mut PublicIds,
        request: PlayoutRequest<'_>,
        rng: &mut Rng,
    ) -> Answer<Vec<PlayoutTotals>> {
        on_states(ids, request.starts, |starts| {
            Reasoner::playouts(self, starts, request.each, rng, request.limit)
        })
    }
}

fn on_state<T>(
    ids: &PublicIds,
    state: &AutoState,
    ask: impl FnOnce(&ProverState) -> Result<T, ReasonError>,
) -> Answer<T> {
    match ids.rules_state(state) {
        Some(state) => ask(&state).map(Some),
        None => Ok(None),
    }
}

fn on_states<T>(
    ids: &PublicIds,
    states: &[&AutoState],
    ask: impl FnOnce(&[ProverState]) -> Result<T, ReasonError>,
) -> Answer<T> {
    let own = states.iter().map(|state| ids.rules_state(state));
    let own = own.map(|state| state.map(std::borrow::Cow::into_owned));
    match own.collect::<Option<Vec<ProverState>>>() {
        Some(states) => ask(&states).map(Some),
        None => Ok(None),
    }
}
