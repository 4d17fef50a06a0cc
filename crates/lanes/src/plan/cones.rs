//! Cones of influence: the fluents and gates that parts of a circuit depend on.

use ludorum_propnet::circuit::{Circuit, Edge};

/// Whether the next values of a group of fluents do not depend on moves.
pub(super) fn is_independent_of_moves(circuit: &Circuit, group: &[u32]) -> bool {
    let first_gate = circuit.first_gate();
    let mut seen = vec![false; circuit.gate_count()];
    let mut open: Vec<Edge> = group
        .iter()
        .map(|fluent| circuit.next[*fluent as usize])
        .collect();
    while let Some(edge) = open.pop() {
        let signal = edge >> 1;
        if signal >= first_gate {
            let gate = signal - first_gate;
            if !std::mem::replace(&mut seen[gate as usize], true) {
                open.extend_from_slice(circuit.inputs(gate));
            }
        } else if signal > circuit.fluents {
            return false;
        }
    }
    true
}

/// Marks the gates in the cone of edges, and visits every fluent among its sources.
pub(super) fn mark(
    circuit: &Circuit,
    edges: Vec<Edge>,
    gates: &mut [bool],
    mut fluent: impl FnMut(u32),
) {
    let first_gate = circuit.first_gate();
    let mut open = edges;
    while let Some(edge) = open.pop() {
        let signal = edge >> 1;
        if signal >= first_gate {
            let gate = signal - first_gate;
            if !std::mem::replace(&mut gates[gate as usize], true) {
                open.extend_from_slice(circuit.inputs(gate));
            }
        } else if (1..=circuit.fluents).contains(&signal) {
            fluent(signal - 1);
        }
    }
}

/// The fluents that the course of the game or its results depend on, transitively; `known` are
/// needed in any case.
pub(super) fn needed_fluents(circuits: &[&Circuit], known: &[u32]) -> Vec<u32> {
    let mut needed = vec![false; circuits[0].fluents as usize];
    let mut gates: Vec<Vec<bool>> = circuits
        .iter()
        .map(|circuit| vec![false; circuit.gate_count()])
        .collect();
    let mut fresh = known.to_vec();
    for fluent in known {
        needed[*fluent as usize] = true;
    }
    for (circuit, gates) in circuits.iter().zip(&mut gates) {
        let mut roots = circuit.legal.clone();
        roots.extend_from_slice(&circuit.goals);
        roots.push(circuit.terminal);
        mark(circuit, roots, gates, |fluent| {
            if !std::mem::replace(&mut needed[fluent as usize], true) {
                fresh.push(fluent);
            }
        });
    }
    while let Some(fluent) = fresh.pop() {
        for (circuit, gates) in circuits.iter().zip(&mut gates) {
            mark(
                circuit,
                vec![circuit.next[fluent as usize]],
                gates,
                |fluent| {
                    if !std::mem::replace(&mut needed[fluent as usize], true) {
                        fresh.push(fluent);
                    }
                },
            );
        }
    }
    (0..circuits[0].fluents)
        .filter(|fluent| needed[*fluent as usize])
        .collect()
}

/// The cone of the goals.
pub(super) struct GoalCone {
    pub(super) fluents: Vec<u32>,
    /// The number of inputs of gates that are in the cone of the goals but not in that of the end.
    pub(super) extra_reads: usize,
}

impl GoalCone {
    pub(super) fn new(circuit: &Circuit) -> Self {
        let mut ending = vec![false; circuit.gate_count()];
        mark(circuit, vec![circuit.terminal], &mut ending, |_| {});
        let mut gates = vec![false; circuit.gate_count()];
        let mut fluents = Vec::new();
        mark(circuit, circuit.goals.clone(), &mut gates, |fluent| {
            fluents.push(fluent);
        });
        fluents.sort_unstable();
        fluents.dedup();
        let extra_reads = (0..circuit.gate_count() as u32)
            .filter(|gate| gates[*gate as usize] && !ending[*gate as usize])
            .map(|gate| circuit.inputs(gate).len())
            .sum();
        Self {
            fluents,
            extra_reads,
        }
    }
}
