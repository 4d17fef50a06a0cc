//! Values that are asked for once in a while, computed from those that are kept up to date.
//!
//! Goals are asked for at the end of a game, so their gates have no nodes unless other answers need
//! them too.

use super::circuit::{Circuit, Edge, GateKind};
use super::differential_graph::{ABSENT, DifferentialGraph};
use super::differential_state::DifferentialState;

/// Gates without nodes that have been computed.
#[derive(Clone, Debug)]
pub(super) struct OnDemandGates {
    /// For every gate, when it was computed and whether it holds.
    known: Vec<(u32, bool)>,
    stamp: u32,
    stack: Vec<(u32, u32)>,
}

impl OnDemandGates {
    /// `None` where goals depend on a cycle that has no nodes, or on moves.
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

    /// Forgets what was computed, for the state has changed.
    pub(super) fn forget(&mut self) {
        if self.stamp == u32::MAX {
            self.known.fill((0, false));
            self.stamp = 0;
        }
        self.stamp += 1;
    }

    /// Whether an edge holds.
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
                    // Come back here once this input is known.
                    self.stack.push((gate, place));
                    self.stack.push((input, 0));
                    continue;
                }
            };
            self.known[gate as usize] = (self.stamp, holds);
        }
        holds ^ (edge & 1 == 1)
    }

    /// Whether a gate holds, looking at its inputs from a place on; or the place and the gate that
    /// must be known first.
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
