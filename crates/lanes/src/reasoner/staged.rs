//! Staged games on lanes.

use std::sync::Arc;

use super::super::lane_evaluator::LaneEvaluator;
use super::super::machine::{Machine, MachineError, PlayoutRequest};
use super::super::runner::Backend;
use super::super::staging::{StagedGame, Staging, StagingError};
use super::{Abandoned, Lanes, MachineKind};
use ludorum_propnet::circuit::Circuit;
use ludorum_propnet::ground_game::BitState;
use ludorum_propnet::network::Network;
use ludorum_reasoner::{ReasonError, Rng};

/// The last states of playouts.
#[derive(Debug)]
pub(crate) struct LastStates {
    /// The states, with the visible fluents.
    pub(crate) states: Vec<BitState>,
    /// The fluents that playouts depend on. Others are not computed.
    pub(crate) visible: BitState,
}

impl Lanes {
    /// A reasoner on a staged game, whose playouts are those of the original game: their steps, the
    /// limit and the totals count the steps that were made, and not stages.
    ///
    /// Playouts start from states of the first stage. They are random: guided ones are random
    /// playouts with empty histories; single ones and records are
    /// [not supported](ReasonError::Unsupported). Questions about states are answered for the staged
    /// game, as for any other. If a lane draws for a long time without making a step, an attempt with
    /// exact checks for roles without a legal move follows, and then
    /// [an error](ReasonError::Budget).
    pub fn with_staging(
        network: Arc<Network>,
        circuit: Arc<Circuit>,
        backend: Backend,
        staging: &Staging,
    ) -> Result<Self, StagingError> {
        let game = Arc::new(StagedGame::new(&network, staging)?);
        Ok(Self::with_stages(network, circuit, Some(game), backend))
    }

    /// The last states of playouts from a start, in no particular order, with the fluents that
    /// playouts depend on.
    pub(crate) fn last_states(
        &mut self,
        start: &BitState,
        count: u64,
        rng: &mut Rng,
        limit: u32,
    ) -> Result<LastStates, ReasonError> {
        self.retry_if_stuck(rng, |lanes, rng| {
            let Some(mut machine) = lanes.take_machine(MachineKind::Random)? else {
                return Err(ReasonError::Unsupported("playouts one by one".to_owned()));
            };
            let mut visible = start.clone();
            visible.words.fill(0);
            for fluent in &machine.plan().fluents {
                visible.set(*fluent as usize, true);
            }
            let mut states = Vec::new();
            let request = PlayoutRequest {
                starts: &[start],
                each: count,
                limit,
                seed: rng.next_u64(),
                guidance: None,
                recorder: None,
                last_states: Some(&mut states),
                stop: &lanes.stop,
            };
            let played = machine.play(request);
            lanes.return_machine(MachineKind::Random, machine);
            match played {
                Ok(_) => Ok(Ok(LastStates { states, visible })),
                Err(MachineError::Stuck) => Ok(Err(Abandoned::Stuck)),
                Err(MachineError::NoProgress) => Ok(Err(Abandoned::NoProgress)),
                Err(MachineError::Late) => Err(ReasonError::Stopped),
            }
        })
    }

    /// The evaluator, for questions about states of the staged game.
    pub(crate) fn evaluator(&mut self) -> &mut LaneEvaluator {
        self.current = None;
        &mut self.evaluator
    }

    /// An error in staged games, in which something is not supported.
    pub(super) fn check_unstaged(&self, what: &str) -> Result<(), ReasonError> {
        if self.builder.is_staged() {
            return Err(ReasonError::Unsupported(format!("{what} in a staged game")));
        }
        Ok(())
    }

    /// Checks that starts of a staged game are in the first stage.
    pub(super) fn check_stages(
        &self,
        machine: &Machine,
        starts: &[&BitState],
    ) -> Result<(), ReasonError> {
        if !self.builder.is_staged() {
            return Ok(());
        }
        if starts.iter().all(|start| machine.turn_of(start) == Some(0)) {
            return Ok(());
        }
        Err(ReasonError::Unsupported(
            "a playout of a staged game from a state that is not in its first stage".to_owned(),
        ))
    }
}
