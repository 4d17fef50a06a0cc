//! Forward propagation: every gate is evaluated once, in topological order.

use std::sync::Arc;

use super::circuit::{Block, Circuit, Edge, GateKind};
use super::network::Network;
use super::propnet_reasoner::Evaluator;
use crate::ground_game::BitState;

/// Evaluates all gates for each state and each joint move.
#[derive(Clone, Debug)]
pub struct Forward {
    circuit: Arc<Circuit>,
    values: Vec<bool>,
    /// The moves whose signals are set.
    played: Vec<usize>,
    actions_known: bool,
}

impl Forward {
    fn run(&mut self, actions: bool) {
        let circuit = Arc::clone(&self.circuit);
        let blocks = if actions {
            &circuit.action_blocks
        } else {
            &circuit.state_blocks
        };
        for block in blocks {
            run_block(&circuit, block, &mut self.values);
        }
    }

    fn value(&self, edge: Edge) -> bool {
        value(&self.values, edge)
    }
}

fn value(values: &[bool], edge: Edge) -> bool {
    values[(edge >> 1) as usize] ^ (edge & 1 == 1)
}

fn run_gate(circuit: &Circuit, gate: u32, values: &[bool]) -> bool {
    let mut inputs = circuit.inputs(gate).iter();
    match circuit.gate_kind(gate) {
        GateKind::And => inputs.all(|edge| value(values, *edge)),
        GateKind::Or => inputs.any(|edge| value(values, *edge)),
    }
}

/// Evaluates the gates of a block. Cycles are iterated from false until nothing changes, which
/// gives their least fixpoint.
pub(super) fn run_block(circuit: &Circuit, block: &Block, values: &mut [bool]) {
    let first = circuit.first_gate();
    if !block.cyclic {
        for gate in block.gates.clone() {
            values[(first + gate) as usize] = run_gate(circuit, gate, values);
        }
        return;
    }
    let range = (first + block.gates.start) as usize..(first + block.gates.end) as usize;
    values[range].fill(false);
    loop {
        let mut changed = false;
        for gate in block.gates.clone() {
            let signal = (first + gate) as usize;
            if !values[signal] && run_gate(circuit, gate, values) {
                values[signal] = true;
                changed = true;
            }
        }
        if !changed {
            return;
        }
    }
}

/// Replaces the signals of the last joint move by those of another.
pub(super) fn mark_moves(
    circuit: &Circuit,
    values: &mut [bool],
    played: &mut Vec<usize>,
    moves: &[usize],
) {
    for action in played.drain(..) {
        values[circuit.action(action) as usize] = false;
    }
    for action in moves {
        values[circuit.action(*action) as usize] = true;
    }
    played.extend_from_slice(moves);
}

impl Evaluator for Forward {
    fn new(_: &Network, circuit: Arc<Circuit>) -> Self {
        let mut values = vec![false; circuit.signal_count()];
        values[0] = true;
        Self {
            circuit,
            values,
            played: Vec::new(),
            actions_known: false,
        }
    }

    fn set_state(&mut self, state: &BitState) {
        for fluent in 0..self.circuit.fluents as usize {
            self.values[self.circuit.fluent(fluent) as usize] = state.get(fluent);
        }
        self.actions_known = false;
        self.run(false);
    }

    fn terminal(&mut self) -> bool {
        self.value(self.circuit.terminal)
    }

    fn legal(&mut self, action: usize) -> bool {
        self.value(self.circuit.legal[action])
    }

    fn goal(&mut self, goal: usize) -> bool {
        self.value(self.circuit.goals[goal])
    }

    fn set_moves(&mut self, moves: &[usize]) {
        if self.actions_known && self.played == moves {
            return;
        }
        mark_moves(&self.circuit, &mut self.values, &mut self.played, moves);
        self.run(true);
        self.actions_known = true;
    }

    fn next(&mut self) -> BitState {
        let mut state = BitState::empty(self.circuit.fluents as usize);
        for (fluent, edge) in self.circuit.next.iter().enumerate() {
            if self.value(*edge) {
                state.set(fluent, true);
            }
        }
        state
    }
}
