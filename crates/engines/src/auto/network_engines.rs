//! The engines on the network of a compiled game, and the conversion of move ids.

use std::sync::Arc;

use super::batch_lanes::{BatchLanes, LanesSlot};
use super::state::{AutoState, Form};
use ludorum_lanes::Lanes;
use ludorum_propnet::ground_game::BitState;
use ludorum_propnet::{Differential, Propnet};
use ludorum_prover::Prover;
use ludorum_reasoner::{
    FluentId, GuidedRequest, GuidedResult, MoveHistory, MoveId, MovePair, Playout, PlayoutPolicy,
    PlayoutRecord, PlayoutTotals, ReasonError, Reasoner, Rng, Role, StateSummary, StopSignal,
};

/// The engines of a game that has a network. Lanes become available later than the network. They
/// use the states and move ids of the network.
#[derive(Clone, Debug)]
pub(super) struct NetworkEngines {
    /// For single states and few playouts.
    pub(super) network: Propnet<Differential>,
    /// For many playouts.
    lanes: BatchLanes,
    moves: Arc<MoveIds>,
    /// The public id of every fluent of the network.
    fluents: Arc<[FluentId]>,
    joint: Vec<MoveId>,
    scratch: Vec<MoveId>,
    stop: StopSignal,
}

/// The conversion between the network's move ids and the public ones, which are the prover's.
#[derive(Clone, Debug)]
struct MoveIds {
    /// Whether both are the same. That is so if the prover had not met any move when the network was
    /// ready.
    same: bool,
    /// The public ids, by role and network id.
    public: Vec<Vec<MoveId>>,
    /// The network ids, by role and public id; `None` for moves that the network does not have.
    network: Vec<Vec<Option<MoveId>>>,
}

/// A move that the network does not have, so that no reachable state makes it legal.
#[derive(Clone, Copy, Debug)]
pub(super) struct UnknownMove {
    pub(super) role: Role,
}

impl NetworkEngines {
    /// Imports the moves and fluents of a network into the prover.
    pub(super) fn new(
        network: Propnet<Differential>,
        lanes: Arc<LanesSlot>,
        prover: &mut Prover,
    ) -> Self {
        let game = &network.network().game;
        let mut ids = MoveIds {
            same: true,
            public: Vec::new(),
            network: Vec::new(),
        };
        for role in 0..game.roles.len() {
            let public = prover.import_moves(role, &game.terms, game.move_terms(role));
            let mut network: Vec<Option<MoveId>> = Vec::new();
            for (id, public_id) in (0..).map(MoveId).zip(&public) {
                ids.same &= *public_id == id;
                if network.len() <= public_id.index() {
                    network.resize(public_id.index() + 1, None);
                }
                network[public_id.index()] = Some(id);
            }
            ids.public.push(public);
            ids.network.push(network);
        }
        let fluents = prover.import_fluents(&game.terms, &game.fluent_terms);
        Self {
            network,
            lanes: BatchLanes::new(lanes),
            moves: Arc::new(ids),
            fluents: fluents.into(),
            joint: Vec::new(),
            scratch: Vec::new(),
            stop: StopSignal::default(),
        }
    }

    /// Sets the stop signal of all engines.
    pub(super) fn set_stop_signal(&mut self, stop: &StopSignal) {
        self.network.set_deadline(stop.deadline);
        self.network.set_cancel(stop.cancel.clone());
        self.stop = stop.clone();
    }

    /// The lanes, if they are ready and faster than the network for so many playouts.
    fn lanes_for(&mut self, playouts: u64) -> Option<&mut Lanes> {
        let lanes = self.lanes.lanes(playouts)?;
        lanes.set_deadline(self.stop.deadline);
        lanes.set_cancel(self.stop.cancel.clone());
        Some(lanes)
    }

    /// A state from its bits.
    pub(super) fn state(&self, bits: BitState) -> AutoState {
        AutoState {
            key: self.network.network().game.key(&bits),
            form: Form::Network(bits),
        }
    }

    /// Replaces the contents of `fluents` by the public ids of the fluents of a state, in ascending
    /// order.
    pub(super) fn fluents(&self, bits: &BitState, fluents: &mut Vec<FluentId>) {
        fluents.clear();
        fluents.extend(bits.ones().map(|fluent| self.fluents[fluent]));
        fluents.sort_unstable();
    }

    pub(super) fn initial(&mut self) -> Result<AutoState, ReasonError> {
        let bits = self.network.initial()?;
        Ok(self.state(bits))
    }

    pub(super) fn legal_moves(
        &mut self,
        bits: &BitState,
        role: Role,
        moves: &mut Vec<MoveId>,
    ) -> Result<(), ReasonError> {
        if self.moves.same {
            return self.network.legal_moves(bits, role, moves);
        }
        self.network.legal_moves(bits, role, &mut self.scratch)?;
        let public = &self.moves.public[role];
        moves.clear();
        moves.extend(self.scratch.iter().map(|id| public[id.index()]));
        Ok(())
    }

    /// The successor under a joint move; `key` is the key of the state before.
    pub(super) fn next(
        &mut self,
        bits: &BitState,
        key: u128,
        joint_move: &[MoveId],
    ) -> Result<Result<AutoState, UnknownMove>, ReasonError> {
        let next = if self.moves.same {
            self.network.next(bits, joint_move)?
        } else {
            self.joint.clear();
            for (role, id) in joint_move.iter().enumerate() {
                let Some(Some(id)) = self.moves.network[role].get(id.index()) else {
                    return Ok(Err(UnknownMove { role }));
                };
                self.joint.push(*id);
            }
            self.network.next(bits, &self.joint)?
        };
        let game = &self.network.network().game;
        Ok(Ok(AutoState {
            key: game.key_after(key, bits, &next),
            form: Form::Network(next),
        }))
    }

    /// A random playout.
    pub(super) fn playout(
        &mut self,
        bits: &BitState,
        rng: &mut Rng,
        limit: u32,
    ) -> Result<Playout, ReasonError> {
        self.network.playout(bits, rng, limit)
    }

    /// Many playouts, in lanes if these are faster.
    pub(super) fn playouts(
        &mut self,
        starts: &[&BitState],
        each: u32,
        rng: &mut Rng,
        limit: u32,
    ) -> Result<Vec<PlayoutTotals>, ReasonError> {
        match self.lanes_for(starts.len() as u64 * u64::from(each)) {
            Some(lanes) => lanes.playouts(starts, each, rng, limit),
            None => self.network.playouts(starts, each, rng, limit),
        }
    }

    /// Many playouts with their moves (public ids), in lanes; `None` if lanes are not faster.
    pub(super) fn records(
        &mut self,
        starts: &[&BitState],
        each: u32,
        rng: &mut Rng,
        limit: u32,
    ) -> Option<Result<Vec<Vec<PlayoutRecord>>, ReasonError>> {
        let lanes = self.lanes_for(starts.len() as u64 * u64::from(each))?;
        let mut records = lanes.recorded_playouts(starts, each, rng, limit);
        if let (Ok(records), false) = (&mut records, self.moves.same) {
            let joint_moves = records.iter_mut().flatten();
            for joint_move in joint_moves.flat_map(|record| &mut record.moves) {
                for (role, id) in joint_move.iter_mut().enumerate() {
                    *id = self.moves.public[role][id.index()];
                }
            }
        }
        Some(records)
    }

    /// Many guided playouts, in lanes if these are faster. All move ids are public.
    pub(super) fn guided_playouts(
        &mut self,
        request: &GuidedRequest<'_, &BitState>,
        rng: &mut Rng,
    ) -> Result<GuidedResult, ReasonError> {
        let policy = self.moves.policy_to_network(request.policy);
        let request = request.with(request.starts, &policy);
        let playouts = request.starts.len() as u64 * u64::from(request.each);
        // Pair scores need one playout at a time, which the network does best.
        let lanes = self.lanes_for(playouts);
        let GuidedResult { totals, histories } =
            match lanes.filter(|_| request.policy.pairs.is_none()) {
                Some(lanes) => lanes.guided_playouts(&request, rng)?,
                None => self.network.guided_playouts(&request, rng)?,
            };
        let histories = histories.into_iter();
        let histories = histories.map(|history| self.moves.history_to_public(history));
        Ok(GuidedResult {
            totals,
            histories: histories.collect(),
        })
    }

    /// The summaries of many states, in lanes if these are faster.
    pub(super) fn summaries(
        &mut self,
        states: &[&BitState],
    ) -> Result<Vec<StateSummary>, ReasonError> {
        let mut summaries = match self.lanes_for(states.len() as u64) {
            Some(lanes) => lanes.summaries(states)?,
            None => self.network.summaries(states)?,
        };
        if !self.moves.same {
            for summary in &mut summaries {
                for (role, legal) in summary.legal.iter_mut().enumerate() {
                    for id in legal {
                        *id = self.moves.public[role][id.index()];
                    }
                }
            }
        }
        Ok(summaries)
    }

    /// The successors of several states, in lanes. `None` if lanes are not faster, or if a state or a
    /// move is not one of the network.
    pub(super) fn next_states(
        &mut self,
        moves: &[(&AutoState, &[MoveId])],
    ) -> Option<Result<Vec<AutoState>, ReasonError>> {
        let lanes = self.lanes.lanes(moves.len() as u64)?;
        let mut joint_moves: Vec<MoveId> = Vec::new();
        let mut starts: Vec<&BitState> = Vec::with_capacity(moves.len());
        for (state, joint_move) in moves {
            let Form::Network(bits) = &state.form else {
                return None;
            };
            starts.push(bits);
            for (role, id) in joint_move.iter().enumerate() {
                let network = self.moves.network.get(role)?.get(id.index())?;
                joint_moves.push((*network)?);
            }
        }
        let roles = self.moves.network.len().max(1);
        if joint_moves.len() != roles * moves.len() {
            return None;
        }
        let pairs: Vec<(&BitState, &[MoveId])> = starts
            .iter()
            .copied()
            .zip(joint_moves.chunks(roles))
            .collect();
        let game = &self.network.network().game;
        let next = lanes.next_states(&pairs).map(|states| {
            let before = moves.iter().zip(&starts);
            let states = before
                .zip(states)
                .map(|(((state, _), bits), next)| AutoState {
                    key: game.key_after(state.key, bits, &next),
                    form: Form::Network(next),
                });
            states.collect()
        });
        Some(next)
    }

    /// Whether guided playouts are available at once. Lanes have to build a machine for them.
    pub(super) fn is_ready_for_guided_playouts(&mut self) -> bool {
        self.lanes_for(u64::MAX)
            .is_none_or(Lanes::is_ready_for_guided_playouts)
    }

    /// The number of playouts per call at which the engines are fastest.
    pub(super) fn preferred_batch(&self) -> u32 {
        self.lanes.preferred_batch()
    }
}

impl MoveIds {
    /// A policy with public ids, converted to network ids.
    fn policy_to_network(&self, policy: &PlayoutPolicy) -> PlayoutPolicy {
        let scores = self.public.iter().enumerate().map(|(role, public)| {
            let score = |id: &MoveId| policy.score(role, *id);
            public.iter().map(score).collect()
        });
        PlayoutPolicy {
            epsilon: policy.epsilon,
            epsilons: policy.epsilons.clone(),
            scores: scores.collect(),
            pairs: policy.pairs.as_ref().map(|pairs| {
                let pairs = pairs.iter();
                pairs
                    .filter_map(|(pair, score)| {
                        let network =
                            |role: Role, id: MoveId| *self.network.get(role)?.get(id.index())?;
                        let pair = MovePair {
                            before: (pair.before.0, network(pair.before.0, pair.before.1)?),
                            role: pair.role,
                            id: network(pair.role, pair.id)?,
                        };
                        Some((pair, *score))
                    })
                    .collect()
            }),
        }
    }

    /// A history with network ids, converted to public ids.
    fn history_to_public(&self, history: MoveHistory) -> MoveHistory {
        if self.same {
            return history;
        }
        let mut result = MoveHistory::new(self.public.len());
        for (pair, totals) in history.pairs {
            let public = |role: Role, id: MoveId| self.public[role][id.index()];
            let pair = MovePair {
                before: (pair.before.0, public(pair.before.0, pair.before.1)),
                role: pair.role,
                id: public(pair.role, pair.id),
            };
            result.pairs.insert(pair, totals);
        }
        for (role, totals) in history.moves.iter().enumerate() {
            for (network, totals) in totals.iter().enumerate() {
                if totals.playouts > 0 {
                    let id = self.public[role][network];
                    result.add(role, id, totals.playouts, totals.points);
                }
            }
        }
        result
    }
}
