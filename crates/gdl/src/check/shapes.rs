//! Structural ids: equal terms, formulas and clauses have equal ids (hash consing).
//!
//! Variables are numbered in order of occurrence within their clause, so clauses that are equal up
//! to renaming have equal ids. Within one clause, equal ids mean equal text.

use rustc_hash::FxHashMap;

use crate::ast::{Clause, Description, Formula, FormulaId, SyntaxAtom, SyntaxTerm, SyntaxTermId};
use crate::symbol::Symbol;

/// The structural id of a term, formula or clause up to renaming of variables.
pub(super) type Shape = u32;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Variable,
    Constant,
    Compound,
    Atom,
    Not,
    And,
    Or,
    Distinct,
    Clause,
}

/// The structural ids of all nodes of a sheet.
#[derive(Default)]
pub(super) struct Shapes {
    numbers: FxHashMap<(Kind, u32, Box<[Shape]>), Shape>,
    terms: Vec<(Shape, bool)>,
    clauses: Vec<Shape>,
}

impl Shapes {
    pub(super) fn of(description: &Description) -> Self {
        let mut this = Self::default();
        for clause in &description.clauses {
            let shape = this.clause(description, clause);
            this.clauses.push(shape);
        }
        this
    }

    /// The structural id of a clause.
    pub(super) fn of_clause(&self, clause: u32) -> Shape {
        self.clauses[clause as usize]
    }

    /// The structural id of a term in some clause.
    pub(super) fn of_term(&self, id: SyntaxTermId) -> Shape {
        self.terms[id.0 as usize].0
    }

    /// Whether a term in some clause has no variable.
    pub(super) fn is_ground(&self, id: SyntaxTermId) -> bool {
        self.terms[id.0 as usize].1
    }

    fn number(&mut self, kind: Kind, name: u32, parts: Vec<Shape>) -> Shape {
        let next = self.numbers.len() as Shape;
        *self
            .numbers
            .entry((kind, name, parts.into()))
            .or_insert(next)
    }

    fn clause(&mut self, description: &Description, clause: &Clause) -> Shape {
        let mut variables = FxHashMap::default();
        let mut parts = vec![self.atom(description, &clause.head, &mut variables)];
        for part in &clause.body {
            parts.push(self.formula(description, *part, &mut variables));
        }
        self.number(Kind::Clause, 0, parts)
    }

    fn atom(
        &mut self,
        description: &Description,
        atom: &SyntaxAtom,
        variables: &mut FxHashMap<Symbol, u32>,
    ) -> Shape {
        let args = atom
            .args
            .iter()
            .map(|arg| self.term(description, *arg, variables))
            .collect();
        self.number(Kind::Atom, atom.relation.0, args)
    }

    fn term(
        &mut self,
        description: &Description,
        root: SyntaxTermId,
        variables: &mut FxHashMap<Symbol, u32>,
    ) -> Shape {
        let order: Vec<SyntaxTermId> = description.subterms(root).collect();
        for id in &order {
            if let SyntaxTerm::Variable(name) = description.term(*id) {
                let next = variables.len() as u32;
                variables.entry(*name).or_insert(next);
            }
        }
        // `order` has parents before children, so iterate in reverse.
        for id in order.iter().rev() {
            let (shape, ground) = match description.term(*id) {
                SyntaxTerm::Variable(name) => (
                    self.number(Kind::Variable, variables[name], Vec::new()),
                    false,
                ),
                SyntaxTerm::Constant(name) => {
                    (self.number(Kind::Constant, name.0, Vec::new()), true)
                }
                SyntaxTerm::Compound { functor, args } => {
                    let ground = args.iter().all(|arg| self.is_ground(*arg));
                    let args = args.iter().map(|arg| self.of_term(*arg)).collect();
                    (self.number(Kind::Compound, functor.0, args), ground)
                }
            };
            let index = id.0 as usize;
            if self.terms.len() <= index {
                self.terms.resize(index + 1, (0, false));
            }
            self.terms[index] = (shape, ground);
        }
        self.of_term(root)
    }

    fn formula(
        &mut self,
        description: &Description,
        root: FormulaId,
        variables: &mut FxHashMap<Symbol, u32>,
    ) -> Shape {
        let order: Vec<FormulaId> = description.subformulas(root).collect();
        let mut shapes: FxHashMap<FormulaId, Shape> = FxHashMap::default();
        // Number the variables in text order: leaves first.
        for id in &order {
            let shape = match description.formula(*id) {
                Formula::Atom(atom) => self.atom(description, atom, variables),
                Formula::Distinct(left, right) => {
                    let parts = vec![
                        self.term(description, *left, variables),
                        self.term(description, *right, variables),
                    ];
                    self.number(Kind::Distinct, 0, parts)
                }
                _ => continue,
            };
            shapes.insert(*id, shape);
        }
        for id in order.iter().rev() {
            let (kind, parts) = match description.formula(*id) {
                Formula::Not(part) => (Kind::Not, std::slice::from_ref(part)),
                Formula::And(parts) => (Kind::And, &parts[..]),
                Formula::Or(parts) => (Kind::Or, &parts[..]),
                Formula::Atom(_) | Formula::Distinct(..) => continue,
            };
            let parts = parts.iter().map(|part| shapes[part]).collect();
            let shape = self.number(kind, 0, parts);
            shapes.insert(*id, shape);
        }
        shapes[&root]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn equal(a: &str, b: &str) -> bool {
        let description = crate::kif::parse(&format!("{a}\n{b}")).description;
        let shapes = Shapes::of(&description);
        shapes.of_clause(0) == shapes.of_clause(1)
    }

    #[test]
    fn renaming_variables_keeps_the_shape() {
        assert!(equal(
            "(<= (p ?x) (q ?x (f ?y)) (distinct ?x ?y))",
            "(<= (p ?b) (q ?b (f ?a)) (distinct ?b ?a))"
        ));
        assert!(!equal("(<= (p ?x) (q ?x ?y))", "(<= (p ?x) (q ?y ?x))"));
        assert!(!equal("(<= (p ?x) (q ?x ?x))", "(<= (p ?x) (q ?x ?y))"));
    }

    #[test]
    fn constants_functions_and_connectives_make_the_shape() {
        assert!(!equal("(p a)", "(p b)"));
        assert!(!equal("(p (f a))", "(p (g a))"));
        assert!(!equal("(<= p (and q r))", "(<= p (or q r))"));
        assert!(equal("(<= p (not (or q r)))", "(<= p (not (or q r)))"));
        assert!(equal("(p a)", "(<= (p a))"));
    }
}
