//! How many suffixes a candidate can have: the number of slots of the second draw.
//!
//! Every candidate is completed with the same number of slots, so that all moves have the same
//! probability. The number must be at least that of the legal suffixes of any candidate in any
//! state. It is found by evaluating the circuit with the candidate given and the state unknown:
//! each signal has two bits, whether it can be true and whether it can be false.

use ludorum_propnet::circuit::{Circuit, Edge, GateKind};

/// A fluent's value while the bound is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Assumed {
    /// Nothing is known.
    Unknown,
    /// It does not hold.
    False,
    /// It holds.
    True,
}

/// 64 candidates at once.
struct DualRail<'c> {
    circuit: &'c Circuit,
    /// By signal: the candidates with which it can be true, and those with which it can be false.
    values: Vec<(u64, u64)>,
}

impl DualRail<'_> {
    fn of(&self, edge: Edge) -> (u64, u64) {
        let (can_hold, can_fail) = self.values[(edge >> 1) as usize];
        if edge & 1 == 0 {
            (can_hold, can_fail)
        } else {
            (can_fail, can_hold)
        }
    }

    /// Evaluates the gates that depend on the state alone. Cycles are not known.
    fn run(&mut self) {
        let first = self.circuit.first_gate();
        for block in &self.circuit.state_blocks {
            for gate in block.gates.clone() {
                let value = if block.cyclic {
                    (u64::MAX, u64::MAX)
                } else {
                    let inputs = self.circuit.inputs(gate).iter().map(|edge| self.of(*edge));
                    match self.circuit.gate_kind(gate) {
                        GateKind::And => {
                            inputs.fold((u64::MAX, 0), |(all, any), (h, f)| (all & h, any | f))
                        }
                        GateKind::Or => {
                            inputs.fold((0, u64::MAX), |(any, all), (h, f)| (any | h, all & f))
                        }
                    }
                };
                self.values[(first + gate) as usize] = value;
            }
        }
    }
}

/// The largest number of the given moves that can be legal together with any of the candidates.
/// `assumed` are the values of the fluents without a candidate; a candidate is the list of the
/// fluents that remember it.
pub(super) fn largest_count(
    circuit: &Circuit,
    assumed: &[Assumed],
    candidates: &[&[u32]],
    moves: &[usize],
) -> u32 {
    let mut largest = 0;
    for chunk in candidates.chunks(64) {
        let mut values = vec![(u64::MAX, u64::MAX); circuit.signal_count()];
        values[0] = (u64::MAX, 0);
        for (fluent, value) in assumed.iter().enumerate() {
            values[circuit.fluent(fluent) as usize] = match value {
                Assumed::Unknown => (u64::MAX, u64::MAX),
                Assumed::False => (0, u64::MAX),
                Assumed::True => (u64::MAX, 0),
            };
        }
        for (lane, candidate) in chunk.iter().enumerate() {
            for fluent in *candidate {
                let (can_hold, can_fail) = &mut values[circuit.fluent(*fluent as usize) as usize];
                *can_hold |= 1 << lane;
                *can_fail &= !(1 << lane);
            }
        }
        let mut rail = DualRail { circuit, values };
        rail.run();
        let mut counts = [0u32; 64];
        for action in moves {
            let (mut can_hold, _) = rail.of(circuit.legal[*action]);
            while can_hold != 0 {
                let lane = can_hold.trailing_zeros() as usize;
                can_hold &= can_hold - 1;
                counts[lane] += 1;
            }
        }
        largest = counts[..chunk.len()]
            .iter()
            .fold(largest, |most, n| most.max(*n));
    }
    largest
}
