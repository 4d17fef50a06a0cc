//! The network as it is evaluated: gates only, with negation on the wires.
//!
//! A *signal* is the constant, a fluent, a move or a gate; an [`Edge`] is a signal and a sign in
//! one number, so NOT costs nothing, and propositions and transitions have become names for edges.
//! Gates come in an order of evaluation, those that depend on the state alone before those that
//! depend on the moves.

use std::ops::Range;

use super::evaluation_order::{EvaluationOrder, dependencies};
use super::network::{ComponentId, ComponentKind, Network};

/// A signal and whether it is negated: `signal << 1 | negated`.
pub type Edge = u32;

/// Always holds: the constant signal.
pub const ALWAYS: Edge = 0;
/// Never holds.
pub const NEVER: Edge = 1;

/// A gate.
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
    /// The gates.
    pub gates: Range<u32>,
    /// Whether they depend on each other, so that their values are a least fixpoint.
    pub cyclic: bool,
}

/// A network ready for evaluation.
#[derive(Clone, Debug)]
pub struct Circuit {
    /// How many fluents there are; fluent `f` is the signal `1 + f`.
    pub fluents: u32,
    /// How many moves there are; move `m` is the signal `1 + fluents + m`.
    pub moves: u32,
    /// The moves of each role.
    pub role_moves: Vec<Range<usize>>,
    gates: Vec<GateKind>,
    starts: Vec<u32>,
    inputs: Vec<Edge>,
    /// The blocks that depend on the state alone, in order.
    pub state_blocks: Vec<Block>,
    /// The blocks that depend on moves too, in order; they come after all others.
    pub action_blocks: Vec<Block>,
    /// Whether each fluent holds in the next state.
    pub next: Vec<Edge>,
    /// Whether each move is legal.
    pub legal: Vec<Edge>,
    /// Whether each goal value is reached.
    pub goals: Vec<Edge>,
    /// Whether the game is over.
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

    /// How many inputs all gates have.
    pub fn wire_count(&self) -> usize {
        self.inputs.len()
    }

    /// How many signals there are.
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

    /// What a gate is.
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
    /// The edge of every component that has been lowered.
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

    /// Which components a move has an influence on.
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
            // Gates of a cycle refer to each other: their numbers come first.
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
            // Gates without cycles that follow each other are one block.
            Some(last) if !last.cyclic && !cyclic && last.gates.end == gates.start => {
                last.gates.end = gates.end;
            }
            _ => blocks.push(Block { gates, cyclic }),
        }
    }

    /// The edge that a proposition within a cycle stands for: that of the first gate behind it, or
    /// of what is outside.
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
        // Nothing but propositions in a ring: a least fixpoint without support.
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
