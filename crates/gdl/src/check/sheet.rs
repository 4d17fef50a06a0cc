//! The input of the checks: a description with tables that several checks need.

use super::dependencies::Dependencies;
use super::names::Names;
use super::relations::{Relation, RelationId, Relations, Use};
use super::shapes::Shapes;
use super::spelling::Speller;
use crate::ast::{Clause, Description, Formula, FormulaId, SyntaxAtom, SyntaxTerm, SyntaxTermId};
use crate::source::Span;
use crate::symbol::Symbol;

/// A description and its tables.
pub(super) struct Sheet<'d> {
    pub(super) description: &'d Description,
    pub(super) relations: Relations,
    pub(super) dependencies: Dependencies,
    pub(super) names: Names,
    pub(super) shapes: Shapes,
    pub(super) speller: Speller,
    /// The constants of `role` facts, in order, each once.
    pub(super) roles: Vec<Symbol>,
}

impl<'d> Sheet<'d> {
    pub(super) fn of(description: &'d Description) -> Self {
        let relations = Relations::of(description);
        let mut this = Self {
            description,
            dependencies: Dependencies::of(&relations),
            names: Names::of(description),
            shapes: Shapes::of(description),
            speller: Speller::default(),
            roles: Vec::new(),
            relations,
        };
        let mut seen = rustc_hash::FxHashSet::default();
        for (_, clause) in this.clauses_defining("role", 1) {
            if let SyntaxTerm::Constant(name) = description.term(clause.head.args[0])
                && seen.insert(*name)
            {
                this.roles.push(*name);
            }
        }
        this
    }

    pub(super) fn name(&self, symbol: Symbol) -> &'d str {
        self.description.name(symbol)
    }

    pub(super) fn relation_name(&self, id: RelationId) -> &'d str {
        self.name(self.relations.get(id).symbol)
    }

    pub(super) fn clause(&self, index: u32) -> &'d Clause {
        &self.description.clauses[index as usize]
    }

    /// The clauses with their indices.
    pub(super) fn clauses(&self) -> impl Iterator<Item = (u32, &'d Clause)> + use<'d> {
        (0..).zip(&self.description.clauses)
    }

    /// The clauses with the relation in the head.
    pub(super) fn clauses_defining(&self, name: &str, arity: usize) -> Vec<(u32, &'d Clause)> {
        self.relation(name, arity)
            .map(|relation| relation.heads.iter().map(|c| (*c, self.clause(*c))))
            .into_iter()
            .flatten()
            .collect()
    }

    /// The atoms of bodies with the relation.
    pub(super) fn atoms_using(&self, name: &str, arity: usize) -> Vec<&'d SyntaxAtom> {
        self.relation(name, arity)
            .map(|relation| relation.uses.iter())
            .into_iter()
            .flatten()
            .filter_map(|index| self.atom(self.relations.usage(*index).formula))
            .collect()
    }

    fn relation(&self, name: &str, arity: usize) -> Option<&Relation> {
        let symbol = self.description.symbols.get(name)?;
        let id = self.relations.find(symbol, arity)?;
        Some(self.relations.get(id))
    }

    /// The relations whose name is one of some keywords, of any arity.
    pub(super) fn keywords<'s>(
        &'s self,
        words: &'s [&str],
    ) -> impl Iterator<Item = RelationId> + 's {
        self.relations
            .iter()
            .filter(|(_, r)| r.keyword.is_some_and(|k| words.contains(&k)))
            .map(|(id, _)| id)
    }

    pub(super) fn atom(&self, formula: FormulaId) -> Option<&'d SyntaxAtom> {
        match self.description.formula(formula) {
            Formula::Atom(atom) => Some(atom),
            _ => None,
        }
    }

    pub(super) fn span(&self, usage: &Use) -> Span {
        self.description.formula_span(usage.formula)
    }

    /// The first occurrence of a variable in some terms.
    pub(super) fn variable_span(
        &self,
        roots: impl IntoIterator<Item = SyntaxTermId>,
        variable: Symbol,
    ) -> Option<Span> {
        roots
            .into_iter()
            .flat_map(|root| self.description.subterms(root))
            .find(|id| *self.description.term(*id) == SyntaxTerm::Variable(variable))
            .map(|id| self.description.term_span(id))
    }
}

/// `once`, `2 times`.
pub(super) fn times(count: usize) -> String {
    match count {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        n => format!("{n} times"),
    }
}
