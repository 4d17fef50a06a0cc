//! Nesting depth of formulas and terms, computed without recursion.
//!
//! Normalisation recurses over formulas and patterns; deeper ones than [`MAX_NESTING`] are rejected
//! first, so that the stack cannot overflow.

use ludorum_gdl::ast::{Description, Formula, FormulaId, SyntaxTerm, SyntaxTermId};
use rustc_hash::FxHashMap;

/// Maximum nesting of connectives, and of terms with variables. The deepest known sheets stay below
/// 10. A sheet beyond the limit gets an error.
pub const MAX_NESTING: u32 = 1_000;

/// The nesting depth of formulas and terms by id. Children have smaller ids than their parents, so
/// a pass in the order of ids suffices.
#[derive(Default)]
pub(crate) struct NestingDepths {
    formulas: FxHashMap<FormulaId, u32>,
    terms: FxHashMap<SyntaxTermId, u32>,
}

impl NestingDepths {
    /// The nesting depth of a term: 0 for constants and variables.
    pub(crate) fn term(&mut self, description: &Description, root: SyntaxTermId) -> u32 {
        let mut ids: Vec<SyntaxTermId> = description.subterms(root).collect();
        ids.sort_unstable();
        for id in ids {
            let depth = match description.term(id) {
                SyntaxTerm::Compound { args, .. } => {
                    1 + args.iter().map(|arg| self.terms[arg]).max().unwrap_or(0)
                }
                _ => 0,
            };
            self.terms.insert(id, depth);
        }
        self.terms[&root]
    }

    /// The nesting depth of a formula: 0 for atoms and `distinct`.
    pub(crate) fn formula(&mut self, description: &Description, root: FormulaId) -> u32 {
        let mut ids: Vec<FormulaId> = description.subformulas(root).collect();
        ids.sort_unstable();
        for id in ids {
            let depth = match description.formula(id) {
                Formula::Not(part) => 1 + self.formulas[part],
                Formula::And(parts) | Formula::Or(parts) => {
                    1 + parts
                        .iter()
                        .map(|part| self.formulas[part])
                        .max()
                        .unwrap_or(0)
                }
                Formula::Atom(_) | Formula::Distinct(..) => 0,
            };
            self.formulas.insert(id, depth);
        }
        self.formulas[&root]
    }
}
