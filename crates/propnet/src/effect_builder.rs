//! Takes the part of a circuit behind the moves apart into [effects](super::effects).

use super::add_delete_lists::AddDeleteAnalysis;
use super::circuit::{ALWAYS, Circuit, Edge, GateKind, NEVER};
use super::extended_circuit::ExtendedCircuit;
use super::move_effects::MoveEffects;
use super::sparse_rows::{group_by_source, group_masks};

/// A conditional effect: a move, and the condition on the state.
pub(super) type ConditionalEffect = (u32, Edge);

/// Effects whose inputs are still signals, and what the state part must provide for them.
pub(super) struct EffectBuilder {
    /// In the order of their moves.
    pub(super) effects: Vec<ConditionalEffect>,
    /// The next value of every fluent at rest, and likewise whether moves are legal and the game is
    /// over.
    pub(super) next: Vec<Edge>,
    pub(super) legal: Vec<Edge>,
    pub(super) terminal: Edge,
    /// Inputs of gates whose rest value is not constant.
    pub(super) inputs: Vec<Edge>,
    fixed: MoveEffects,
}

/// What a gate behind the moves becomes.
#[derive(Clone, Copy, Debug)]
pub(super) enum GateForm {
    /// Nothing: it never holds.
    Never,
    /// A conditional effect, by its number.
    Effect(u32),
    /// A gate, by its number.
    Gate(u32),
}

/// The part of a circuit behind the moves.
pub(super) struct MoveDependentGates<'c> {
    pub(super) circuit: &'c Circuit,
    /// The first signal of a gate behind the moves.
    first: u32,
    /// The rest value of every gate.
    rests: Vec<Edge>,
}

impl<'c> MoveDependentGates<'c> {
    fn new(circuit: &'c Circuit) -> Self {
        let first = circuit.action_blocks.first();
        Self {
            circuit,
            first: first.map_or(u32::MAX, |block| circuit.first_gate() + block.gates.start),
            rests: vec![NEVER; circuit.gate_count()],
        }
    }

    /// The move that an edge belongs to.
    pub(super) fn action(&self, edge: Edge) -> Option<u32> {
        let first = self.circuit.action(0);
        let signal = edge >> 1;
        (first..first + self.circuit.moves)
            .contains(&signal)
            .then(|| signal - first)
    }

    /// The gate behind the moves that an edge belongs to.
    pub(super) fn gate(&self, edge: Edge) -> Option<u32> {
        (edge >> 1 >= self.first).then(|| (edge >> 1) - self.circuit.first_gate())
    }

    /// Whether moves have an influence on an edge.
    pub(super) fn is_action(&self, edge: Edge) -> bool {
        edge >> 1 >= self.first || self.action(edge).is_some()
    }

    /// The inputs of an edge that is a conjunction or a disjunction, negations considered, and the
    /// sign to be added to them.
    pub(super) fn terms(&self, edge: Edge, kind: GateKind) -> Option<(&'c [Edge], u32)> {
        let gate = self.gate(edge)?;
        let same = self.circuit.gate_kind(gate) == kind;
        (same == (edge & 1 == 0)).then(|| (self.circuit.inputs(gate), edge & 1))
    }

    /// The value of an edge at rest.
    fn rest(&self, edge: Edge) -> Edge {
        if let Some(gate) = self.gate(edge) {
            self.rests[gate as usize] ^ edge & 1
        } else if self.action(edge).is_some() {
            NEVER ^ edge & 1
        } else {
            edge
        }
    }

    /// The one move that a conjunction has an input from, if all others are conditions on the
    /// state.
    fn simple(&self, gate: u32) -> Option<u32> {
        let mut actions = self.circuit.inputs(gate).iter();
        let mut actions = actions.by_ref().filter(|edge| self.is_action(**edge));
        match (self.circuit.gate_kind(gate), actions.next(), actions.next()) {
            (GateKind::And, Some(edge), None) if edge & 1 == 0 => self.action(*edge),
            _ => None,
        }
    }
}

impl EffectBuilder {
    /// The effects of a circuit, of which the given gates matter. `None` if gates behind the moves
    /// form a cycle.
    pub(super) fn new(logic: &mut ExtendedCircuit<'_>, needed: &[bool]) -> Option<Self> {
        let circuit = logic.circuit;
        let mut gates: Vec<u32> = Vec::new();
        for block in &circuit.action_blocks {
            let before = gates.len();
            gates.extend(block.gates.clone().filter(|gate| needed[*gate as usize]));
            if block.cyclic && gates.len() > before {
                return None;
            }
        }
        let mut behind = MoveDependentGates::new(circuit);
        let mut places = vec![GateForm::Never; circuit.gate_count()];
        let mut effects: Vec<(ConditionalEffect, u32)> = Vec::new();
        for gate in &gates {
            let inputs = circuit.inputs(*gate);
            let rest = inputs.iter().map(|edge| behind.rest(*edge)).collect();
            behind.rests[*gate as usize] = logic.make(circuit.gate_kind(*gate), rest);
            if let Some(action) = behind.simple(*gate) {
                let conditions = inputs.iter().filter(|edge| !behind.is_action(**edge));
                let condition = logic.make(GateKind::And, conditions.copied().collect());
                if condition != NEVER {
                    effects.push(((action, condition), *gate));
                }
            } else {
                places[*gate as usize] = GateForm::Gate(0);
            }
        }
        effects.sort_by_key(|((action, _), _)| *action);
        for (number, (_, gate)) in effects.iter().enumerate() {
            places[*gate as usize] = GateForm::Effect(number as u32);
        }
        let at_rest = |edges: &[Edge]| edges.iter().map(|edge| behind.rest(*edge)).collect();
        let mut draft = Self {
            next: at_rest(&circuit.next),
            legal: at_rest(&circuit.legal),
            terminal: behind.rest(circuit.terminal),
            effects: effects.into_iter().map(|(effect, _)| effect).collect(),
            inputs: Vec::new(),
            fixed: MoveEffects::default(),
        };
        draft.wire(&behind, &gates, places);
        Some(draft)
    }

    /// Finds out what happens to each fluent, and connects gates for those to which something
    /// complicated does.
    fn wire(&mut self, behind: &MoveDependentGates<'_>, gates: &[u32], mut places: Vec<GateForm>) {
        let circuit = behind.circuit;
        let most = 4 * circuit.wire_count() + 1000;
        let triggers = AddDeleteAnalysis::new(behind, gates, &places, most);
        let mut complicated = Vec::new();
        let (mut adds, mut deletes) = (Vec::new(), Vec::new());
        for (fluent, edge) in circuit.next.iter().enumerate() {
            if !behind.is_action(*edge) {
                continue;
            }
            let (word, mask) = (fluent as u32 / 64, 1 << (fluent % 64));
            let change = triggers.change(behind, &places, *edge);
            match change {
                Some(change) if adds.len() + deletes.len() < most => {
                    adds.extend(change.adds.iter().map(|source| (*source, word, mask)));
                    deletes.extend(change.deletes.iter().map(|source| (*source, word, mask)));
                }
                _ => complicated.push(fluent),
            }
        }
        let sources = circuit.moves + self.effects.len() as u32;
        let (add_starts, adds) = group_masks(sources as usize, adds);
        let (delete_starts, deletes) = group_masks(sources as usize, deletes);

        let todo = complicated.iter().map(|fluent| circuit.next[*fluent]);
        let inner = number(behind, gates, &mut places, todo.collect());
        let source_of = |edge: Edge| {
            behind
                .action(edge)
                .or_else(|| match places[behind.gate(edge)? as usize] {
                    GateForm::Never => None,
                    GateForm::Effect(number) => Some(circuit.moves + number),
                    GateForm::Gate(number) => Some(sources + number),
                })
        };
        let mut wires = Vec::new();
        let mut counters = Vec::with_capacity(inner.len() + 1);
        for (number, gate) in inner.iter().enumerate() {
            let start = self.inputs.len() as u32;
            let inputs = circuit.inputs(*gate);
            let mut constant = match circuit.gate_kind(*gate) {
                GateKind::And => -i32::try_from(inputs.len()).unwrap_or(i32::MAX),
                GateKind::Or => -1,
            };
            for edge in inputs {
                match behind.rest(*edge) {
                    ALWAYS => constant += 1,
                    NEVER => {}
                    rest => self.inputs.push(rest),
                }
                if let Some(source) = source_of(*edge) {
                    wires.push((source, (number as u32) << 1 | edge & 1));
                }
            }
            counters.push((constant, start));
        }
        counters.push((0, self.inputs.len() as u32));
        let fluents: Vec<(u32, u32)> = complicated
            .iter()
            .filter_map(|fluent| Some((source_of(circuit.next[*fluent])?, *fluent as u32)))
            .collect();
        let count = sources as usize + inner.len();
        let (wire_starts, wires) = group_by_source(count, &wires);
        let (fluent_starts, fluents) = group_by_source(count, &fluents);
        self.fixed = MoveEffects {
            moves: circuit.moves,
            first_gate: sources,
            changes: delete_starts.into_iter().zip(add_starts).collect(),
            deletes,
            adds,
            sources: wire_starts.into_iter().zip(fluent_starts).collect(),
            wires,
            fluents,
            gates: counters,
            inputs: Vec::new(),
        };
    }

    /// The finished effects, once the signals of the state part have become nodes.
    pub(super) fn finish(self, node: impl Fn(Edge) -> u32) -> MoveEffects {
        MoveEffects {
            inputs: self.inputs.into_iter().map(node).collect(),
            ..self.fixed
        }
    }
}

/// Numbers the gates that some edges depend on, in order of evaluation, and gives them in that
/// order.
fn number(
    behind: &MoveDependentGates<'_>,
    gates: &[u32],
    places: &mut [GateForm],
    mut todo: Vec<Edge>,
) -> Vec<u32> {
    let mut wanted = vec![false; places.len()];
    while let Some(edge) = todo.pop() {
        if let Some(gate) = behind.gate(edge)
            && matches!(places[gate as usize], GateForm::Gate(_))
            && !std::mem::replace(&mut wanted[gate as usize], true)
        {
            todo.extend(behind.circuit.inputs(gate));
        }
    }
    let inner: Vec<u32> = gates
        .iter()
        .copied()
        .filter(|gate| wanted[*gate as usize])
        .collect();
    for (number, gate) in inner.iter().enumerate() {
        places[*gate as usize] = GateForm::Gate(number as u32);
    }
    inner
}
