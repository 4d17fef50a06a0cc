//! Fluents on which moves have a plain effect: some make it true, some make it false, none does
//! more.
//!
//! Most fluents of most games become true by a move and a condition, or stay true unless a move and
//! a condition stop them: the additions and deletions of STRIPS. In the circuit that is `OR(add, …,
//! AND(rest, NOT delete, …))`. Then nothing needs to be counted: of the things that happen, all
//! deletions take effect first and all additions after them.

use super::circuit::{Edge, GateKind, NEVER};
use super::effect_builder::{GateForm, MoveDependentGates};

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
        behind: &MoveDependentGates<'_>,
        gates: &[u32],
        places: &[GateForm],
        most: usize,
    ) -> Self {
        let mut triggers = Self {
            lists: vec![None; behind.circuit.gate_count()],
        };
        let mut entries = 0;
        for gate in gates {
            if !matches!(places[*gate as usize], GateForm::Gate(_)) {
                continue;
            }
            let sign = u32::from(behind.circuit.gate_kind(*gate) == GateKind::And);
            let mut list = Vec::new();
            let inputs = behind.circuit.inputs(*gate);
            let plain = inputs
                .iter()
                .all(|edge| triggers.add_to(behind, places, edge ^ sign, &mut list));
            if plain && entries + list.len() <= most {
                entries += list.len();
                triggers.lists[*gate as usize] = Some(list);
            }
        }
        triggers
    }

    /// Adds the sources of which any makes an edge true; false if there is more to it.
    fn add_to(
        &self,
        behind: &MoveDependentGates<'_>,
        places: &[GateForm],
        edge: Edge,
        list: &mut Vec<u32>,
    ) -> bool {
        if edge == NEVER {
            return true;
        }
        let negated = edge & 1 == 1;
        if let Some(action) = behind.action(edge) {
            list.push(action);
            return !negated;
        }
        let Some(gate) = behind.gate(edge) else {
            return false;
        };
        match places[gate as usize] {
            GateForm::Never => !negated,
            GateForm::Effect(number) => {
                list.push(behind.circuit.moves + number);
                !negated
            }
            GateForm::Gate(_) => {
                let Some(sources) = &self.lists[gate as usize] else {
                    return false;
                };
                list.extend(sources);
                negated == (behind.circuit.gate_kind(gate) == GateKind::And)
            }
        }
    }

    /// What happens to a fluent whose next value is the given edge, if it is that plain.
    pub(super) fn change(
        &self,
        behind: &MoveDependentGates<'_>,
        places: &[GateForm],
        next: Edge,
    ) -> Option<AddDeleteLists> {
        let mut change = AddDeleteLists::default();
        let (mut rests, mut conditions) = (0, 0);
        let mut add = |edge: Edge| {
            let known = change.adds.len();
            if self.add_to(behind, places, edge, &mut change.adds) {
                return true;
            }
            change.adds.truncate(known);
            if !behind.is_action(edge) {
                conditions += 1;
                return true;
            }
            rests += 1;
            let Some((inputs, sign)) = behind.terms(edge, GateKind::And) else {
                return false;
            };
            inputs.iter().all(|input| {
                let input = input ^ sign;
                !behind.is_action(input)
                    || self.add_to(behind, places, input ^ 1, &mut change.deletes)
            })
        };
        let plain = match behind.terms(next, GateKind::Or) {
            Some((inputs, sign)) => inputs.iter().all(|input| add(input ^ sign)),
            None => add(next),
        };
        (plain && (rests == 0 || rests == 1 && conditions == 0)).then_some(change)
    }
}
