//! Lowering: from the gates of a circuit to a graph of bitwise operations, section by section.

use std::sync::Arc;

use super::super::code::{Code, SectionRequest, Slot};
use super::super::graph::{EVERY_LANE, LaneGraph, Literal, NO_LANE};
use super::super::move_sampler::{RandomWords, sample_move};
use super::cones::{GoalCone, mark};
use super::{CodePart, MemoryLayout, PlanOptions, TurnCode};
use ludorum_propnet::circuit::{ALWAYS, Block, Circuit, Edge, GateKind, NEVER};

/// Lowers a circuit.
pub(super) struct Lowering<'c> {
    circuit: &'c Circuit,
    layout: &'c MemoryLayout,
    graph: LaneGraph,
    /// The literal of every signal that has been lowered.
    lits: Vec<Literal>,
    lowered: Vec<bool>,
    requests: Vec<SectionRequest>,
    /// The number of slots that cycles have taken.
    cycles: u32,
}

impl<'c> Lowering<'c> {
    pub(super) fn new(
        circuit: &'c Circuit,
        layout: &'c MemoryLayout,
        values: &[(u32, bool)],
    ) -> Self {
        let mut graph = LaneGraph::new();
        let mut lits = vec![NO_LANE; circuit.signal_count()];
        lits[0] = EVERY_LANE;
        for fluent in 0..circuit.fluents {
            lits[circuit.fluent(fluent as usize) as usize] = graph.leaf(fluent);
        }
        for (fluent, value) in values {
            lits[circuit.fluent(*fluent as usize) as usize] = NO_LANE ^ u32::from(*value);
        }
        Self {
            circuit,
            layout,
            graph,
            lits,
            lowered: vec![false; circuit.gate_count()],
            requests: Vec::new(),
            cycles: 0,
        }
    }

    fn lit(&self, edge: Edge) -> Literal {
        self.lits[(edge >> 1) as usize] ^ edge & 1
    }

    /// Lowers the cone of edges within the given blocks. A cycle ends the current section and
    /// becomes one of its own.
    fn lower(&mut self, blocks: &[Block], edges: &[Edge]) {
        let mut needed = vec![false; self.circuit.gate_count()];
        mark(self.circuit, edges.to_vec(), &mut needed, |_| {});
        let first = self.circuit.first_gate();
        for block in blocks {
            if block.cyclic {
                if needed[block.gates.start as usize] && !self.lowered[block.gates.start as usize] {
                    self.lower_cycle(block);
                }
                continue;
            }
            for gate in block.gates.clone() {
                if !needed[gate as usize]
                    || std::mem::replace(&mut self.lowered[gate as usize], true)
                {
                    continue;
                }
                let inputs: Vec<Literal> = self
                    .circuit
                    .inputs(gate)
                    .iter()
                    .map(|edge| self.lit(*edge))
                    .collect();
                self.lits[(first + gate) as usize] = self.gate(gate, &inputs);
            }
        }
    }

    fn gate(&mut self, gate: u32, inputs: &[Literal]) -> Literal {
        match self.circuit.gate_kind(gate) {
            GateKind::And => self.graph.and(inputs),
            GateKind::Or => self.graph.or(inputs),
        }
    }

    /// Lowers a cycle to a loop: a least fixpoint by chaotic iteration. All gates start from false
    /// and are recomputed in turn, from the newest values of the others, until none changes.
    fn lower_cycle(&mut self, block: &Block) {
        let first = self.circuit.first_gate();
        let inside = |edge: Edge| {
            let signal = edge >> 1;
            signal >= first && block.gates.contains(&(signal - first))
        };
        // Inputs from outside the cycle are computed once, before the loop.
        let mut keeps = Vec::new();
        for gate in block.gates.clone() {
            for edge in self.circuit.inputs(gate) {
                if !inside(*edge) {
                    keeps.push(self.lit(*edge));
                }
            }
        }
        keeps.sort_unstable();
        keeps.dedup();
        self.end_section(Vec::new(), keeps);
        let slots = self.layout.cycles + self.cycles;
        self.cycles += block.gates.len() as u32;
        for (i, gate) in block.gates.clone().enumerate() {
            self.lits[(first + gate) as usize] = self.graph.leaf(slots + i as u32);
        }
        let mut stores = Vec::new();
        let mut changes = Vec::new();
        for (i, gate) in block.gates.clone().enumerate() {
            let inputs: Vec<Literal> = self
                .circuit
                .inputs(gate)
                .iter()
                .map(|edge| self.lit(*edge))
                .collect();
            let new = self.gate(gate, &inputs);
            let old = std::mem::replace(&mut self.lits[(first + gate) as usize], new);
            stores.push((new, slots + i as u32));
            changes.push(self.graph.xor(new, old));
            self.lowered[gate as usize] = true;
        }
        let changed = self.graph.or(&changes);
        stores.push((changed, self.layout.changed));
        self.requests.push(SectionRequest {
            stores,
            keeps: Vec::new(),
            repeats: true,
        });
        for (i, gate) in block.gates.clone().enumerate() {
            self.lits[(first + gate) as usize] = self.graph.leaf(slots + i as u32);
        }
    }

    fn end_section(&mut self, stores: Vec<(Literal, Slot)>, keeps: Vec<Literal>) {
        self.requests.push(SectionRequest {
            stores,
            keeps,
            repeats: false,
        });
    }

    fn goal_stores(&self) -> Vec<(Literal, Slot)> {
        let goals = self.circuit.goals.iter().enumerate();
        goals
            .map(|(i, edge)| (self.lit(*edge), self.layout.goals + i as u32))
            .collect()
    }

    pub(super) fn turn(
        mut self,
        fluents: &[u32],
        early_goals: bool,
        options: PlanOptions,
        control: &[u32],
    ) -> TurnCode {
        let circuit = self.circuit;
        self.lower(&circuit.state_blocks, &[circuit.terminal]);
        if early_goals {
            self.lower(&circuit.state_blocks, &circuit.goals);
        }
        if options.exact_stuck {
            self.lower(&circuit.state_blocks, &circuit.legal);
        }
        let mut stores = vec![(self.lit(circuit.terminal), self.layout.terminal)];
        if early_goals {
            stores.extend(self.goal_stores());
        }
        if options.exact_stuck {
            let stuck: Vec<Literal> = circuit
                .role_moves
                .iter()
                .map(|moves| {
                    let legal: Vec<Literal> = moves
                        .clone()
                        .map(|action| self.lit(circuit.legal[action]))
                        .collect();
                    self.graph.or(&legal) ^ 1
                })
                .collect();
            stores.push((self.graph.or(&stuck), self.layout.stuck));
        }
        self.end_section(stores, Vec::new());
        let early = 0..self.requests.len();

        let next: Vec<Edge> = fluents
            .iter()
            .map(|fluent| circuit.next[*fluent as usize])
            .collect();
        let mut state_edges = circuit.legal.clone();
        state_edges.extend_from_slice(&next);
        self.lower(&circuit.state_blocks, &state_edges);
        let seen = if options.moves_visible {
            circuit.moves
        } else {
            0
        };
        let possible = (0..seen)
            .filter(|action| self.lit(circuit.legal[*action as usize]) != NO_LANE)
            .collect();
        let mut random = RandomWords::new(self.layout.random);
        let mut stuck = Vec::new();
        for moves in &circuit.role_moves {
            let legal: Vec<Literal> = moves
                .clone()
                .map(|action| self.lit(circuit.legal[action]))
                .collect();
            let drawn = sample_move(&mut self.graph, &legal, &mut random);
            for (action, played) in moves.clone().zip(drawn.played) {
                self.lits[circuit.action(action) as usize] = played;
            }
            stuck.push(drawn.stuck);
        }
        let mut stores = Vec::new();
        if !options.exact_stuck {
            stores.push((self.graph.or(&stuck), self.layout.stuck));
        }
        let mut draw = early.end..early.end;
        if options.moves_visible {
            for (action, edge) in circuit.legal.iter().enumerate() {
                let played = &mut self.lits[circuit.action(action) as usize];
                let slot = self.layout.played + action as u32;
                stores.push((*played, slot));
                *played = self.graph.leaf(slot);
                stores.push((self.lit(*edge), self.layout.legal + action as u32));
            }
            self.end_section(std::mem::take(&mut stores), Vec::new());
            draw.end = self.requests.len();
        }
        self.lower(&circuit.action_blocks, &next);
        for (fluent, edge) in fluents.iter().zip(&next) {
            stores.push((self.lit(*edge), *fluent));
        }
        let main = draw.end..self.requests.len() + 1;
        self.end_section(stores, Vec::new());
        let code = Code::new(&self.graph, &self.requests, self.layout.free);
        // The turn that follows, if it is certain.
        let values: Vec<Edge> = control
            .iter()
            .map(|fluent| circuit.next[*fluent as usize])
            .collect();
        let certain = values.iter().all(|edge| matches!(*edge, ALWAYS | NEVER))
            && values.iter().filter(|edge| **edge == ALWAYS).count() == 1;
        let next = match values.iter().position(|edge| *edge == ALWAYS) {
            Some(next) if certain => next,
            None if control.is_empty() => 0,
            _ => usize::MAX,
        };
        TurnCode {
            code: Arc::new(code),
            early: CodePart { sections: early },
            draw: CodePart { sections: draw },
            main: CodePart { sections: main },
            random: random.used(),
            possible,
            next,
        }
    }

    pub(super) fn questions(mut self) -> (Code, CodePart, CodePart) {
        let circuit = self.circuit;
        let mut edges = circuit.legal.clone();
        edges.extend_from_slice(&circuit.goals);
        edges.push(circuit.terminal);
        self.lower(&circuit.state_blocks, &edges);
        let mut stores = vec![(self.lit(circuit.terminal), self.layout.terminal)];
        stores.extend(self.goal_stores());
        for (action, edge) in circuit.legal.iter().enumerate() {
            stores.push((self.lit(*edge), self.layout.legal + action as u32));
        }
        self.end_section(stores, Vec::new());
        let state = 0..self.requests.len();
        self.lower(&circuit.state_blocks, &circuit.next);
        for action in 0..circuit.moves {
            self.lits[circuit.action(action as usize) as usize] =
                self.graph.leaf(self.layout.played + action);
        }
        self.lower(&circuit.action_blocks, &circuit.next);
        let stores = circuit
            .next
            .iter()
            .enumerate()
            .map(|(fluent, edge)| (self.lit(*edge), fluent as u32))
            .collect();
        self.end_section(stores, Vec::new());
        let next = state.end..self.requests.len();
        let code = Code::new(&self.graph, &self.requests, self.layout.free);
        (
            code,
            CodePart { sections: state },
            CodePart { sections: next },
        )
    }
}

impl GoalCone {
    /// The code that computes goals from the saved last states of lanes.
    pub(super) fn code(&self, circuit: &Circuit, layout: &MemoryLayout) -> Code {
        let mut lowering = Lowering::new(circuit, layout, &[]);
        for (i, fluent) in self.fluents.iter().enumerate() {
            let signal = circuit.fluent(*fluent as usize) as usize;
            lowering.lits[signal] = lowering.graph.leaf(layout.finals + i as u32);
        }
        lowering.lower(&circuit.state_blocks, &circuit.goals);
        let stores = lowering.goal_stores();
        lowering.end_section(stores, Vec::new());
        Code::new(&lowering.graph, &lowering.requests, layout.free)
    }
}
