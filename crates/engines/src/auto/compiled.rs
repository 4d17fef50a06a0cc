//! The compiled game: which engine answers what, and the numbers of moves.

use std::sync::Arc;

use super::batches::{Batches, LateLanes};
use super::state::{AutoState, Form};
use ludorum_lanes::Lanes;
use ludorum_propnet::ground_game::BitState;
use ludorum_propnet::{Differential, Propnet};
use ludorum_prover::Prover;
use ludorum_reasoner::{
    FluentId, GuidedRequest, GuidedResult, MoveHistory, MoveId, MovePair, Playout, PlayoutPolicy,
    PlayoutRecord, PlayoutTotals, ReasonError, Reasoner, Rng, Role, StateSummary, StopSignal,
};

/// The engines of a game that could be grounded. Lanes come later than the network; their states
/// and moves are the network's.
#[derive(Clone, Debug)]
pub(super) struct Compiled {
    /// For single states.
    pub(super) network: Propnet<Differential>,
    /// For many playouts.
    batches: Batches,
    moves: Arc<Numbers>,
    /// The prover's number of every fluent, which is the one to be seen from outside.
    fluents: Arc<[FluentId]>,
    joint: Vec<MoveId>,
    scratch: Vec<MoveId>,
    until: StopSignal,
}

/// The numbers of moves: the network's own, and the prover's, which are the ones to be seen from
/// outside.
#[derive(Clone, Debug)]
struct Numbers {
    /// Whether they are the same, because nobody had asked the prover for a move when the network
    /// was ready.
    same: bool,
    /// By role and network's number.
    outside: Vec<Vec<MoveId>>,
    /// By role and outside number; the network has no such move where it is `None`.
    inside: Vec<Vec<Option<MoveId>>>,
}

/// A move that the network does not have: no role can ever make it.
#[derive(Clone, Copy, Debug)]
pub(super) struct UnknownMove {
    pub(super) role: Role,
}

impl Compiled {
    /// Numbers the moves of a network with the prover.
    pub(super) fn new(
        network: Propnet<Differential>,
        late: Arc<LateLanes>,
        prover: &mut Prover,
    ) -> Self {
        let game = &network.network().game;
        let mut numbers = Numbers {
            same: true,
            outside: Vec::new(),
            inside: Vec::new(),
        };
        for role in 0..game.roles.len() {
            let outside = prover.import_moves(role, &game.terms, game.move_terms(role));
            let mut inside: Vec<Option<MoveId>> = Vec::new();
            for (id, number) in (0..).map(MoveId).zip(&outside) {
                numbers.same &= *number == id;
                if inside.len() <= number.index() {
                    inside.resize(number.index() + 1, None);
                }
                inside[number.index()] = Some(id);
            }
            numbers.outside.push(outside);
            numbers.inside.push(inside);
        }
        let fluents = prover.import_fluents(&game.terms, &game.fluent_terms);
        Self {
            network,
            batches: Batches::new(late),
            moves: Arc::new(numbers),
            fluents: fluents.into(),
            joint: Vec::new(),
            scratch: Vec::new(),
            until: StopSignal::default(),
        }
    }

    /// Passes on when to stop, to whatever will answer.
    pub(super) fn set_until(&mut self, until: &StopSignal) {
        self.network.set_deadline(until.deadline);
        self.network.set_cancel(until.cancel.clone());
        self.until = until.clone();
    }

    /// Lanes for so many playouts, if they are there and worth it.
    fn lanes(&mut self, playouts: u64) -> Option<&mut Lanes> {
        let lanes = self.batches.lanes(playouts)?;
        lanes.set_deadline(self.until.deadline);
        lanes.set_cancel(self.until.cancel.clone());
        Some(lanes)
    }

    /// A state from its bits.
    pub(super) fn state(&self, bits: BitState) -> AutoState {
        AutoState {
            key: self.network.network().game.key(&bits),
            form: Form::Network(bits),
        }
    }

    /// The fluents of a state by the numbers that are seen from outside, ascending, in place of
    /// what was in the list.
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
        let outside = &self.moves.outside[role];
        moves.clear();
        moves.extend(self.scratch.iter().map(|id| outside[id.index()]));
        Ok(())
    }

    /// The state after a joint move; `key` is that of the state before.
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
                let Some(Some(id)) = self.moves.inside[role].get(id.index()) else {
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

    /// Many playouts, in lanes if they are worth it.
    pub(super) fn playouts(
        &mut self,
        starts: &[&BitState],
        each: u32,
        rng: &mut Rng,
        limit: u32,
    ) -> Result<Vec<PlayoutTotals>, ReasonError> {
        match self.lanes(starts.len() as u64 * u64::from(each)) {
            Some(lanes) => lanes.playouts(starts, each, rng, limit),
            None => self.network.playouts(starts, each, rng, limit),
        }
    }

    /// Many playouts with what was played, if lanes are worth it. Moves have the numbers that are
    /// seen from outside.
    pub(super) fn records(
        &mut self,
        starts: &[&BitState],
        each: u32,
        rng: &mut Rng,
        limit: u32,
    ) -> Option<Result<Vec<Vec<PlayoutRecord>>, ReasonError>> {
        let lanes = self.lanes(starts.len() as u64 * u64::from(each))?;
        let mut records = lanes.recorded_playouts(starts, each, rng, limit);
        if let (Ok(records), false) = (&mut records, self.moves.same) {
            let joint_moves = records.iter_mut().flatten();
            for joint_move in joint_moves.flat_map(|record| &mut record.moves) {
                for (role, id) in joint_move.iter_mut().enumerate() {
                    *id = self.moves.outside[role][id.index()];
                }
            }
        }
        Some(records)
    }

    /// Many guided playouts, in lanes if they are worth it. Moves have the numbers that are seen
    /// from outside.
    pub(super) fn guided_playouts(
        &mut self,
        wanted: &GuidedRequest<'_, &BitState>,
        rng: &mut Rng,
    ) -> Result<GuidedResult, ReasonError> {
        let inner = self.moves.guide(wanted.policy);
        let wanted = wanted.with(wanted.starts, &inner);
        let playouts = wanted.starts.len() as u64 * u64::from(wanted.each);
        // Pairs of moves are looked at one playout at a time, which the network does best.
        let lanes = self.lanes(playouts);
        let GuidedResult {
            totals: tallies,
            histories,
        } = match lanes.filter(|_| wanted.policy.pairs.is_none()) {
            Some(lanes) => lanes.guided_playouts(&wanted, rng)?,
            None => self.network.guided_playouts(&wanted, rng)?,
        };
        let histories = histories.into_iter();
        let histories = histories.map(|history| self.moves.history(history));
        Ok(GuidedResult {
            totals: tallies,
            histories: histories.collect(),
        })
    }

    /// All about many states, in lanes if they are worth it.
    pub(super) fn survey(
        &mut self,
        states: &[&BitState],
    ) -> Result<Vec<StateSummary>, ReasonError> {
        let mut surveys = match self.lanes(states.len() as u64) {
            Some(lanes) => lanes.summaries(states)?,
            None => self.network.summaries(states)?,
        };
        if !self.moves.same {
            for survey in &mut surveys {
                for (role, legal) in survey.legal.iter_mut().enumerate() {
                    for id in legal {
                        *id = self.moves.outside[role][id.index()];
                    }
                }
            }
        }
        Ok(surveys)
    }

    /// The states after several joint moves, in lanes if they are worth it; none if they are not,
    /// or if a state or a move is not the network's.
    pub(super) fn next_states(
        &mut self,
        moves: &[(&AutoState, &[MoveId])],
    ) -> Option<Result<Vec<AutoState>, ReasonError>> {
        let lanes = self.batches.lanes(moves.len() as u64)?;
        let mut joint_moves: Vec<MoveId> = Vec::new();
        let mut starts: Vec<&BitState> = Vec::with_capacity(moves.len());
        for (state, joint_move) in moves {
            let Form::Network(bits) = &state.form else {
                return None;
            };
            starts.push(bits);
            for (role, id) in joint_move.iter().enumerate() {
                let inside = self.moves.inside.get(role)?.get(id.index())?;
                joint_moves.push((*inside)?);
            }
        }
        let roles = self.moves.inside.len().max(1);
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

    /// Whether guided playouts can be had at once. Lanes, once they are there, have to make ready
    /// for them.
    pub(super) fn is_ready_for_guided_playouts(&mut self) -> bool {
        self.lanes(u64::MAX)
            .is_none_or(Lanes::is_ready_for_guided_playouts)
    }

    /// How many playouts are best asked for at once.
    pub(super) fn batch(&self) -> u32 {
        self.batches.batch()
    }
}

impl Numbers {
    /// A guide in the network's numbers.
    fn guide(&self, guide: &PlayoutPolicy) -> PlayoutPolicy {
        let scores = self.outside.iter().enumerate().map(|(role, outside)| {
            let score = |id: &MoveId| guide.score(role, *id);
            outside.iter().map(score).collect()
        });
        PlayoutPolicy {
            epsilon: guide.epsilon,
            epsilons: guide.epsilons.clone(),
            scores: scores.collect(),
            pairs: guide.pairs.as_ref().map(|pairs| {
                let pairs = pairs.iter();
                pairs
                    .filter_map(|(pair, score)| {
                        let inside =
                            |role: Role, id: MoveId| *self.inside.get(role)?.get(id.index())?;
                        let pair = MovePair {
                            before: (pair.before.0, inside(pair.before.0, pair.before.1)?),
                            role: pair.role,
                            id: inside(pair.role, pair.id)?,
                        };
                        Some((pair, *score))
                    })
                    .collect()
            }),
        }
    }

    /// A history in the outside numbers.
    fn history(&self, history: MoveHistory) -> MoveHistory {
        if self.same {
            return history;
        }
        let mut result = MoveHistory::new(self.outside.len());
        for (pair, record) in history.pairs {
            let outside = |role: Role, id: MoveId| self.outside[role][id.index()];
            let pair = MovePair {
                before: (pair.before.0, outside(pair.before.0, pair.before.1)),
                role: pair.role,
                id: outside(pair.role, pair.id),
            };
            result.pairs.insert(pair, record);
        }
        for (role, records) in history.moves.iter().enumerate() {
            for (inside, record) in records.iter().enumerate() {
                if record.playouts > 0 {
                    let id = self.outside[role][inside];
                    result.add(role, id, record.playouts, record.points);
                }
            }
        }
        result
    }
}
