//! A circuit whose values are kept up to date while the state changes.

use std::sync::Arc;

use super::circuit::Circuit;
use super::differential_graph::DifferentialGraph;
use super::differential_state::DifferentialState;
use super::move_effects::EffectPropagation;
use super::on_demand::OnDemandGates;
use crate::ground_game::BitState;
use ludorum_reasoner::Rng;

/// The graph of a circuit with its current values, at one state.
#[derive(Clone, Debug)]
pub(super) struct DifferentialMachine {
    pub(super) graph: Arc<DifferentialGraph>,
    pub(super) values: DifferentialState,
    effects: EffectPropagation,
    pub(super) on_demand: Option<OnDemandGates>,
    pub(super) state: BitState,
    pub(super) next: BitState,
    /// The moves whose nodes are set, where moves are nodes.
    played: Vec<u32>,
}

impl DifferentialMachine {
    pub(super) fn new(circuit: &Arc<Circuit>) -> Self {
        let fluents = circuit.fluents as usize;
        let (graph, initial) = DifferentialGraph::new(circuit);
        Self {
            values: DifferentialState::new(initial),
            effects: EffectPropagation::new(&graph.effects),
            on_demand: OnDemandGates::new(&graph),
            graph: Arc::new(graph),
            state: BitState::empty(fluents),
            next: BitState::empty(fluents),
            played: Vec::new(),
        }
    }

    /// Moves to a state, without moves.
    #[inline]
    pub(super) fn set_state(&mut self, words: &[u64]) {
        self.undo_moves();
        self.values.change_state(&mut self.state, words);
        self.values.settle(&self.graph);
    }

    /// Moves to a state by copying the values that the machine had there.
    #[inline]
    pub(super) fn restore(&mut self, values: &DifferentialState, state: &BitState) {
        self.values.restore(values);
        self.state.words.copy_from_slice(&state.words);
        self.played.clear();
    }

    #[inline]
    pub(super) fn is_terminal(&self) -> bool {
        self.graph.outputs.is_terminal(&self.values.outputs)
    }

    #[inline]
    pub(super) fn is_legal(&self, action: usize) -> bool {
        let role = self.graph.role_of[action] as usize;
        let bit = self.graph.outputs.legal_bit(role, action as u32);
        self.values.outputs[bit as usize / 64] >> (bit % 64) & 1 == 1
    }

    /// Clears the moves, where moves are nodes.
    #[inline]
    fn undo_moves(&mut self) {
        if let Some(first) = self.graph.first_move {
            for action in self.played.drain(..) {
                self.values.set(first + action, false);
            }
        }
    }

    /// Computes the state after a joint move.
    pub(super) fn set_moves(&mut self, moves: impl Iterator<Item = u32>) {
        self.undo_moves();
        for action in moves {
            self.add_move(action);
        }
        self.compute_next();
    }

    /// Draws a legal move for each role and computes the next state; false if a role has no legal
    /// move.
    #[inline]
    pub(super) fn draw_moves(&mut self, rng: &mut Rng) -> bool {
        for role in 0..self.graph.outputs.roles() {
            if let Some(action) =
                self.graph
                    .outputs
                    .random_legal_move(&self.values.outputs, role, rng)
            {
                self.add_move(action);
            } else {
                self.effects.clear();
                self.undo_moves();
                self.values.settle(&self.graph);
                return false;
            }
        }
        self.compute_next();
        true
    }

    /// Adds a move to the joint move.
    #[inline]
    fn add_move(&mut self, action: u32) {
        let graph = &*self.graph;
        if let Some(first) = graph.first_move {
            self.played.push(action);
            self.values.set(first + action, true);
        } else {
            let effects = &mut self.effects;
            effects.note(action);
            let first = graph.effects.moves;
            graph
                .outputs
                .active_effects(&self.values.outputs, action, |effect| {
                    effects.note(first + effect);
                });
        }
    }

    /// Computes the next state from the joint move.
    #[inline]
    fn compute_next(&mut self) {
        let graph = &*self.graph;
        if graph.first_move.is_some() {
            self.values.settle(graph);
        }
        let words = self.next.words.iter_mut().zip(&self.state.words);
        for (((next, state), frame), outputs) in words.zip(&graph.frame).zip(&self.values.outputs) {
            *next = state & frame ^ outputs;
        }
        if graph.first_move.is_none() {
            let work =
                self.effects
                    .run(&graph.effects, &self.values.counters, &mut self.next.words);
            self.values.work += work;
        }
    }
}

/// The index of the machine for a state: 0 is the general one, `i + 1` that of control fluent `i`.
#[inline]
pub(super) fn machine_for_state(control: &[u32], words: &[u64]) -> usize {
    let mut found = 0;
    for (i, fluent) in control.iter().enumerate() {
        if words[*fluent as usize / 64] >> (fluent % 64) & 1 == 1 {
            if found != 0 {
                return 0;
            }
            found = i + 1;
        }
    }
    found
}
