//! A naive evaluator of ground programs, as a reference for tests.

use crate::program::{AtomId, GroundProgram};

/// The truth value of every atom in one state under one joint move.
#[derive(Clone, Debug)]
pub struct Valuation {
    values: Vec<bool>,
}

impl Valuation {
    /// Evaluates the program. `fluents` are indexes into [`GroundProgram::fluents`], `does` are
    /// atoms. Without moves, the values of atoms that depend on moves are meaningless.
    pub fn new(
        program: &GroundProgram,
        fluents: impl IntoIterator<Item = usize>,
        does: impl IntoIterator<Item = AtomId>,
    ) -> Self {
        let mut values = vec![false; program.atom_count()];
        for fluent in fluents {
            values[program.fluents[fluent].truth as usize] = true;
        }
        for atom in does {
            values[atom as usize] = true;
        }
        for component in program.components() {
            loop {
                let mut changed = false;
                for atom in component.atoms {
                    if !values[*atom as usize] {
                        let holds = program.bodies_of(*atom).any(|body| {
                            body.iter()
                                .all(|l| values[l.atom() as usize] != l.is_negated())
                        });
                        values[*atom as usize] = holds;
                        changed |= holds;
                    }
                }
                if !component.cyclic || !changed {
                    break;
                }
            }
        }
        Self { values }
    }

    /// Whether an atom holds.
    pub fn holds(&self, atom: AtomId) -> bool {
        self.values[atom as usize]
    }

    /// The fluents of the next state.
    pub fn next(&self, program: &GroundProgram) -> Vec<usize> {
        (0..program.fluents.len())
            .filter(|i| {
                program.fluents[*i]
                    .next
                    .is_some_and(|atom| self.holds(atom))
            })
            .collect()
    }
}
