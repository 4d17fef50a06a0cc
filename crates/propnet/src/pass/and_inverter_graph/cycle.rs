//! Gates of cycles: read from a network, and copied with simplification.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::super::super::network::{ComponentId, ComponentKind, FALSE, Network};
use super::{ABSENT, ALWAYS, AndInverterGraph, Edge, GateOp, NEVER, mapped_edge};

impl AndInverterGraph {
    /// Reads the gates of a cycle, which keep their operations.
    pub(super) fn read_cycle(
        &mut self,
        network: &Network,
        members: &[ComponentId],
        edges: &mut [Edge],
    ) {
        let first = self.len() as u32;
        for node in members {
            let op = match network.kind(*node) {
                ComponentKind::And => GateOp::CyclicAnd,
                ComponentKind::Or => GateOp::CyclicOr,
                _ => continue,
            };
            edges[*node as usize] = self.push(op, &[]) << 1;
        }
        for node in members {
            // A proposition is the first gate behind it. A cycle of propositions alone never holds.
            let mut at = *node;
            let mut steps = 0;
            while edges[at as usize] == ABSENT && steps <= members.len() {
                at = network.inputs(at).first().copied().unwrap_or(FALSE);
                steps += 1;
            }
            edges[*node as usize] = match edges[at as usize] {
                ABSENT => NEVER,
                edge => edge,
            };
        }
        let mut signal = first;
        for node in members {
            if matches!(network.kind(*node), ComponentKind::And | ComponentKind::Or) {
                let inputs = network.inputs(*node).iter().map(|n| edges[*n as usize]);
                let start = self.wires.len() as u32;
                self.wires.extend(inputs);
                self.spans[signal as usize] = start..self.wires.len() as u32;
                signal += 1;
            }
        }
        self.cycles.push(first..self.len() as u32);
    }

    /// Copies the live gates of a cycle, without those that have become constant or equal to another.
    /// The inputs of dead gates have no new edges.
    pub(super) fn copy_cycle(
        &mut self,
        old: &Self,
        cycle: &Range<u32>,
        uses: &[u32],
        edges: &mut [Edge],
    ) {
        let first = self.len() as u32;
        let (members, dead): (Vec<u32>, Vec<u32>) =
            cycle.clone().partition(|signal| uses[*signal as usize] > 0);
        for signal in dead {
            edges[signal as usize] = NEVER;
        }
        if members.is_empty() {
            return;
        }
        for signal in &members {
            edges[*signal as usize] = self.push(old.op(*signal), &[]) << 1;
        }
        // What replaces each new gate.
        let mut instead: Vec<Edge> = (first..self.len() as u32).map(|s| s << 1).collect();
        let mut inputs: Vec<Vec<Edge>> = vec![Vec::new(); members.len()];
        let mut changed = true;
        while changed {
            changed = false;
            let mut seen: FxHashMap<(GateOp, Vec<Edge>), u32> = FxHashMap::default();
            for (i, signal) in members.iter().enumerate() {
                let own = (first + i as u32) << 1;
                if instead[i] != own {
                    continue;
                }
                let list = &mut inputs[i];
                list.clear();
                for edge in old.inputs(*signal) {
                    list.push(resolve(mapped_edge(edges, *edge), first, &instead));
                }
                let op = old.op(*signal);
                let by = simplify_cyclic(op, list, own);
                if let Some(by) = by {
                    instead[i] = by;
                    changed = true;
                } else if let Some(same) = seen.insert((op, list.clone()), own) {
                    instead[i] = same;
                    seen.insert((op, list.clone()), same);
                    changed = true;
                }
            }
        }
        for (i, signal) in members.iter().enumerate() {
            edges[*signal as usize] = resolve(instead[i], first, &instead);
            if edges[*signal as usize] == (first + i as u32) << 1 {
                let start = self.wires.len() as u32;
                self.wires.extend_from_slice(&inputs[i]);
                self.spans[first as usize + i] = start..self.wires.len() as u32;
            }
        }
        self.cycles.push(first..self.len() as u32);
    }
}

fn resolve(mut edge: Edge, first: u32, instead: &[Edge]) -> Edge {
    while edge >> 1 >= first {
        let next = instead[((edge >> 1) - first) as usize];
        if next >> 1 == edge >> 1 {
            return edge;
        }
        edge = next ^ (edge & 1);
    }
    edge
}

/// What a gate of a cycle is equal to, if its inputs tell; sorts the inputs.
fn simplify_cyclic(op: GateOp, inputs: &mut Vec<Edge>, own: Edge) -> Option<Edge> {
    let (neutral, absorbing) = match op {
        GateOp::CyclicAnd => (ALWAYS, NEVER),
        _ => (NEVER, ALWAYS),
    };
    inputs.sort_unstable();
    inputs.dedup();
    inputs.retain(|edge| *edge != neutral);
    let opposed = inputs.windows(2).any(|pair| pair[0] ^ 1 == pair[1]);
    if opposed || inputs.contains(&absorbing) {
        return Some(absorbing);
    }
    if inputs.contains(&own) {
        // In a least fixpoint no gate supports itself: an AND that reads itself never holds, and an
        // OR does not need to read itself.
        if op == GateOp::CyclicAnd {
            return Some(NEVER);
        }
        inputs.retain(|edge| *edge != own);
    }
    match inputs[..] {
        [] => Some(neutral),
        [edge] => Some(edge),
        _ => None,
    }
}
