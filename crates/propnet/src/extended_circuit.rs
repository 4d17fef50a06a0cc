//! A circuit with additional gates.
//!
//! Differential propagation needs some values that no gate of the circuit computes: the condition
//! of a conditional effect, and the value of a fluent while no move is played. They become gates
//! here, each once (hash consing), numbered after those of the circuit.

use rustc_hash::FxHashMap;

use super::circuit::{ALWAYS, Circuit, Edge, GateKind, NEVER};

/// Gates with more inputs than this are not looked up for sharing.
const MAX_INPUTS: usize = 8;

/// A circuit and additional gates over its signals.
pub(super) struct ExtendedCircuit<'c> {
    pub(super) circuit: &'c Circuit,
    first: u32,
    gates: Vec<GateKind>,
    starts: Vec<u32>,
    inputs: Vec<Edge>,
    known: FxHashMap<(bool, Box<[Edge]>), Edge>,
}

impl<'c> ExtendedCircuit<'c> {
    pub(super) fn new(circuit: &'c Circuit) -> Self {
        let mut known = FxHashMap::default();
        let first = circuit.first_gate();
        for block in circuit.state_blocks.iter().filter(|block| !block.cyclic) {
            for gate in block.gates.clone() {
                let inputs = circuit.inputs(gate);
                if inputs.len() <= MAX_INPUTS {
                    let mut inputs: Box<[Edge]> = inputs.into();
                    inputs.sort_unstable();
                    known
                        .entry((circuit.gate_kind(gate) == GateKind::And, inputs))
                        .or_insert((first + gate) << 1);
                }
            }
        }
        Self {
            circuit,
            first: circuit.signal_count() as u32,
            gates: Vec::new(),
            starts: vec![0],
            inputs: Vec::new(),
            known,
        }
    }

    /// How many signals there are, additional gates included.
    pub(super) fn signal_count(&self) -> usize {
        self.first as usize + self.gates.len()
    }

    /// The signals of the additional gates, in order of evaluation.
    pub(super) fn added(&self) -> std::ops::Range<u32> {
        self.first..self.signal_count() as u32
    }

    /// The operation and the inputs of a gate; `None` if the signal is not a gate.
    pub(super) fn gate(&self, signal: u32) -> Option<(GateKind, &[Edge])> {
        if signal >= self.first {
            let i = (signal - self.first) as usize;
            let range = self.starts[i] as usize..self.starts[i + 1] as usize;
            return Some((self.gates[i], &self.inputs[range]));
        }
        let gate = signal.checked_sub(self.circuit.first_gate())?;
        Some((self.circuit.gate_kind(gate), self.circuit.inputs(gate)))
    }

    /// The conjunction or disjunction of edges, simplified and shared with an equal gate.
    pub(super) fn make(&mut self, gate: GateKind, mut inputs: Vec<Edge>) -> Edge {
        let (neutral, absorbing) = match gate {
            GateKind::And => (ALWAYS, NEVER),
            GateKind::Or => (NEVER, ALWAYS),
        };
        inputs.retain(|edge| *edge != neutral);
        inputs.sort_unstable();
        inputs.dedup();
        let opposite = |pair: &[Edge]| pair[0] ^ 1 == pair[1];
        if inputs.contains(&absorbing) || inputs.windows(2).any(opposite) {
            return absorbing;
        }
        match inputs[..] {
            [] => return neutral,
            [edge] => return edge,
            _ => {}
        }
        let edge = (self.signal_count() as Edge) << 1;
        if inputs.len() <= MAX_INPUTS {
            let key = (gate == GateKind::And, inputs.as_slice().into());
            if let Some(edge) = self.known.get(&key) {
                return *edge;
            }
            self.known.insert(key, edge);
        }
        self.gates.push(gate);
        self.inputs.extend(inputs);
        self.starts.push(self.inputs.len() as u32);
        edge
    }
}
