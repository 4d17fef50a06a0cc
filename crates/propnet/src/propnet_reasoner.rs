//! What the ways of propagation have in common, and the [`Reasoner`] around them.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use super::circuit::Circuit;
use super::network::Network;
use crate::ground_game::{BitState, GroundGame};
use ludorum_reasoner::contract::{
    FluentId, Goal, MoveId, NoGoal, ReasonError, Reasoner, Role, check_move_count,
};
use ludorum_reasoner::dice::Dice;
use ludorum_reasoner::footprint::Footprint as _;
use ludorum_reasoner::playout;
use ludorum_reasoner::playout::Playout;
use ludorum_reasoner::stop_signal::StopSignal;

/// A way to evaluate a circuit. Moves are counted over all roles.
pub trait Evaluator: Clone + Send {
    /// An evaluator for a network, of which `circuit` is the lowered form.
    fn new(network: &Network, circuit: Arc<Circuit>) -> Self;
    /// Turns to a state.
    fn set_state(&mut self, state: &BitState);
    /// Whether the state is terminal.
    fn terminal(&mut self) -> bool;
    /// Whether a move is legal.
    fn legal(&mut self, action: usize) -> bool;
    /// Whether a goal value is reached.
    fn goal(&mut self, goal: usize) -> bool;
    /// Turns to a joint move, one move for each role.
    fn set_moves(&mut self, moves: &[usize]);
    /// The state after the joint move.
    fn next(&mut self) -> BitState;

    /// A playout that is faster than asking question by question, where there is one.
    fn playout(
        _reasoner: &mut Propnet<Self>,
        _state: &BitState,
        _dice: &mut Dice,
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
    /// Looked at between playouts only: everything else is quick.
    until: StopSignal,
}

impl<E: Evaluator> Propnet<E> {
    /// A reasoner on a network, with a circuit of its own.
    pub fn new(network: impl Into<Arc<Network>>) -> Self {
        let network = network.into();
        let circuit = Arc::new(Circuit::new(&network));
        Self::with_circuit(network, circuit)
    }

    /// A reasoner on a network and the circuit that was made from it.
    pub fn with_circuit(network: Arc<Network>, circuit: Arc<Circuit>) -> Self {
        Self {
            evaluator: E::new(&network, Arc::clone(&circuit)),
            network,
            circuit,
            current: None,
            moves: Vec::new(),
            until: StopSignal::default(),
        }
    }

    /// The network.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// The network, to be shared.
    pub fn shared_network(&self) -> Arc<Network> {
        Arc::clone(&self.network)
    }

    /// The circuit, to be shared.
    pub fn shared_circuit(&self) -> Arc<Circuit> {
        Arc::clone(&self.circuit)
    }

    /// The way of propagation.
    pub fn evaluator(&self) -> &E {
        &self.evaluator
    }

    /// The circuit that is evaluated.
    pub fn circuit(&self) -> &Circuit {
        &self.circuit
    }

    pub(super) fn game(&self) -> &GroundGame {
        &self.network.game
    }

    fn look(&mut self, state: &BitState) {
        if self.current.as_ref() != Some(state) {
            self.evaluator.set_state(state);
            self.current = Some(state.clone());
        }
    }

    /// Forgets which state the evaluator looks at.
    pub(super) fn look_away(&mut self) {
        self.current = None;
    }

    /// The goal of a role in the state that the evaluator looks at.
    pub(super) fn goal_here(&mut self, role: Role) -> Goal {
        let network = &*self.network;
        let mut reached = None;
        for (i, goal) in network.goals.iter().enumerate() {
            if goal.role != role || !self.evaluator.goal(i) {
                continue;
            }
            if reached.is_some() || goal.value.is_none() {
                return self.odd_goal(role);
            }
            reached = goal.value;
        }
        reached.map_or(Goal::Missing(NoGoal::None), Goal::Value)
    }

    /// The goal of a role that has several values or one that is no number.
    #[cold]
    fn odd_goal(&mut self, role: Role) -> Goal {
        let network = &*self.network;
        let mut texts = Vec::new();
        for (i, goal) in network.goals.iter().enumerate() {
            if goal.role == role && self.evaluator.goal(i) {
                texts.push(goal.text.to_string());
            }
        }
        Goal::from_texts(texts)
    }
}

impl<E: Evaluator> Reasoner for Propnet<E> {
    type State = BitState;

    fn roles(&self) -> &[String] {
        &self.game().roles
    }

    fn initial(&mut self) -> Result<BitState, ReasonError> {
        Ok(self.game().initial.clone())
    }

    fn is_terminal(&mut self, state: &BitState) -> Result<bool, ReasonError> {
        self.look(state);
        Ok(self.evaluator.terminal())
    }

    fn goal(&mut self, state: &BitState, role: Role) -> Result<Goal, ReasonError> {
        self.game().check_role(role)?;
        self.look(state);
        Ok(self.goal_here(role))
    }

    fn legal_moves(
        &mut self,
        state: &BitState,
        role: Role,
        moves: &mut Vec<MoveId>,
    ) -> Result<(), ReasonError> {
        self.game().check_role(role)?;
        self.look(state);
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
        self.look(state);
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

    fn move_text(&mut self, role: Role, id: MoveId) -> String {
        self.game().move_text(role, id)
    }

    fn find_move(&mut self, role: Role, text: &str) -> Option<MoveId> {
        self.game().find_move(role, text)
    }

    fn facts(&mut self, state: &BitState) -> Vec<String> {
        self.game().facts(state)
    }

    fn fluents(&mut self, state: &BitState, fluents: &mut Vec<FluentId>) {
        state.fluents(fluents);
    }

    fn fluent_text(&mut self, id: FluentId) -> String {
        self.game().fluent_text(id)
    }

    fn state_from_facts(&mut self, facts: &[String]) -> Result<BitState, ReasonError> {
        let state = self.game().state_from_facts(facts)?;
        self.network.check_reachable(&state)?;
        Ok(state)
    }

    fn difference(&mut self, first: &BitState, second: &BitState) -> (usize, usize) {
        first.difference(second)
    }

    fn key(&self, state: &BitState) -> u128 {
        self.game().key(state)
    }

    fn fork(&self) -> Self {
        let mut fork = self.clone();
        fork.until = self.until.of_fork();
        fork
    }

    fn set_deadline(&mut self, deadline: Option<Instant>) {
        self.until.deadline = deadline;
    }

    fn set_cancel(&mut self, cancel: Option<Arc<AtomicBool>>) {
        self.until.cancel = cancel;
    }

    fn is_late(&self) -> bool {
        self.until.is_over()
    }

    fn state_bytes(&self, state: &BitState) -> usize {
        size_of::<BitState>() + state.heap_bytes()
    }

    fn components(&self) -> Option<usize> {
        Some(self.network.len())
    }

    fn playout(
        &mut self,
        state: &BitState,
        dice: &mut Dice,
        limit: u32,
    ) -> Result<Playout, ReasonError> {
        match E::playout(self, state, dice, limit) {
            Some(playout) => playout,
            None => playout::random(self, state, dice, limit),
        }
    }
}
