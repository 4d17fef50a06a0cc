//! Add and delete lists: fluents whose next value follows from lists of moves and conditional
//! effects, as in STRIPS (Fikes and Nilsson 1971).
//!
//! Most fluents of most games become true by a move under a condition, and stay true unless a move
//! under a condition deletes them. In the circuit their next value is `OR(add, …, AND(rest, NOT
//! delete, …))`. Such a fluent needs no counters: all deletions take effect first, then all
//! additions.

use super::circuit::{Edge, GateKind, NEVER};
use super::move_gates::{GateForm, MoveDependentGates};

/// The add list and the delete list of a fluent. Entries are sources: moves and conditional
/// effects.
#[derive(Debug, Default)]
pub(super) struct AddDeleteLists {
    pub(super) adds: Vec<u32>,
    pub(super) deletes: Vec<u32>,
}

/// For every gate that depends on moves, the sources of which any one makes an OR true or an AND
/// false; `None` if the gate depends on anything else.
pub(super) struct AddDeleteAnalysis {
    lists: Vec<Option<Vec<u32>>>,
}

impl AddDeleteAnalysis {
    /// Analyses gates in an order of evaluation. Nested lists can grow exponentially, so all lists
    /// together have at most `most` entries.
    pub(super) fn new(
        gates_of_moves: &MoveDependentGates<'_>,
        gates: &[u32],
        forms: &[GateForm],
        most: usize,
    ) -> Self {
        let mut triggers = Self {
            lists: vec![None; gates_of_moves.circuit.gate_count()],
        };
        let mut entries = 0;
        for gate in gates {
            if !matches!(forms[*gate as usize], GateForm::Gate(_)) {
                continue;
            }
            let sign = u32::from(gates_of_moves.circuit.gate_kind(*gate) == GateKind::And);
            let mut list = Vec::new();
            let inputs = gates_of_moves.circuit.inputs(*gate);
            let first_cyclic = inputs
                .iter()
                .all(|edge| triggers.add_to(gates_of_moves, forms, edge ^ sign, &mut list));
            if first_cyclic && entries + list.len() <= most {
                entries += list.len();
                triggers.lists[*gate as usize] = Some(list);
            }
        }
        triggers
    }

    /// Adds the sources of which any one makes an edge true; false if the edge depends on anything
    /// else.
    fn add_to(
        &self,
        gates_of_moves: &MoveDependentGates<'_>,
        forms: &[GateForm],
        edge: Edge,
        list: &mut Vec<u32>,
    ) -> bool {
        if edge == NEVER {
            return true;
        }
        let negated = edge & 1 == 1;
        if let Some(action) = gates_of_moves.action(edge) {
            list.push(action);
            return !negated;
        }
        let Some(gate) = gates_of_moves.gate(edge) else {
            return false;
        };
        match forms[gate as usize] {
            GateForm::Never => !negated,
            GateForm::Effect(number) => {
                list.push(gates_of_moves.circuit.moves + number);
                !negated
            }
            GateForm::Gate(_) => {
                let Some(sources) = &self.lists[gate as usize] else {
                    return false;
                };
                list.extend(sources);
                negated == (gates_of_moves.circuit.gate_kind(gate) == GateKind::And)
            }
        }
    }

    /// The add and delete lists of a fluent with the given edge as its next value; `None` if it is
    /// not of that form.
    pub(super) fn change(
        &self,
        gates_of_moves: &MoveDependentGates<'_>,
        forms: &[GateForm],
        next: Edge,
    ) -> Option<AddDeleteLists> {
        let mut change = AddDeleteLists::default();
        let (mut rests, mut conditions) = (0, 0);
        let mut add = |edge: Edge| {
            let known = change.adds.len();
            if self.add_to(gates_of_moves, forms, edge, &mut change.adds) {
                return true;
            }
            change.adds.truncate(known);
            if !gates_of_moves.is_action(edge) {
                conditions += 1;
                return true;
            }
            rests += 1;
            let Some((inputs, sign)) = gates_of_moves.terms(edge, GateKind::And) else {
                return false;
            };
            inputs.iter().all(|input| {
                let input = input ^ sign;
                !gates_of_moves.is_action(input)
                    || self.add_to(gates_of_moves, forms, input ^ 1, &mut change.deletes)
            })
        };
        let first_cyclic = match gates_of_moves.terms(next, GateKind::Or) {
            Some((inputs, sign)) => inputs.iter().all(|input| add(input ^ sign)),
            None => add(next),
        };
        (first_cyclic && (rests == 0 || rests == 1 && conditions == 0)).then_some(change)
    }
}
