//! Who leads where: the fixed part of differential propagation.

use std::sync::Arc;

use super::circuit::{Circuit, Edge};

/// The fixed part: who leads where. Targets are numbered: plain gates, cyclic gates, next fluents, legal moves, terminal.
#[derive(Debug)]
pub(super) struct Wiring {
    pub(super) circuit: Arc<Circuit>,
    /// For every signal, where its targets start.
    pub(super) starts: Vec<u32>,
    /// Targets with the sign of the wire in the lowest bit.
    pub(super) targets: Vec<u32>,
    /// The signal of every gate target.
    pub(super) signal_of: Vec<u32>,
    pub(super) plain: u32,
    pub(super) gates: u32,
    pub(super) fluents: u32,
    pub(super) moves: u32,
    /// The cycles, in order of evaluation, as ranges of gate targets.
    pub(super) cycles: Vec<std::ops::Range<u32>>,
    /// For every cyclic gate (less `plain`): its cycle, and wires within it.
    pub(super) cycle_of: Vec<u32>,
    pub(super) inner_starts: Vec<u32>,
    pub(super) inner: Vec<u32>,
    /// The role of every move.
    pub(super) role_of: Vec<u32>,
}

/// No target: the gate is not kept up to date.
pub(super) const ABSENT: u32 = u32::MAX;

impl Wiring {
    pub(super) fn new(circuit: Arc<Circuit>) -> Self {
        let needed = needed(&circuit);
        let first = circuit.first_gate();
        let mut target_of = vec![ABSENT; circuit.gate_count()];
        let mut signal_of = Vec::new();
        let blocks = || circuit.state_blocks.iter().chain(&circuit.action_blocks);
        for block in blocks().filter(|block| !block.cyclic) {
            for gate in block.gates.clone().filter(|gate| needed[*gate as usize]) {
                target_of[gate as usize] = signal_of.len() as u32;
                signal_of.push(first + gate);
            }
        }
        let plain = signal_of.len() as u32;
        let mut cycles = Vec::new();
        let mut cycle_of = Vec::new();
        for block in blocks().filter(|block| block.cyclic) {
            if !needed[block.gates.start as usize] {
                continue;
            }
            let start = signal_of.len() as u32;
            for gate in block.gates.clone() {
                target_of[gate as usize] = signal_of.len() as u32;
                signal_of.push(first + gate);
                cycle_of.push(cycles.len() as u32);
            }
            cycles.push(start..signal_of.len() as u32);
        }
        let gates = signal_of.len() as u32;
        let mut wires: Vec<(u32, u32)> = Vec::new();
        let mut inner_wires: Vec<(u32, u32)> = Vec::new();
        for (target, signal) in signal_of.iter().enumerate() {
            for edge in circuit.inputs(signal - first) {
                let source = edge >> 1;
                let wire = (target as u32) << 1 | edge & 1;
                let inner = target as u32 >= plain
                    && source >= first
                    && target_of[(source - first) as usize] >= plain
                    && target_of[(source - first) as usize] != ABSENT
                    && cycle_of[(target_of[(source - first) as usize] - plain) as usize]
                        == cycle_of[target - plain as usize];
                if inner {
                    inner_wires.push((target_of[(source - first) as usize] - plain, wire));
                } else {
                    wires.push((source, wire));
                }
            }
        }
        let rim = circuit
            .next
            .iter()
            .chain(&circuit.legal)
            .chain(std::iter::once(&circuit.terminal));
        for (i, edge) in rim.enumerate() {
            wires.push((edge >> 1, (gates + i as u32) << 1 | edge & 1));
        }
        let (starts, targets) = gather(circuit.signal_count(), &wires);
        let (inner_starts, inner) = gather((gates - plain) as usize, &inner_wires);
        let mut role_of = vec![0; circuit.moves as usize];
        for (role, range) in circuit.role_moves.iter().enumerate() {
            role_of[range.clone()].fill(role as u32);
        }
        Self {
            starts,
            targets,
            signal_of,
            plain,
            gates,
            fluents: circuit.fluents,
            moves: circuit.moves,
            cycles,
            cycle_of,
            inner_starts,
            inner,
            role_of,
            circuit,
        }
    }

    /// How many wires are kept up to date.
    pub(super) fn wire_count(&self) -> usize {
        self.targets.len() + self.inner.len()
    }

    pub(super) fn inner(&self, gate: u32) -> &[u32] {
        let gate = gate as usize;
        &self.inner[self.inner_starts[gate] as usize..self.inner_starts[gate + 1] as usize]
    }
}

/// Wires by their source, in rows.
fn gather(sources: usize, wires: &[(u32, u32)]) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0u32; sources + 1];
    for (source, _) in wires {
        starts[*source as usize + 1] += 1;
    }
    for i in 1..starts.len() {
        starts[i] += starts[i - 1];
    }
    let mut next = starts.clone();
    let mut targets = vec![0; wires.len()];
    for (source, target) in wires {
        targets[next[*source as usize] as usize] = *target;
        next[*source as usize] += 1;
    }
    (starts, targets)
}

/// Which gates the next state, legal moves and the end depend on.
fn needed(circuit: &Circuit) -> Vec<bool> {
    let first = circuit.first_gate();
    let mut needed = vec![false; circuit.gate_count()];
    let mut todo: Vec<Edge> = circuit.next.clone();
    todo.extend(&circuit.legal);
    todo.push(circuit.terminal);
    while let Some(edge) = todo.pop() {
        let signal = edge >> 1;
        if signal >= first && !std::mem::replace(&mut needed[(signal - first) as usize], true) {
            todo.extend(circuit.inputs(signal - first));
        }
    }
    needed
}

/// Whether a wire into a cyclic gate comes from its own cycle.
pub(super) fn inner_edge(wiring: &Wiring, target: u32, edge: Edge) -> bool {
    let cycle = &wiring.cycles[wiring.cycle_of[(target - wiring.plain) as usize] as usize];
    let signals = &wiring.signal_of[cycle.start as usize..cycle.end as usize];
    // Gates of a cycle have consecutive signals.
    signals
        .first()
        .is_some_and(|first| (*first..first + signals.len() as u32).contains(&(edge >> 1)))
}
