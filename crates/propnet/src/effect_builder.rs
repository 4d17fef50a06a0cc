//! Builds the [effects of moves](super::move_effects) from the gates that depend on moves.

use super::add_delete_lists::AddDeleteAnalysis;
use super::circuit::{ALWAYS, Edge, GateKind, NEVER};
use super::extended_circuit::ExtendedCircuit;
use super::move_effects::MoveEffects;
use super::move_gates::{ConditionalEffect, GateForm, MoveDependentGates};
use super::sparse_rows::{group_by_source, group_masks};

/// Effects whose inputs are still signals of the circuit, and the edges of the state part that they
/// need.
pub(super) struct EffectBuilder {
    /// Conditional effects, ordered by move.
    pub(super) effects: Vec<ConditionalEffect>,
    /// The rest values (the values while no move is played) of next fluents, legal moves and the
    /// end.
    pub(super) next: Vec<Edge>,
    pub(super) legal: Vec<Edge>,
    pub(super) terminal: Edge,
    /// Inputs of gates whose rest value is not constant.
    pub(super) inputs: Vec<Edge>,
    fixed: MoveEffects,
}

impl EffectBuilder {
    /// The effects of a circuit, restricted to the gates that are needed. `None` if gates that
    /// depend on moves form a cycle.
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
        let mut gates_of_moves = MoveDependentGates::new(circuit);
        let mut forms = vec![GateForm::Never; circuit.gate_count()];
        let mut effects: Vec<(ConditionalEffect, u32)> = Vec::new();
        for gate in &gates {
            let inputs = circuit.inputs(*gate);
            let rest = inputs
                .iter()
                .map(|edge| gates_of_moves.rest(*edge))
                .collect();
            gates_of_moves.rests[*gate as usize] = logic.make(circuit.gate_kind(*gate), rest);
            if let Some(action) = gates_of_moves.single_move(*gate) {
                let conditions = inputs
                    .iter()
                    .filter(|edge| !gates_of_moves.is_action(**edge));
                let condition = logic.make(GateKind::And, conditions.copied().collect());
                if condition != NEVER {
                    effects.push(((action, condition), *gate));
                }
            } else {
                forms[*gate as usize] = GateForm::Gate(0);
            }
        }
        effects.sort_by_key(|((action, _), _)| *action);
        for (number, (_, gate)) in effects.iter().enumerate() {
            forms[*gate as usize] = GateForm::Effect(number as u32);
        }
        let at_rest = |edges: &[Edge]| {
            edges
                .iter()
                .map(|edge| gates_of_moves.rest(*edge))
                .collect()
        };
        let mut builder = Self {
            next: at_rest(&circuit.next),
            legal: at_rest(&circuit.legal),
            terminal: gates_of_moves.rest(circuit.terminal),
            effects: effects.into_iter().map(|(effect, _)| effect).collect(),
            inputs: Vec::new(),
            fixed: MoveEffects::default(),
        };
        builder.wire(&gates_of_moves, &gates, forms);
        Some(builder)
    }

    /// Finds the add and delete lists of each fluent, and wires up gates with counters for the
    /// fluents that have none.
    fn wire(
        &mut self,
        gates_of_moves: &MoveDependentGates<'_>,
        gates: &[u32],
        mut forms: Vec<GateForm>,
    ) {
        let circuit = gates_of_moves.circuit;
        let most = 4 * circuit.wire_count() + 1000;
        let triggers = AddDeleteAnalysis::new(gates_of_moves, gates, &forms, most);
        let mut complicated = Vec::new();
        let (mut adds, mut deletes) = (Vec::new(), Vec::new());
        for (fluent, edge) in circuit.next.iter().enumerate() {
            if !gates_of_moves.is_action(*edge) {
                continue;
            }
            let (word, mask) = (fluent as u32 / 64, 1 << (fluent % 64));
            let change = triggers.change(gates_of_moves, &forms, *edge);
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
        let inner = number(gates_of_moves, gates, &mut forms, todo.collect());
        let source_of = |edge: Edge| {
            gates_of_moves.action(edge).or_else(|| {
                match forms[gates_of_moves.gate(edge)? as usize] {
                    GateForm::Never => None,
                    GateForm::Effect(number) => Some(circuit.moves + number),
                    GateForm::Gate(number) => Some(sources + number),
                }
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
                match gates_of_moves.rest(*edge) {
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

    /// The finished effects, once the signals of the state part have node numbers.
    pub(super) fn finish(self, node: impl Fn(Edge) -> u32) -> MoveEffects {
        MoveEffects {
            inputs: self.inputs.into_iter().map(node).collect(),
            ..self.fixed
        }
    }
}

/// Numbers the gates that edges depend on, and returns them in order of evaluation.
fn number(
    gates_of_moves: &MoveDependentGates<'_>,
    gates: &[u32],
    forms: &mut [GateForm],
    mut todo: Vec<Edge>,
) -> Vec<u32> {
    let mut wanted = vec![false; forms.len()];
    while let Some(edge) = todo.pop() {
        if let Some(gate) = gates_of_moves.gate(edge)
            && matches!(forms[gate as usize], GateForm::Gate(_))
            && !std::mem::replace(&mut wanted[gate as usize], true)
        {
            todo.extend(gates_of_moves.circuit.inputs(gate));
        }
    }
    let inner: Vec<u32> = gates
        .iter()
        .copied()
        .filter(|gate| wanted[*gate as usize])
        .collect();
    for (number, gate) in inner.iter().enumerate() {
        forms[*gate as usize] = GateForm::Gate(number as u32);
    }
    inner
}
