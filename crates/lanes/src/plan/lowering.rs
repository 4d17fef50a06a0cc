//! Lowering: from the gates of a circuit to a graph of bitwise operations, section by section.

use std::sync::Arc;

use super::super::code::{Code, Loop, SectionRequest, Slot};
use super::super::graph::{EVERY_LANE, LaneGraph, Literal, NO_LANE};
use super::super::move_sampler::{RandomWords, sample_bounded_move, sample_move};
use super::super::staging::StagedGame;
use super::blocking::{BlockedGates, blocked_gates};
use super::cones::{GoalCone, mark};
use super::cycles::{Cycle, Variable};
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
    cycles: &'c [Cycle],
    blocked: BlockedGates,
}

/// The largest number of gates of a cycle for which an iteration has two sweeps. For larger ones
/// twice the code would cost more than it saves.
const MAX_TWO_SWEEPS: usize = 20_000;

impl<'c> Lowering<'c> {
    pub(super) fn new(
        circuit: &'c Circuit,
        cycles: &'c [Cycle],
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
        let blocked = blocked_gates(circuit, &mut graph);
        Self {
            circuit,
            layout,
            graph,
            lits,
            lowered: vec![false; circuit.gate_count()],
            requests: Vec::new(),
            cycles,
            blocked,
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
                let first = block.gates.start as usize;
                if needed[first]
                    && !self.lowered[first]
                    && let Some(cycle) = self.cycles.iter().find(|cycle| cycle.gates == block.gates)
                {
                    self.lower_cycle(cycle);
                }
                continue;
            }
            for gate in block.gates.clone() {
                if !needed[gate as usize]
                    || std::mem::replace(&mut self.lowered[gate as usize], true)
                {
                    continue;
                }
                self.lits[(first + gate) as usize] = self.gate(gate);
            }
        }
    }

    fn gate(&mut self, gate: u32) -> Literal {
        if let Some(blocks) = self.blocked.remove(&gate) {
            let mut value = NO_LANE;
            for (bundle, edges) in blocks {
                let mut terms: Vec<Literal> = edges.iter().map(|edge| self.lit(*edge)).collect();
                terms.push(value);
                value = self.graph.or(&terms);
                self.graph.add_to_bundle(bundle, value >> 1);
            }
            return value;
        }
        let inputs = self.circuit.inputs(gate).iter();
        let inputs: Vec<Literal> = inputs.map(|edge| self.lit(*edge)).collect();
        match self.circuit.gate_kind(gate) {
            GateKind::And => self.graph.and(&inputs),
            GateKind::Or => self.graph.or(&inputs),
        }
    }

    /// Lowers a cycle to a loop: a least fixpoint by chaotic iteration (Cousot and Cousot 1977), in
    /// which every variable is recomputed from the newest values of the others.
    fn lower_cycle(&mut self, cycle: &Cycle) {
        let gates = cycle.gates.start as usize..cycle.gates.end as usize;
        self.lowered[gates].fill(true);
        if cycle.is_unrolled() {
            for variable in &cycle.variables {
                let signal = self.circuit.first_gate() + variable.gate;
                self.lits[signal as usize] = NO_LANE;
            }
            for _ in &cycle.variables {
                self.sweep(cycle, cycle.variables.iter());
            }
            for variable in &cycle.variables {
                self.merged_gates(cycle, variable);
            }
            return;
        }
        let outside: Vec<Literal> = cycle.outside.iter().map(|edge| self.lit(*edge)).collect();
        let first = self.layout.cycles + cycle.first_word;
        let carried: Vec<Slot> = (first..).take(cycle.variables.len()).collect();
        let mut stores = Vec::new();
        let mut kept_inputs = Vec::new();
        if cycle.resumes {
            kept_inputs = (first + carried.len() as u32..)
                .take(outside.len())
                .collect();
            let (grown, shrunk) = self.differences(&outside, &kept_inputs);
            stores.push((self.graph.or(&[grown, shrunk]), self.layout.changed));
            stores.push((shrunk, self.layout.restarted));
            stores.extend(outside.iter().copied().zip(kept_inputs.iter().copied()));
        }
        let first_node = self.graph.len() as u32;
        self.read_variables(cycle, &carried);
        let mut before = self.variables(cycle);
        self.sweep(cycle, cycle.variables.iter());
        if cycle.gates.len() <= MAX_TWO_SWEEPS {
            // If the second sweep changes nothing, the fixpoint is reached.
            before = self.variables(cycle);
            self.sweep(cycle, cycle.variables.iter().rev());
        }
        let after = self.variables(cycle);
        let changes = before.iter().zip(&after);
        let changes: Vec<Literal> = changes
            .map(|(before, after)| self.graph.xor(*before, *after))
            .collect();
        let changed = self.graph.or(&changes);
        let results = after.into_iter().zip(carried.iter().copied());
        let mut results: Vec<(Literal, Slot)> = results.collect();
        results.push((changed, self.layout.changed));
        // What does not depend on variables is computed once, before the loop.
        let roots = results.iter().map(|(lit, _)| lit >> 1);
        let keeps = self.graph.invariants(roots.collect(), first_node);
        self.end_section(stores, keeps);
        self.requests.push(SectionRequest {
            stores: results,
            keeps: Vec::new(),
            repeats: Some(Loop {
                changed: self.layout.changed,
                restarted: cycle.resumes.then_some(self.layout.restarted),
                carried: carried.clone(),
                kept_inputs,
            }),
        });
        // The loop does not run if its inputs have changed in no lane, so that nothing that it
        // computes is used behind it except its variables.
        self.read_variables(cycle, &carried);
        for variable in &cycle.variables {
            self.merged_gates(cycle, variable);
        }
    }

    /// The lanes in which an input is larger than its last value, and those in which one is
    /// smaller.
    fn differences(&mut self, inputs: &[Literal], kept: &[Slot]) -> (Literal, Literal) {
        // Both are computed for a few inputs at a time, which are in registers then.
        let (mut larger, mut smaller) = (Vec::new(), Vec::new());
        for (inputs, kept) in inputs.chunks(8).zip(kept.chunks(8)) {
            let mut grown = Vec::new();
            let mut shrunk = Vec::new();
            for (input, slot) in inputs.iter().zip(kept) {
                let last = self.graph.leaf(*slot);
                grown.push(self.graph.and(&[*input, last ^ 1]));
                shrunk.push(self.graph.and(&[*input ^ 1, last]));
            }
            larger.push(self.graph.or(&grown));
            smaller.push(self.graph.or(&shrunk));
        }
        (self.graph.or(&larger), self.graph.or(&smaller))
    }

    /// Makes the variables of a cycle what is in memory now.
    fn read_variables(&mut self, cycle: &Cycle, slots: &[Slot]) {
        for (variable, slot) in cycle.variables.iter().zip(slots) {
            let signal = self.circuit.first_gate() + variable.gate;
            self.lits[signal as usize] = self.graph.new_leaf(*slot);
        }
    }

    /// The present values of the variables of a cycle.
    fn variables(&self, cycle: &Cycle) -> Vec<Literal> {
        let signals = cycle.variables.iter();
        let signals = signals.map(|variable| self.circuit.first_gate() + variable.gate);
        signals.map(|signal| self.lits[signal as usize]).collect()
    }

    /// Recomputes variables of a cycle, one after another.
    fn sweep<'v>(&mut self, cycle: &Cycle, variables: impl Iterator<Item = &'v Variable>) {
        for variable in variables {
            self.merged_gates(cycle, variable);
            let signal = self.circuit.first_gate() + variable.gate;
            self.lits[signal as usize] = self.cycle_gate(cycle, variable.gate);
        }
    }

    /// Recomputes the gates that are merged into a variable of a cycle.
    fn merged_gates(&mut self, cycle: &Cycle, variable: &Variable) {
        for gate in &variable.merged {
            let signal = self.circuit.first_gate() + gate;
            self.lits[signal as usize] = self.cycle_gate(cycle, *gate);
        }
    }

    /// The value of a gate of a cycle. Literals that all terms of a disjunction have in common are
    /// factored out: what a flood may enter, whatever side it comes from.
    fn cycle_gate(&mut self, cycle: &Cycle, gate: u32) -> Literal {
        let circuit = self.circuit;
        let inputs = circuit.inputs(gate);
        let values: Vec<Literal> = inputs.iter().map(|edge| self.lit(*edge)).collect();
        if circuit.gate_kind(gate) == GateKind::And {
            return self.graph.and(&values);
        }
        let factors = |edge: Edge| {
            let gate = (edge >> 1).checked_sub(circuit.first_gate());
            match gate.filter(|gate| circuit.gate_kind(*gate) == GateKind::And) {
                Some(gate) if edge & 1 == 0 && cycle.is_merged(circuit, edge) => circuit
                    .inputs(gate)
                    .iter()
                    .map(|edge| self.lit(*edge))
                    .collect(),
                _ => vec![self.lit(edge)],
            }
        };
        let terms: Vec<Vec<Literal>> = inputs.iter().map(|edge| factors(*edge)).collect();
        let mut common = terms.first().cloned().unwrap_or_default();
        common.retain(|lit| terms.iter().all(|term| term.contains(lit)));
        if common.is_empty() {
            return self.graph.or(&values);
        }
        let rest: Vec<Literal> = terms
            .into_iter()
            .map(|mut term| {
                term.retain(|lit| !common.contains(lit));
                self.graph.and(&term)
            })
            .collect();
        common.push(self.graph.or(&rest));
        self.graph.and(&common)
    }

    fn end_section(&mut self, stores: Vec<(Literal, Slot)>, keeps: Vec<Literal>) {
        self.requests.push(SectionRequest {
            stores,
            keeps,
            repeats: None,
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
        staged: Option<&StagedGame>,
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
        for (role, moves) in circuit.role_moves.iter().enumerate() {
            let legal: Vec<Literal> = moves
                .clone()
                .map(|action| self.lit(circuit.legal[action]))
                .collect();
            let graph = &mut self.graph;
            let drawn = match staged.and_then(|game| game.draw_of(role)) {
                None => sample_move(graph, &legal, &mut random),
                Some(draw) => {
                    let fail = draw.fail as usize;
                    sample_bounded_move(graph, &legal, fail, draw.bound, &mut random)
                }
            };
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
    pub(super) fn code(&self, circuit: &Circuit, cycles: &[Cycle], layout: &MemoryLayout) -> Code {
        let mut lowering = Lowering::new(circuit, cycles, layout, &[]);
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
