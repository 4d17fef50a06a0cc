//! Writes an and-inverter graph back to a network.
//!
//! Every gate may be written as an AND or, with all signs inverted, as an OR. The choice keeps the
//! number of NOTs small.

use std::sync::Arc;

use super::super::network::{ComponentId, ComponentKind, FALSE, NO_LABEL, Network, TRUE};
use super::and_inverter_graph::{ABSENT, AndInverterGraph, Edge, GateOp};

/// The largest number of sweeps that try to save NOTs.
const MAX_SWEEPS: usize = 4;

pub(super) fn write(gates: &AndInverterGraph) -> Network {
    let uses = gates.uses();
    let live: Vec<u32> = (gates.first_gate()..gates.len() as u32)
        .filter(|signal| uses[*signal as usize] > 0)
        .collect();
    let inverted = choose_signs(gates, &live);
    let mut network = Network::new(Arc::clone(&gates.game), Arc::clone(&gates.goals));
    network.fixed.clone_from(&gates.fixed);
    network.exclusive = Arc::clone(&gates.exclusive);
    network.equal = Arc::clone(&gates.equal);
    let mut emitter = NetworkWriter {
        nodes: vec![ABSENT; gates.len()],
        inverted: &inverted,
        nots: vec![ABSENT; gates.len()],
        next_node: 2,
        negated: Vec::new(),
    };
    emitter.nodes[0] = TRUE;
    emitter.nots[0] = FALSE;
    emitter.number(gates, &live);
    // Add the components in the order in which they were numbered.
    for (fluent, edge) in gates.next.iter().enumerate() {
        if *edge == ABSENT {
            continue;
        }
        let input = emitter.node(*edge);
        let transition = network.add(ComponentKind::Transition, fluent as u32, &[input]);
        if gates.has_base[fluent] {
            network.add(ComponentKind::Base, fluent as u32, &[transition]);
        }
    }
    for action in 0..gates.legal.len() {
        if gates.has_input[action] {
            network.add(ComponentKind::Input, action as u32, &[]);
        }
    }
    for (action, edge) in gates.legal.iter().enumerate() {
        if gates.has_input[action] {
            let input = emitter.node(*edge);
            network.add(ComponentKind::Legal, action as u32, &[input]);
        }
    }
    for (goal, edge) in gates.goal.iter().enumerate() {
        if *edge != ABSENT {
            let input = emitter.node(*edge);
            network.add(ComponentKind::Goal, goal as u32, &[input]);
        }
    }
    let input = emitter.node(gates.terminal);
    network.add(ComponentKind::Terminal, NO_LABEL, &[input]);
    let mut inputs = Vec::new();
    for signal in &live {
        let (kind, flip) = component_form(gates.op(*signal), inverted[*signal as usize]);
        inputs.clear();
        inputs.extend(gates.inputs(*signal).iter().map(|e| emitter.node(e ^ flip)));
        network.add(kind, NO_LABEL, &inputs);
    }
    for node in &emitter.negated {
        network.add(ComponentKind::Not, NO_LABEL, &[*node]);
    }
    network
}

/// The kind of a gate's component, and the sign that its inputs are combined with.
fn component_form(op: GateOp, inverted: bool) -> (ComponentKind, u32) {
    match op {
        GateOp::CyclicOr => (ComponentKind::Or, 0),
        GateOp::And if inverted => (ComponentKind::Or, 1),
        _ => (ComponentKind::And, 0),
    }
}

struct NetworkWriter<'g> {
    /// The component of each signal.
    nodes: Vec<ComponentId>,
    /// The component of each signal's negation.
    nots: Vec<ComponentId>,
    inverted: &'g [bool],
    next_node: ComponentId,
    /// The component that each NOT negates, in order.
    negated: Vec<ComponentId>,
}

impl NetworkWriter<'_> {
    fn take(&mut self) -> ComponentId {
        self.next_node += 1;
        self.next_node - 1
    }

    /// Numbers the components in the order in which they will be added.
    fn number(&mut self, gates: &AndInverterGraph, live: &[u32]) {
        for (fluent, edge) in gates.next.iter().enumerate() {
            if *edge == ABSENT {
                continue;
            }
            self.take();
            if gates.has_base[fluent] {
                self.nodes[(AndInverterGraph::base(fluent) >> 1) as usize] = self.take();
            }
        }
        for action in 0..gates.legal.len() {
            if gates.has_input[action] {
                self.nodes[(gates.action(action) >> 1) as usize] = self.take();
            }
        }
        // Legal moves, goals and the end are not inputs of anything.
        let legal = gates.has_input.iter().filter(|has| **has).count();
        let goals = gates.goal.iter().filter(|edge| **edge != ABSENT).count();
        self.next_node += (legal + goals + 1) as ComponentId;
        for signal in live {
            self.nodes[*signal as usize] = self.take();
        }
    }

    /// The component of an edge; adds a NOT if necessary.
    fn node(&mut self, edge: Edge) -> ComponentId {
        let signal = (edge >> 1) as usize;
        let node = self.nodes[signal];
        if (edge & 1 == 1) == self.inverted[signal] {
            return node;
        }
        if self.nots[signal] == ABSENT {
            self.nots[signal] = self.take();
            self.negated.push(node);
        }
        self.nots[signal]
    }
}

/// Decides which gates are written as ORs.
fn choose_signs(gates: &AndInverterGraph, live: &[u32]) -> Vec<bool> {
    let mut inverted = vec![false; gates.len()];
    // Start with the form in which most inputs of a gate need no negation.
    for signal in live {
        if gates.op(*signal) == GateOp::And {
            let inputs = gates.inputs(*signal);
            let is_negated = |edge: &&Edge| (**edge & 1 == 1) ^ inverted[(**edge >> 1) as usize];
            inverted[*signal as usize] =
                inputs.iter().filter(is_negated).count() * 2 > inputs.len();
        }
    }
    // How often each component is used positively.
    let mut plain = vec![0i32; gates.len()];
    let mut negated = vec![0i32; gates.len()];
    let mut count = |edge: Edge, turn: bool| {
        let signal = (edge >> 1) as usize;
        let is_negated = (edge & 1 == 1) ^ inverted[signal] ^ turn;
        let count = if is_negated { &mut negated } else { &mut plain };
        count[signal] += 1;
    };
    for signal in live {
        for edge in gates.inputs(*signal) {
            count(*edge, inverted[*signal as usize]);
        }
    }
    for edge in gates.roots() {
        count(edge, false);
    }
    for _ in 0..MAX_SWEEPS {
        let mut saved = false;
        for signal in live.iter().rev() {
            let at = *signal as usize;
            if gates.op(*signal) != GateOp::And {
                continue;
            }
            let mut gain = i32::from(negated[at] > 0) - i32::from(plain[at] > 0);
            for edge in gates.inputs(*signal) {
                let input = (edge >> 1) as usize;
                if input == 0 {
                    continue;
                }
                // The wire as written now; inverting the gate inverts it.
                let is_negated = (edge & 1 == 1) ^ inverted[at] ^ inverted[input];
                gain += if is_negated {
                    i32::from(negated[input] == 1)
                } else {
                    -i32::from(negated[input] == 0)
                };
            }
            if gain > 0 {
                saved = true;
                for edge in gates.inputs(*signal) {
                    let input = (edge >> 1) as usize;
                    let change = if (edge & 1 == 1) ^ inverted[at] ^ inverted[input] {
                        1
                    } else {
                        -1
                    };
                    plain[input] += change;
                    negated[input] -= change;
                }
                let (a, b) = (plain[at], negated[at]);
                (plain[at], negated[at]) = (b, a);
                inverted[at] = !inverted[at];
            }
        }
        if !saved {
            break;
        }
    }
    inverted
}
