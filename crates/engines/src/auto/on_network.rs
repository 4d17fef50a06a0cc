//! An engine on the network in play: the network itself, or lanes.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use ludorum_propnet::BitState;
use ludorum_reasoner::{
    Goal, GuidedRequest, GuidedResult, MoveId, Playout, PlayoutRecord, PlayoutTotals, Reasoner,
    Rng, Role, StateSummary, StopSignal,
};

use super::in_play::{Answer, InPlay, PlayoutRequest};
use super::public::{NetworkIds, PublicIds};
use super::state::{AutoState, Form};

/// An engine on the network, with the conversion of its ids.
#[derive(Debug)]
pub(super) struct OnNetwork<R> {
    engine: R,
    ids: Arc<NetworkIds>,
    joint: Vec<MoveId>,
}

impl<R: Reasoner<State = BitState>> OnNetwork<R> {
    pub(super) fn new(engine: R, ids: Arc<NetworkIds>) -> Self {
        Self {
            engine,
            ids,
            joint: Vec::new(),
        }
    }

    fn moves_to_public(&self, role: Role, moves: &mut [MoveId]) {
        for id in moves {
            *id = self.ids.public_move(role, *id);
        }
    }
}

/// All states in the form of the network, if it can represent them.
fn network_states<'s>(ids: &PublicIds, states: &[&'s AutoState]) -> Option<Vec<Cow<'s, BitState>>> {
    states
        .iter()
        .map(|state| ids.network_state(state))
        .collect()
}

/// The states in a list of owned or borrowed ones.
fn borrowed<'a>(states: &'a [Cow<'_, BitState>]) -> Vec<&'a BitState> {
    states.iter().map(|state| &**state).collect()
}

impl<R: Reasoner<State = BitState> + std::fmt::Debug + 'static> InPlay for OnNetwork<R> {
    fn boxed_fork(&self) -> Box<dyn InPlay> {
        Box::new(Self::new(self.engine.fork(), Arc::clone(&self.ids)))
    }

    fn set_stop(&mut self, stop: &StopSignal, _interrupt: &Arc<AtomicBool>) {
        self.engine.set_deadline(stop.deadline);
        self.engine.set_cancel(stop.cancel.clone());
    }

    fn own_form(&self, ids: &PublicIds, state: &AutoState) -> Option<AutoState> {
        Some(AutoState {
            key: state.key,
            form: Form::Network(ids.network_state(state)?.into_owned()),
        })
    }

    fn initial(&mut self, _ids: &mut PublicIds) -> Answer<AutoState> {
        let bits = self.engine.initial()?;
        Ok(Some(self.ids.state(bits)))
    }

    fn is_terminal(&mut self, ids: &mut PublicIds, state: &AutoState) -> Answer<bool> {
        match ids.network_state(state) {
            Some(bits) => self.engine.is_terminal(&bits).map(Some),
            None => Ok(None),
        }
    }

    fn goal(&mut self, ids: &mut PublicIds, state: &AutoState, role: Role) -> Answer<Goal> {
        match ids.network_state(state) {
            Some(bits) => self.engine.goal(&bits, role).map(Some),
            None => Ok(None),
        }
    }

    fn legal_moves(
        &mut self,
        ids: &mut PublicIds,
        state: &AutoState,
        role: Role,
        moves: &mut Vec<MoveId>,
    ) -> Answer<()> {
        let Some(bits) = ids.network_state(state) else {
            return Ok(None);
        };
        moves.clear();
        self.engine.legal_moves(&bits, role, moves)?;
        self.moves_to_public(role, moves);
        Ok(Some(()))
    }

    fn next(
        &mut self,
        ids: &mut PublicIds,
        state: &AutoState,
        joint_move: &[MoveId],
    ) -> Answer<AutoState> {
        let Some(bits) = ids.network_state(state) else {
            return Ok(None);
        };
        self.joint.clear();
        if self
            .ids
            .network_joint(joint_move, &mut self.joint)
            .is_none()
        {
            return Ok(None);
        }
        let next = self.engine.next(&bits, &self.joint)?;
        Ok(Some(self.ids.state_after(state.key, &bits, next)))
    }

    fn summaries(
        &mut self,
        ids: &mut PublicIds,
        states: &[&AutoState],
    ) -> Answer<Vec<StateSummary>> {
        let Some(states) = network_states(ids, states) else {
            return Ok(None);
        };
        let mut summaries = self.engine.summaries(&borrowed(&states))?;
        for summary in &mut summaries {
            for (role, legal) in summary.legal.iter_mut().enumerate() {
                self.moves_to_public(role, legal);
            }
        }
        Ok(Some(summaries))
    }

    fn next_states(
        &mut self,
        ids: &mut PublicIds,
        moves: &[(&AutoState, &[MoveId])],
    ) -> Answer<Vec<AutoState>> {
        let roles = self.ids.game().roles.len().max(1);
        let mut before: Vec<Cow<'_, BitState>> = Vec::with_capacity(moves.len());
        let mut joint = Vec::with_capacity(roles * moves.len());
        for (state, joint_move) in moves {
            let Some(bits) = ids.network_state(state) else {
                return Ok(None);
            };
            before.push(bits);
            if self.ids.network_joint(joint_move, &mut joint).is_none() {
                return Ok(None);
            }
        }
        let pairs: Vec<(&BitState, &[MoveId])> = before
            .iter()
            .map(|bits| &**bits)
            .zip(joint.chunks(roles))
            .collect();
        let next = self.engine.next_states(&pairs)?;
        let states = moves.iter().zip(pairs).zip(next);
        let states = states
            .map(|(((state, _), (bits, _)), next)| self.ids.state_after(state.key, bits, next));
        Ok(Some(states.collect()))
    }

    fn playout(
        &mut self,
        ids: &mut PublicIds,
        start: &AutoState,
        rng: &mut Rng,
        limit: u32,
    ) -> Answer<Playout> {
        match ids.network_state(start) {
            Some(bits) => self.engine.playout(&bits, rng, limit).map(Some),
            None => Ok(None),
        }
    }

    fn playouts(
        &mut self,
        ids: &mut PublicIds,
        request: PlayoutRequest<'_>,
        rng: &mut Rng,
    ) -> Answer<Vec<PlayoutTotals>> {
        let Some(starts) = network_states(ids, request.starts) else {
            return Ok(None);
        };
        let starts = borrowed(&starts);
        let totals = self
            .engine
            .playouts(&starts, request.each, rng, request.limit);
        totals.map(Some)
    }

    fn recorded_playouts(
        &mut self,
        ids: &mut PublicIds,
        request: PlayoutRequest<'_>,
        rng: &mut Rng,
    ) -> Answer<Vec<Vec<PlayoutRecord>>> {
        let Some(starts) = network_states(ids, request.starts) else {
            return Ok(None);
        };
        let starts = borrowed(&starts);
        let records = self
            .engine
            .recorded_playouts(&starts, request.each, rng, request.limit);
        let mut records = records?;
        let joint_moves = records.iter_mut().flatten();
        for joint_move in joint_moves.flat_map(|record| &mut record.moves) {
            for (role, id) in joint_move.iter_mut().enumerate() {
                *id = self.ids.public_move(role, *id);
            }
        }
        Ok(Some(records))
    }

    fn guided_playouts(
        &mut self,
        ids: &mut PublicIds,
        request: &GuidedRequest<'_, &AutoState>,
        rng: &mut Rng,
    ) -> Answer<GuidedResult> {
        let Some(starts) = network_states(ids, request.starts) else {
            return Ok(None);
        };
        let policy = self.ids.policy_to_network(request.policy);
        let starts = borrowed(&starts);
        let request = request.with(&starts, &policy);
        let GuidedResult { totals, histories } = self.engine.guided_playouts(&request, rng)?;
        let histories = histories.into_iter();
        let histories = histories.map(|history| self.ids.history_to_public(history));
        Ok(Some(GuidedResult {
            totals,
            histories: histories.collect(),
        }))
    }

    fn is_ready_for_guided_playouts(&mut self) -> bool {
        self.engine.is_ready_for_guided_playouts()
    }

    fn wait_until_ready(&mut self) {
        self.engine.wait_until_ready();
    }
}
