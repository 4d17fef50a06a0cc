//! The fixed part of differential propagation: which signals lead to which counters and output
//! bits.
//!
//! *Nodes* are the signals that are kept up to date: fluents first, then gates, those of cycles
//! last. Gates that no answer depends on have no node. Where gates that depend on moves form a
//! cycle, moves are nodes too, after the fluents, and the gates behind them are kept up to date
//! like all others. Otherwise these gates are left to the [move effects](super::move_effects).

use std::ops::Range;
use std::sync::Arc;

use super::circuit::{Circuit, Edge, GateKind};
use super::effect_builder::EffectBuilder;
use super::extended_circuit::ExtendedCircuit;
use super::forward::run_block;
use super::move_effects::MoveEffects;
use super::output_bits::OutputLayout;
use super::sparse_rows::{WordMask, group_by_source, group_masks};

/// The fixed part of differential propagation, in flat arrays.
#[derive(Debug)]
pub(super) struct DifferentialGraph {
    pub(super) circuit: Arc<Circuit>,
    /// For every node, where its wires and its output masks start; one more at the end.
    pub(super) nodes: Vec<(u32, u32)>,
    /// The largest number of wires of a node.
    pub(super) widest: usize,
    /// Target nodes of wires into acyclic gates, with the sign of the wire in the lowest bit.
    pub(super) wires: Vec<u32>,
    /// Output bits that flip with a node.
    pub(super) masks: Vec<WordMask>,
    /// The node of the first move, if moves are nodes.
    pub(super) first_move: Option<u32>,
    /// The node of the first gate that is part of a cycle.
    pub(super) first_cyclic: u32,
    /// The cycles, in order of evaluation, as ranges of nodes.
    pub(super) cycles: Vec<Range<u32>>,
    /// For every cyclic gate (less `first_cyclic`): its cycle, and the wires within the cycle.
    pub(super) cycle_of: Vec<u32>,
    inner_starts: Vec<u32>,
    inner: Vec<u32>,
    /// For every node, the wires that lead into a cycle.
    outer_starts: Vec<u32>,
    outer: Vec<u32>,
    pub(super) outputs: OutputLayout,
    /// Frame axioms: the fluents that keep their value if no move is played. They have no mask in
    /// the next state.
    pub(super) frame: Box<[u64]>,
    pub(super) effects: MoveEffects,
    /// The node of every signal of the circuit that has one.
    pub(super) node_of: Vec<u32>,
    /// The role of every move.
    pub(super) role_of: Vec<u32>,
}

/// The values of all nodes and outputs in the state in which no fluent holds.
#[derive(Debug)]
pub(super) struct InitialValues {
    /// For every node, at least 0 exactly if it holds.
    pub(super) counters: Box<[i32]>,
    pub(super) outputs: Box<[u64]>,
    /// Counters of cyclic gates that count only the inputs from outside the cycle.
    pub(super) outer: Box<[i32]>,
}

/// No node: the signal is not kept up to date.
pub(super) const ABSENT: u32 = u32::MAX;

impl DifferentialGraph {
    /// The graph of a circuit, and the values of its nodes in the empty state.
    pub(super) fn new(circuit: &Arc<Circuit>) -> (Self, InitialValues) {
        let mut logic = ExtendedCircuit::new(circuit);
        let roots = circuit.next.iter().chain(&circuit.legal);
        let roots = roots.copied().chain([circuit.terminal]).collect();
        let action_gates = needed(&logic, roots);
        let first = circuit.first_gate() as usize;
        let builder = EffectBuilder::new(&mut logic, &action_gates[first..]);

        let output_sources = OutputSources::new(circuit, builder.as_ref());
        let mut roots: Vec<Edge> = output_sources.masks.iter().map(|(edge, _)| *edge).collect();
        roots.extend(builder.iter().flat_map(|builder| &builder.inputs));
        let needed = needed(&logic, roots);
        let nodes = NodeNumbering::new(&logic, &needed, builder.is_none());
        let node = |edge: Edge| nodes.node_of[(edge >> 1) as usize] << 1 | edge & 1;

        let mut wires = Vec::new();
        let mut inner_wires = Vec::new();
        let mut outer_wires = Vec::new();
        let mut masks = Vec::new();
        for (place, signal) in nodes.signals.iter().enumerate() {
            let Some((_, inputs)) = logic.gate(*signal) else {
                continue;
            };
            for edge in inputs.iter().filter(|edge| **edge >> 1 != 0) {
                let source = node(*edge) >> 1;
                let wire = (place as u32) << 1 | edge & 1;
                if nodes.is_inner(source, place as u32) {
                    inner_wires.push((source - nodes.first_cyclic, wire));
                } else if (place as u32) < nodes.first_cyclic {
                    wires.push((source, wire));
                } else {
                    outer_wires.push((source, wire));
                }
            }
        }
        let count = nodes.signals.len();
        for (edge, bit) in &output_sources.masks {
            if edge >> 1 != 0 {
                masks.push((node(*edge) >> 1, bit / 64, 1 << (bit % 64)));
            }
        }
        let (wire_starts, wires) = group_by_source(count, &wires);
        let (mask_starts, masks) = group_masks(count, masks);
        let wire_counts = wire_starts.windows(2).map(|pair| pair[1] - pair[0]);
        let widest = wire_counts.max().unwrap_or(0) as usize;
        let (outer_starts, outer) = group_by_source(count, &outer_wires);
        let (inner_starts, inner) =
            group_by_source(count - nodes.first_cyclic as usize, &inner_wires);
        let values = start(&logic, &nodes, &output_sources);
        let mut node_of = nodes.node_of;
        let finish = |edge: Edge| node_of[(edge >> 1) as usize] << 1 | edge & 1;
        let effects = builder
            .map(|builder| builder.finish(finish))
            .unwrap_or_default();
        node_of.truncate(circuit.signal_count());
        let mut role_of = vec![0; circuit.moves as usize];
        for (role, range) in circuit.role_moves.iter().enumerate() {
            role_of[range.clone()].fill(role as u32);
        }
        let graph = Self {
            widest,
            nodes: wire_starts.into_iter().zip(mask_starts).collect(),
            wires,
            masks,
            outer_starts,
            outer,
            first_move: nodes.moves.then_some(circuit.fluents),
            first_cyclic: nodes.first_cyclic,
            cycles: nodes.cycles,
            cycle_of: nodes.cycle_of,
            inner_starts,
            inner,
            outputs: output_sources.outputs,
            frame: output_sources.frame,
            effects,
            node_of,
            role_of,
            circuit: Arc::clone(circuit),
        };
        graph.check();
        (graph, values)
    }

    /// Checks the invariants that the unchecked indices in `DifferentialState::propagate` rely on.
    fn check(&self) {
        let count = self.nodes.len() - 1;
        let (wires, masks) = (self.wires.len(), self.masks.len());
        let in_order = self.nodes.windows(2).all(|pair| {
            let fan = pair[1].0.checked_sub(pair[0].0);
            fan.is_some_and(|fan| fan as usize <= self.widest) && pair[0].1 <= pair[1].1
        });
        let (wires_end, taps_end) = self.nodes[count];
        assert!(in_order && wires_end as usize <= wires && taps_end as usize <= masks);
        assert!(self.wires.iter().all(|wire| ((wire >> 1) as usize) < count));
        let words = self.outputs.words();
        assert!(self.masks.iter().all(|mask| (mask.word as usize) < words));
    }

    /// How many wires are kept up to date.
    pub(super) fn wire_count(&self) -> usize {
        self.wires.len()
            + self.outer.len()
            + self.masks.len()
            + self.inner.len()
            + self.effects.wire_count()
    }

    /// The wires from a node into cycles.
    pub(super) fn to_cycles(&self, node: u32) -> &[u32] {
        let node = node as usize;
        &self.outer[self.outer_starts[node] as usize..self.outer_starts[node + 1] as usize]
    }

    /// The wires from a gate to others of its cycle.
    pub(super) fn inner(&self, gate: u32) -> &[u32] {
        let gate = gate as usize;
        &self.inner[self.inner_starts[gate] as usize..self.inner_starts[gate + 1] as usize]
    }
}

/// The edges that are answers, and their positions in the output bits.
struct OutputSources {
    outputs: OutputLayout,
    frame: Box<[u64]>,
    masks: Vec<(Edge, u32)>,
}

impl OutputSources {
    fn new(circuit: &Circuit, builder: Option<&EffectBuilder>) -> Self {
        let mut counts = vec![0; circuit.moves as usize];
        let effects = builder.map_or(&[][..], |builder| &builder.effects);
        for (action, _) in effects {
            counts[*action as usize] += 1;
        }
        let (next, legal, terminal) = match builder {
            Some(builder) => (&builder.next, &builder.legal, builder.terminal),
            None => (&circuit.next, &circuit.legal, circuit.terminal),
        };
        let outputs = OutputLayout::new(circuit, &counts, legal);
        let mut masks = Vec::new();
        let mut place = (u32::MAX, 0);
        for (action, condition) in effects {
            place = if place.0 == *action {
                (*action, place.1 + 1)
            } else {
                (*action, 0)
            };
            masks.push((*condition, outputs.effect_bit(*action, place.1)));
        }
        let mut frame = vec![0; outputs.next].into_boxed_slice();
        for (fluent, edge) in next.iter().enumerate() {
            if *edge == circuit.fluent(fluent) << 1 {
                frame[fluent / 64] |= 1 << (fluent % 64);
            } else {
                masks.push((*edge, fluent as u32));
            }
        }
        for (role, moves) in circuit.role_moves.iter().enumerate() {
            for action in moves.clone() {
                masks.push((legal[action], outputs.legal_bit(role, action as u32)));
            }
        }
        masks.push((terminal, outputs.terminal_bit()));
        Self {
            outputs,
            frame,
            masks,
        }
    }
}

/// The numbering of nodes.
struct NodeNumbering {
    signals: Vec<u32>,
    node_of: Vec<u32>,
    first_cyclic: u32,
    moves: bool,
    cycles: Vec<Range<u32>>,
    cycle_of: Vec<u32>,
}

impl NodeNumbering {
    fn new(logic: &ExtendedCircuit<'_>, needed: &[bool], moves: bool) -> Self {
        let circuit = logic.circuit;
        let first = circuit.first_gate();
        let inputs = if moves { first } else { circuit.action(0) };
        let mut signals: Vec<u32> = (1..inputs).collect();
        let blocks = || circuit.state_blocks.iter().chain(&circuit.action_blocks);
        let acyclic = blocks()
            .filter(|block| !block.cyclic)
            .flat_map(|block| block.gates.clone())
            .map(|gate| first + gate)
            .chain(logic.added());
        signals.extend(acyclic.filter(|signal| needed[*signal as usize]));
        let first_cyclic = signals.len() as u32;
        let mut cycles = Vec::new();
        let mut cycle_of = Vec::new();
        for block in blocks().filter(|block| block.cyclic) {
            if block
                .gates
                .clone()
                .any(|gate| needed[(first + gate) as usize])
            {
                let start = signals.len() as u32;
                signals.extend(block.gates.clone().map(|gate| first + gate));
                cycle_of.resize(signals.len() - first_cyclic as usize, cycles.len() as u32);
                cycles.push(start..signals.len() as u32);
            }
        }
        let mut node_of = vec![ABSENT; logic.signal_count()];
        for (node, signal) in signals.iter().enumerate() {
            node_of[*signal as usize] = node as u32;
        }
        Self {
            signals,
            node_of,
            first_cyclic,
            moves,
            cycles,
            cycle_of,
        }
    }

    /// Whether both nodes are gates of the same cycle.
    fn is_inner(&self, source: u32, target: u32) -> bool {
        let cycle = |node: u32| {
            node.checked_sub(self.first_cyclic)
                .map(|i| self.cycle_of[i as usize])
        };
        cycle(target).is_some() && cycle(source) == cycle(target)
    }
}

/// The values in the empty state, without moves.
#[allow(clippy::cast_possible_wrap)] // fewer inputs than 2^31
fn start(
    logic: &ExtendedCircuit<'_>,
    nodes: &NodeNumbering,
    output_sources: &OutputSources,
) -> InitialValues {
    let circuit = logic.circuit;
    let mut values = vec![false; logic.signal_count()];
    values[0] = true;
    for block in circuit.state_blocks.iter().chain(&circuit.action_blocks) {
        run_block(circuit, block, &mut values);
    }
    for signal in logic.added() {
        let holds = |edge: &Edge| values[(edge >> 1) as usize] ^ (edge & 1 == 1);
        values[signal as usize] = match logic.gate(signal) {
            Some((GateKind::And, inputs)) => inputs.iter().all(holds),
            Some((GateKind::Or, inputs)) => inputs.iter().any(holds),
            None => false,
        };
    }
    let holds = |edge: Edge| values[(edge >> 1) as usize] ^ (edge & 1 == 1);
    let counter = |(node, signal): (usize, &u32)| {
        let Some((gate, inputs)) = logic.gate(*signal) else {
            return -1;
        };
        let needed = match gate {
            GateKind::And => inputs.len() as i32,
            GateKind::Or => 1,
        };
        let outer = inputs.iter().filter(|edge| {
            let source = nodes.node_of[(**edge >> 1) as usize];
            **edge >> 1 == 0 || !nodes.is_inner(source, node as u32)
        });
        outer.filter(|edge| holds(**edge)).count() as i32 - needed
    };
    let mut counters: Vec<i32> = nodes.signals.iter().enumerate().map(counter).collect();
    let outer: Box<[i32]> = counters[nodes.first_cyclic as usize..].into();
    for (node, signal) in nodes
        .signals
        .iter()
        .enumerate()
        .skip(nodes.first_cyclic as usize)
    {
        counters[node] = i32::from(values[*signal as usize]) - 1;
    }
    let mut outputs = vec![0; output_sources.outputs.words()].into_boxed_slice();
    for (edge, bit) in &output_sources.masks {
        outputs[*bit as usize / 64] |= u64::from(holds(*edge)) << (bit % 64);
    }
    InitialValues {
        counters: counters.into(),
        outputs,
        outer,
    }
}

/// Marks the signals that edges depend on.
fn needed(logic: &ExtendedCircuit<'_>, mut todo: Vec<Edge>) -> Vec<bool> {
    let mut needed = vec![false; logic.signal_count()];
    while let Some(edge) = todo.pop() {
        let signal = edge >> 1;
        if !std::mem::replace(&mut needed[signal as usize], true)
            && let Some((_, inputs)) = logic.gate(signal)
        {
            todo.extend(inputs);
        }
    }
    needed
}
