//! The gates of a circuit that depend on moves, and their rest values: those while no move is
//! played.

use super::circuit::{Circuit, Edge, GateKind, NEVER};

/// A conditional effect: a move, and the edge of its condition on the state.
pub(super) type ConditionalEffect = (u32, Edge);

/// How a gate that depends on moves is represented.
#[derive(Clone, Copy, Debug)]
pub(super) enum GateForm {
    /// Not at all: it never holds.
    Never,
    /// As a conditional effect, with its number.
    Effect(u32),
    /// As a gate with a counter, with its number.
    Gate(u32),
}

/// The part of a circuit that depends on moves.
pub(super) struct MoveDependentGates<'c> {
    pub(super) circuit: &'c Circuit,
    /// The signal of the first gate that depends on moves.
    first: u32,
    /// The rest value of every gate.
    pub(super) rests: Vec<Edge>,
}

impl<'c> MoveDependentGates<'c> {
    pub(super) fn new(circuit: &'c Circuit) -> Self {
        let first = circuit.action_blocks.first();
        Self {
            circuit,
            first: first.map_or(u32::MAX, |block| circuit.first_gate() + block.gates.start),
            rests: vec![NEVER; circuit.gate_count()],
        }
    }

    /// The move of an edge, if its signal is a move.
    pub(super) fn action(&self, edge: Edge) -> Option<u32> {
        let first = self.circuit.action(0);
        let signal = edge >> 1;
        (first..first + self.circuit.moves)
            .contains(&signal)
            .then(|| signal - first)
    }

    /// The gate of an edge, if it depends on moves.
    pub(super) fn gate(&self, edge: Edge) -> Option<u32> {
        (edge >> 1 >= self.first).then(|| (edge >> 1) - self.circuit.first_gate())
    }

    /// Whether an edge depends on moves.
    pub(super) fn is_action(&self, edge: Edge) -> bool {
        edge >> 1 >= self.first || self.action(edge).is_some()
    }

    /// The inputs of an edge that is an AND or an OR after its sign is applied by De Morgan's laws,
    /// and the sign to apply to them.
    pub(super) fn terms(&self, edge: Edge, kind: GateKind) -> Option<(&'c [Edge], u32)> {
        let gate = self.gate(edge)?;
        let same = self.circuit.gate_kind(gate) == kind;
        (same == (edge & 1 == 0)).then(|| (self.circuit.inputs(gate), edge & 1))
    }

    /// The rest value of an edge.
    pub(super) fn rest(&self, edge: Edge) -> Edge {
        if let Some(gate) = self.gate(edge) {
            self.rests[gate as usize] ^ edge & 1
        } else if self.action(edge).is_some() {
            NEVER ^ edge & 1
        } else {
            edge
        }
    }

    /// The only move among the inputs of a conjunction, if all other inputs depend on the state
    /// alone.
    pub(super) fn single_move(&self, gate: u32) -> Option<u32> {
        let mut actions = self.circuit.inputs(gate).iter();
        let mut actions = actions.by_ref().filter(|edge| self.is_action(**edge));
        match (self.circuit.gate_kind(gate), actions.next(), actions.next()) {
            (GateKind::And, Some(edge), None) if edge & 1 == 0 => self.action(*edge),
            _ => None,
        }
    }
}
