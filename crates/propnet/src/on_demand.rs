//! On-demand evaluation of gates that are not kept up to date.
//!
//! Goals are read only at the end of a game, so that their gates have no nodes unless other answers
//! depend on them.

use super::circuit::{Circuit, Edge, GateKind};
use super::differential_graph::{ABSENT, DifferentialGraph};
use super::differential_state::DifferentialState;

/// Memoised values of gates without nodes.
#[derive(Clone, Debug)]
pub(super) struct OnDemandGates {
    /// For every gate, the stamp of its last evaluation, and its value.
    known: Vec<(u32, bool)>,
    stamp: u32,
    stack: Vec<(u32, u32)>,
}

impl OnDemandGates {
    /// `None` if goals depend on moves, or on a cycle without nodes.
    pub(super) fn new(graph: &DifferentialGraph) -> Option<Self> {
        let circuit = &*graph.circuit;
        let first = circuit.first_gate();
        let mut known = vec![(0, false); circuit.gate_count()];
        for block in &circuit.state_blocks {
            for gate in block.gates.clone() {
                known[gate as usize].1 = !block.cyclic;
            }
        }
        let mut seen = vec![false; circuit.gate_count()];
        let mut todo = circuit.goals.clone();
        while let Some(edge) = todo.pop() {
            let signal = edge >> 1;
            if signal == 0 || graph.node_of[signal as usize] != ABSENT {
                continue;
            }
            let gate = signal.checked_sub(first)?;
            if !known[gate as usize].1 {
                return None;
            }
            if !std::mem::replace(&mut seen[gate as usize], true) {
                todo.extend(circuit.inputs(gate));
            }
        }
        Some(Self {
            known,
            stamp: 0,
            stack: Vec::new(),
        })
    }

    /// Invalidates all values, after a change of the state.
    pub(super) fn forget(&mut self) {
        if self.stamp == u32::MAX {
            self.known.fill((0, false));
            self.stamp = 0;
        }
        self.stamp += 1;
    }

    /// The value of an edge, by depth-first search with an explicit stack.
    pub(super) fn evaluate_edge(
        &mut self,
        graph: &DifferentialGraph,
        values: &DifferentialState,
        edge: Edge,
    ) -> bool {
        let circuit = &*graph.circuit;
        if let Some(holds) = self.known_value(graph, values, edge) {
            return holds;
        }
        self.stack.push(((edge >> 1) - circuit.first_gate(), 0));
        let mut holds = false;
        while let Some((gate, place)) = self.stack.pop() {
            holds = match self.evaluate_gate(circuit, graph, values, gate, place) {
                Ok(holds) => holds,
                Err((place, input)) => {
                    // Resume here when this input is known.
                    self.stack.push((gate, place));
                    self.stack.push((input, 0));
                    continue;
                }
            };
            self.known[gate as usize] = (self.stamp, holds);
        }
        holds ^ (edge & 1 == 1)
    }

    /// The value of a gate from its inputs from `place` on; or the position and the gate that must
    /// be evaluated first.
    #[inline]
    fn evaluate_gate(
        &self,
        circuit: &Circuit,
        graph: &DifferentialGraph,
        values: &DifferentialState,
        gate: u32,
        place: u32,
    ) -> Result<bool, (u32, u32)> {
        let absorbing = circuit.gate_kind(gate) == GateKind::Or;
        let inputs = circuit.inputs(gate).iter().enumerate();
        for (i, edge) in inputs.skip(place as usize) {
            match self.known_value(graph, values, *edge) {
                Some(holds) if holds == absorbing => return Ok(absorbing),
                Some(_) => {}
                None => return Err((i as u32, (edge >> 1) - circuit.first_gate())),
            }
        }
        Ok(!absorbing)
    }

    /// The value of an edge, if it is known.
    #[inline]
    fn known_value(
        &self,
        graph: &DifferentialGraph,
        values: &DifferentialState,
        edge: Edge,
    ) -> Option<bool> {
        let signal = edge >> 1;
        let negated = edge & 1 == 1;
        if signal == 0 {
            return Some(!negated);
        }
        let node = graph.node_of[signal as usize];
        if node != ABSENT {
            return Some((values.counters[node as usize] >= 0) ^ negated);
        }
        let (stamp, holds) = self.known[(signal - graph.circuit.first_gate()) as usize];
        (stamp == self.stamp).then_some(holds ^ negated)
    }
}
