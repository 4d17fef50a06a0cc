//! Fluents on which moves have a plain effect: some make it true, some make it false, none does
//! more.
//!
//! Most fluents of most games become true by a move and a condition, or stay true unless a move and
//! a condition stop them: the additions and deletions of STRIPS. In the circuit that is `OR(add, …,
//! AND(rest, NOT delete, …))`. Then nothing needs to be counted: of the things that happen, all
//! deletions take effect first and all additions after them.

use super::circuit::{Edge, GateKind, NEVER};
use super::move_gates::{GateForm, MoveDependentGates};

/// What makes a fluent true and what makes it false, as sources: moves and conditional effects.
#[derive(Debug, Default)]
pub(super) struct AddDeleteLists {
    pub(super) adds: Vec<u32>,
    pub(super) deletes: Vec<u32>,
}

/// For every gate behind the moves, the sources of which any makes an OR true or an AND false, if
/// there is nothing more to it.
pub(super) struct AddDeleteAnalysis {
    lists: Vec<Option<Vec<u32>>>,
}

impl AddDeleteAnalysis {
    /// Looks at gates in an order of evaluation. Lists of lists may grow without bound; there are
    /// no more entries than `most`.
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

    /// Adds the sources of which any makes an edge true; false if there is more to it.
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

    /// What happens to a fluent whose next value is the given edge, if it is that plain.
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
