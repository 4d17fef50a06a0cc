//! Shape inference: unifies the shapes of arguments over all facts and rules.

use ludorum_gdl::Symbol;
use ludorum_logic::rule::{Atom as RuleAtom, Literal, Pattern};

use super::draft::RuleDraft;
use super::flatten::Flattener;
use super::shape::ShapeId;
use super::whole_fluents::WholeFluentUses;

impl Flattener<'_> {
    /// Infers all shapes. `functions` are the functors of fluents if some rule has a variable for a
    /// whole fluent.
    pub(super) fn infer(
        &mut self,
        drafts: &[RuleDraft],
        uses: WholeFluentUses,
        functions: &[(Symbol, usize)],
    ) {
        self.whole.shape = self.shapes.add();
        for (_, relation) in self.rules.relations() {
            let places = (0..relation.arity).map(|_| self.shapes.add()).collect();
            self.places.push(places);
        }
        let keywords = &self.rules.keywords;
        let (legal, does) = (keywords.legal.index(), keywords.does.index());
        self.places[does] = self.places[legal].clone();
        // Roles are looked up in `legal` and `goal`, and moves are made for them: one shape
        // everywhere.
        let role = self.places[legal][0];
        for keyword in [keywords.role, keywords.goal] {
            let place = self.places[keyword.index()][0];
            self.shapes.unify(place, role);
        }
        for term in &self.rules.roles {
            self.shapes.extend_for(role, *term, self.terms);
        }
        for fact in &self.rules.facts {
            if self.is_fluent(fact.relation) {
                let (functor, args) = (
                    self.terms.functor(fact.args[0]),
                    self.terms.args(fact.args[0]).to_vec(),
                );
                let fluent = self.fluent(functor, args.len());
                for (i, arg) in args.into_iter().enumerate() {
                    let shape = self.fluents[fluent].shapes[i];
                    self.shapes.extend_for(shape, arg, self.terms);
                }
            } else {
                for (place, arg) in fact.args.iter().enumerate() {
                    let shape = self.places[fact.relation.index()][place];
                    self.shapes.extend_for(shape, *arg, self.terms);
                }
            }
        }
        for draft in drafts {
            let variables: Vec<ShapeId> = draft.names.iter().map(|_| self.shapes.add()).collect();
            let mut sides = Vec::new();
            self.infer_atom(&draft.head, &variables);
            for literal in draft.body.iter().chain(draft.fork.iter().flatten()) {
                match literal {
                    Literal::Positive(atom) | Literal::Negative(atom) => {
                        self.infer_atom(atom, &variables);
                    }
                    Literal::Distinct(a, b) => {
                        let side = self.shapes.add();
                        self.infer_pattern(side, a, &variables);
                        self.infer_pattern(side, b, &variables);
                        sides.push(side);
                    }
                }
            }
            self.variables.push(variables);
            self.distinct.push(sides);
        }
        for (functor, arity) in functions {
            self.fluent(*functor, *arity);
        }
        if uses.any() {
            for fluent in &self.fluents {
                let parts = self.shapes.parts(self.whole.shape, fluent.shapes.len());
                for (part, shape) in parts.into_iter().zip(&fluent.shapes) {
                    self.shapes.unify(part, *shape);
                }
            }
        }
        self.shapes.compute_widths();
    }

    fn infer_atom(&mut self, atom: &RuleAtom, variables: &[ShapeId]) {
        if !self.is_fluent(atom.relation) {
            for (place, arg) in atom.args.iter().enumerate() {
                let shape = self.places[atom.relation.index()][place];
                self.infer_pattern(shape, arg, variables);
            }
            return;
        }
        match &atom.args[0] {
            Pattern::Compound(functor, args) => {
                let fluent = self.fluent(*functor, args.len());
                for (i, arg) in args.iter().enumerate() {
                    let shape = self.fluents[fluent].shapes[i];
                    self.infer_pattern(shape, arg, variables);
                }
            }
            Pattern::Ground(id) => {
                let args = self.terms.args(*id).to_vec();
                let fluent = self.fluent(self.terms.functor(*id), args.len());
                for (i, arg) in args.into_iter().enumerate() {
                    let shape = self.fluents[fluent].shapes[i];
                    self.shapes.extend_for(shape, arg, self.terms);
                }
            }
            Pattern::Variable(v) => self.shapes.unify(self.whole.shape, variables[*v as usize]),
        }
    }

    fn infer_pattern(&mut self, shape: ShapeId, pattern: &Pattern, variables: &[ShapeId]) {
        match pattern {
            Pattern::Variable(v) => self.shapes.unify(shape, variables[*v as usize]),
            Pattern::Ground(id) => self.shapes.extend_for(shape, *id, self.terms),
            Pattern::Compound(_, args) => {
                for (part, arg) in self.shapes.parts(shape, args.len()).into_iter().zip(args) {
                    self.infer_pattern(part, arg, variables);
                }
            }
        }
    }
}
