//! The circuit: the lowered form of a network for evaluation, with gates only and negation on the
//! wires.
//!
//! A *signal* is the constant, a fluent, a move or a gate. An [`Edge`] is a signal with an optional
//! negation in one number (a complemented edge), so that NOT costs nothing; propositions and
//! transitions become names of edges. Gates are in topological order, those that depend on the
//! state alone before those that depend on moves.

use std::ops::Range;

use super::evaluation_order::{EvaluationOrder, dependencies};
use super::network::{ComponentId, ComponentKind, Network};

/// A signal and whether it is negated: `signal << 1 | negated`.
pub type Edge = u32;

/// The edge that always holds: the constant signal.
pub const ALWAYS: Edge = 0;
/// The edge that never holds.
pub const NEVER: Edge = 1;

/// The operation of a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GateKind {
    /// All inputs hold.
    And,
    /// Some input holds.
    Or,
}

/// Gates that are evaluated together.
#[derive(Clone, Debug)]
pub struct Block {
    /// The gates, by number.
    pub gates: Range<u32>,
    /// Whether the gates depend on each other, so that their values are a least fixpoint.
    pub cyclic: bool,
}

/// A network lowered for evaluation, in flat arrays: gate `g` has the inputs
/// `inputs[starts[g]..starts[g + 1]]` and is the signal `first_gate() + g`.
#[derive(Clone, Debug)]
pub struct Circuit {
    /// How many fluents there are; fluent `f` is the signal `1 + f`.
    pub fluents: u32,
    /// How many moves there are; move `m` is the signal `1 + fluents + m`.
    pub moves: u32,
    /// The moves of each role, as a range of the moves of all roles.
    pub role_moves: Vec<Range<usize>>,
    gates: Vec<GateKind>,
    starts: Vec<u32>,
    inputs: Vec<Edge>,
    /// The blocks that depend on the state alone, in order of evaluation.
    pub state_blocks: Vec<Block>,
    /// The blocks that depend on moves too, in order of evaluation, after all state blocks.
    pub action_blocks: Vec<Block>,
    /// The next value of each fluent.
    pub next: Vec<Edge>,
    /// Whether each move is legal.
    pub legal: Vec<Edge>,
    /// Whether each goal value is reached.
    pub goals: Vec<Edge>,
    /// Whether the state is terminal.
    pub terminal: Edge,
}

impl Circuit {
    /// Lowers a network.
    pub fn new(network: &Network) -> Self {
        Lowering::new(network).run()
    }

    /// How many gates there are.
    pub fn gate_count(&self) -> usize {
        self.gates.len()
    }

    /// How many inputs all gates have together.
    pub fn wire_count(&self) -> usize {
        self.inputs.len()
    }

    /// How many signals there are, the constant included.
    pub fn signal_count(&self) -> usize {
        self.first_gate() as usize + self.gates.len()
    }

    /// The signal of the first gate.
    pub fn first_gate(&self) -> u32 {
        1 + self.fluents + self.moves
    }

    /// The signal of a fluent.
    pub fn fluent(&self, fluent: usize) -> u32 {
        1 + fluent as u32
    }

    /// The signal of a move.
    pub fn action(&self, action: usize) -> u32 {
        1 + self.fluents + action as u32
    }

    /// The operation of a gate.
    #[inline]
    pub fn gate_kind(&self, gate: u32) -> GateKind {
        self.gates[gate as usize]
    }

    /// The inputs of a gate.
    #[inline]
    pub fn inputs(&self, gate: u32) -> &[Edge] {
        let gate = gate as usize;
        &self.inputs[self.starts[gate] as usize..self.starts[gate + 1] as usize]
    }
}

struct Lowering<'n> {
    network: &'n Network,
    circuit: Circuit,
    /// The edge that every component has been lowered to.
    edges: Vec<Edge>,
}

const UNKNOWN: Edge = Edge::MAX;

impl<'n> Lowering<'n> {
    fn new(network: &'n Network) -> Self {
        let fluents = network.game.fluents.len();
        let moves = network.game.move_count();
        let fixed = |fluent: usize| match network.fixed[fluent] {
            Some(true) => ALWAYS,
            _ => NEVER,
        };
        Self {
            network,
            circuit: Circuit {
                fluents: fluents as u32,
                moves: moves as u32,
                role_moves: (0..network.game.roles.len())
                    .map(|role| network.game.moves_of(role))
                    .collect(),
                gates: Vec::new(),
                starts: vec![0],
                inputs: Vec::new(),
                state_blocks: Vec::new(),
                action_blocks: Vec::new(),
                next: (0..fluents).map(fixed).collect(),
                legal: vec![NEVER; moves],
                goals: vec![NEVER; network.goals.len()],
                terminal: NEVER,
            },
            edges: vec![UNKNOWN; network.len()],
        }
    }

    fn run(mut self) -> Circuit {
        let groups = EvaluationOrder::new(self.network);
        let on_moves = self.depends_on_moves(&groups);
        for node in self.network.components() {
            let label = self.network.label(node) as usize;
            self.edges[node as usize] = match self.network.kind(node) {
                ComponentKind::True => ALWAYS,
                ComponentKind::False => NEVER,
                ComponentKind::Base => self.circuit.fluent(label) << 1,
                ComponentKind::Input => self.circuit.action(label) << 1,
                _ => UNKNOWN,
            };
        }
        for with_moves in [false, true] {
            for (members, cyclic) in groups.iter() {
                if on_moves[members[0] as usize] == with_moves {
                    self.lower(members, cyclic, with_moves);
                }
            }
        }
        for node in self.network.components() {
            let edge = self.edges[node as usize];
            let label = self.network.label(node) as usize;
            match self.network.kind(node) {
                ComponentKind::Transition => self.circuit.next[label] = edge,
                ComponentKind::Legal => self.circuit.legal[label] = edge,
                ComponentKind::Goal => self.circuit.goals[label] = edge,
                ComponentKind::Terminal => self.circuit.terminal = edge,
                _ => {}
            }
        }
        self.circuit
    }

    /// Which components depend on moves.
    fn depends_on_moves(&self, groups: &EvaluationOrder) -> Vec<bool> {
        let mut depends = vec![false; self.network.len()];
        for (members, _) in groups.iter() {
            let any = members.iter().any(|node| {
                self.network.kind(*node) == ComponentKind::Input
                    || dependencies(self.network, *node)
                        .iter()
                        .any(|input| depends[*input as usize])
            });
            for node in members {
                depends[*node as usize] = any;
            }
        }
        depends
    }

    fn lower(&mut self, members: &[ComponentId], cyclic: bool, with_moves: bool) {
        let first = self.circuit.gates.len() as u32;
        let is_gate = |kind| matches!(kind, ComponentKind::And | ComponentKind::Or);
        if cyclic {
            // Gates of a cycle refer to each other, so they are numbered first.
            let mut gate = first;
            for node in members {
                if is_gate(self.network.kind(*node)) {
                    self.edges[*node as usize] = (self.circuit.first_gate() + gate) << 1;
                    gate += 1;
                }
            }
            for node in members {
                if self.edges[*node as usize] == UNKNOWN {
                    self.edges[*node as usize] = self.follow(*node, members.len());
                }
            }
            for node in members {
                if is_gate(self.network.kind(*node)) {
                    self.add_gate(*node);
                }
            }
        } else {
            for node in members {
                if self.edges[*node as usize] != UNKNOWN {
                    continue;
                }
                self.edges[*node as usize] =
                    match (self.network.kind(*node), self.network.inputs(*node)) {
                        (ComponentKind::And | ComponentKind::Or, [_, _, ..]) => {
                            self.add_gate(*node)
                        }
                        (ComponentKind::Not, [input, ..]) => self.edges[*input as usize] ^ 1,
                        (_, [input, ..]) => self.edges[*input as usize],
                        (_, []) => NEVER,
                    };
            }
        }
        let gates = first..self.circuit.gates.len() as u32;
        if gates.is_empty() {
            return;
        }
        let blocks = if with_moves {
            &mut self.circuit.action_blocks
        } else {
            &mut self.circuit.state_blocks
        };
        match blocks.last_mut() {
            // Adjacent acyclic gates form one block.
            Some(last) if !last.cyclic && !cyclic && last.gates.end == gates.start => {
                last.gates.end = gates.end;
            }
            _ => blocks.push(Block { gates, cyclic }),
        }
    }

    /// The edge of a proposition within a cycle: that of the next gate on the way to its input, or
    /// of the first component outside the cycle.
    fn follow(&self, node: ComponentId, limit: usize) -> Edge {
        let mut at = node;
        let mut sign = 0;
        for _ in 0..=limit {
            if self.edges[at as usize] != UNKNOWN {
                return self.edges[at as usize] ^ sign;
            }
            if self.network.kind(at) == ComponentKind::Not {
                sign ^= 1;
            }
            match self.network.inputs(at) {
                [input, ..] => at = *input,
                [] => return NEVER,
            }
        }
        // A cycle of propositions alone: its least fixpoint is false.
        NEVER
    }

    fn add_gate(&mut self, node: ComponentId) -> Edge {
        let edge = self.circuit.signal_count() as Edge;
        self.circuit.gates.push(match self.network.kind(node) {
            ComponentKind::And => GateKind::And,
            _ => GateKind::Or,
        });
        let inputs = self.network.inputs(node);
        let edges = inputs.iter().map(|input| self.edges[*input as usize]);
        self.circuit.inputs.extend(edges);
        self.circuit.starts.push(self.circuit.inputs.len() as u32);
        edge << 1
    }
}
