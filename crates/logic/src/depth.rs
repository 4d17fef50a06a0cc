//! How deep formulas and terms are nested, found without recursion: what is too deep is refused
//! before anything recurses over it.

use ludorum_gdl::ast::{Description, Formula, FormulaId, SyntaxTerm, SyntaxTermId};
use rustc_hash::FxHashMap;

/// The nesting below every formula and term; children come before parents, so one pass finds it.
#[derive(Default)]
pub(crate) struct Depths {
    formulas: FxHashMap<FormulaId, u32>,
    terms: FxHashMap<SyntaxTermId, u32>,
}

impl Depths {
    /// The nesting of a term; the ids of subterms are smaller than their parent's.
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
