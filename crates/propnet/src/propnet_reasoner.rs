//! The [`Reasoner`] on a network, generic over the method of propagation.

use std::sync::Arc;

use super::circuit::Circuit;
use super::network::{Network, goal_of_role};
use crate::ground_game::{BitState, GroundGame};
use ludorum_reasoner::{
    Goal, MoveId, Playout, ReasonError, Reasoner, Rng, Role, StopSignal, check_move_count,
    random_playout,
};

/// A method of evaluating a circuit. Moves are numbered over all roles.
pub trait Evaluator: Clone + Send {
    /// An evaluator for a network; `circuit` is its lowered form.
    fn new(network: &Network, circuit: Arc<Circuit>) -> Self;
    /// Moves to a state.
    fn set_state(&mut self, state: &BitState);
    /// Whether the current state is terminal.
    fn terminal(&mut self) -> bool;
    /// Whether a move is legal in the current state.
    fn legal(&mut self, action: usize) -> bool;
    /// Whether a goal value is reached in the current state.
    fn goal(&mut self, goal: usize) -> bool;
    /// Sets the joint move, one move for each role.
    fn set_moves(&mut self, moves: &[usize]);
    /// The state after the joint move.
    fn next(&mut self) -> BitState;

    /// A playout by a method of its own, if the evaluator has a faster one than step by step.
    fn playout(
        _reasoner: &mut Propnet<Self>,
        _state: &BitState,
        _dice: &mut Rng,
        _limit: u32,
    ) -> Option<Result<Playout, ReasonError>> {
        None
    }
}

/// A reasoner on a propositional network.
#[derive(Clone, Debug)]
pub struct Propnet<E> {
    pub(super) network: Arc<Network>,
    pub(super) circuit: Arc<Circuit>,
    pub(super) evaluator: E,
    current: Option<BitState>,
    moves: Vec<usize>,
    /// Checked between playouts only: all other methods are fast.
    stop: StopSignal,
}

impl<E: Evaluator> Propnet<E> {
    /// A reasoner on a network, with a new circuit. For tests and measurements; engines share the
    /// circuit of a [`CompiledGame`](crate::CompiledGame).
    pub fn new(network: impl Into<Arc<Network>>) -> Self {
        let network = network.into();
        let circuit = Arc::new(Circuit::new(&network));
        Self::with_circuit(network, circuit)
    }

    /// A reasoner on a network and its circuit.
    pub fn with_circuit(network: Arc<Network>, circuit: Arc<Circuit>) -> Self {
        Self {
            evaluator: E::new(&network, Arc::clone(&circuit)),
            network,
            circuit,
            current: None,
            moves: Vec::new(),
            stop: StopSignal::default(),
        }
    }

    /// The network.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// A shared reference to the network.
    pub fn shared_network(&self) -> Arc<Network> {
        Arc::clone(&self.network)
    }

    /// A shared reference to the circuit.
    pub fn shared_circuit(&self) -> Arc<Circuit> {
        Arc::clone(&self.circuit)
    }

    /// The evaluator.
    pub fn evaluator(&self) -> &E {
        &self.evaluator
    }

    /// The circuit of the network.
    pub fn circuit(&self) -> &Circuit {
        &self.circuit
    }

    pub(super) fn game(&self) -> &GroundGame {
        &self.network.game
    }

    fn move_to(&mut self, state: &BitState) {
        if self.current.as_ref() != Some(state) {
            self.evaluator.set_state(state);
            self.current = Some(state.clone());
        }
    }

    /// Forgets the current state of the evaluator, after something else has moved it.
    pub(super) fn forget_state(&mut self) {
        self.current = None;
    }

    /// The goal of a role in the current state of the evaluator.
    pub(super) fn current_goal(&mut self, role: Role) -> Goal {
        let evaluator = &mut self.evaluator;
        goal_of_role(&self.network.goals, role, |goal| evaluator.goal(goal))
    }
}

impl<E: Evaluator> Reasoner for Propnet<E> {
    crate::network_reasoner_methods!();

    fn is_terminal(&mut self, state: &BitState) -> Result<bool, ReasonError> {
        self.move_to(state);
        Ok(self.evaluator.terminal())
    }

    fn goal(&mut self, state: &BitState, role: Role) -> Result<Goal, ReasonError> {
        self.game().check_role(role)?;
        self.move_to(state);
        Ok(self.current_goal(role))
    }

    fn legal_moves(
        &mut self,
        state: &BitState,
        role: Role,
        moves: &mut Vec<MoveId>,
    ) -> Result<(), ReasonError> {
        self.game().check_role(role)?;
        self.move_to(state);
        moves.clear();
        let range = self.game().moves_of(role);
        let first = range.start;
        for action in range {
            if self.evaluator.legal(action) {
                moves.push(MoveId((action - first) as u32));
            }
        }
        Ok(())
    }

    fn next(&mut self, state: &BitState, joint_move: &[MoveId]) -> Result<BitState, ReasonError> {
        check_move_count(self.roles().len(), joint_move)?;
        self.move_to(state);
        self.moves.clear();
        for (role, id) in joint_move.iter().enumerate() {
            let range = self.game().moves_of(role);
            let action = range.start + id.index();
            if action >= range.end || !self.evaluator.legal(action) {
                return Err(self.game().illegal(role, *id));
            }
            self.moves.push(action);
        }
        self.evaluator.set_moves(&self.moves);
        Ok(self.evaluator.next())
    }

    fn playout(
        &mut self,
        state: &BitState,
        rng: &mut Rng,
        limit: u32,
    ) -> Result<Playout, ReasonError> {
        match E::playout(self, state, rng, limit) {
            Some(playout) => playout,
            None => random_playout(self, state, rng, limit),
        }
    }
}
