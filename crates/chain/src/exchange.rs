//! The exchange of fluents and moves with other engines, by terms of a shared vocabulary.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use ludorum_gdl::Symbol;
use ludorum_logic::{TermId, Terms};
use ludorum_reasoner::vocabulary::Vocabulary;
use ludorum_reasoner::{FluentId, MoveId, Role};
use rustc_hash::FxHashMap;

use super::compiled::CompiledGame;
use super::schema::Predicate;
use super::{Chain, ChainState};

impl Chain {
    /// Queries end with [`ReasonError::Stopped`](ludorum_reasoner::ReasonError::Stopped) when
    /// another thread sets this flag. It is independent of the cancel flag of the caller.
    pub fn set_interrupt(&mut self, flag: Option<Arc<AtomicBool>>) {
        self.machine.set_interrupt(flag);
    }

    /// The state with exactly the given fluents.
    pub fn state_from_fluents(&mut self, fluents: &[FluentId]) -> ChainState {
        self.state(fluents.iter().map(|id| id.0).collect())
    }

    /// The term of a fluent in a vocabulary of the same rules.
    pub fn export_fluent(&mut self, id: FluentId, to: &mut Vocabulary) -> Option<TermId> {
        let schema = &self.compiled.schema;
        let fluents = &schema.fluents;
        let place = fluents.partition_point(|number| schema.predicate(*number).base <= id.0);
        let predicate = schema.predicate(*fluents.get(place.checked_sub(1)?)?);
        let cells: Vec<TermId> = schema.cells(predicate, id.0).collect();
        last_term(predicate, &cells, &self.compiled.terms, to)
    }

    /// The fluent with a term of a vocabulary of the same rules, if a state can hold it.
    pub fn import_fluent(&mut self, term: TermId, from: &mut Vocabulary) -> Option<FluentId> {
        from.know(term);
        let (functor, parts) = self.own_term(term, from)?;
        self.fluent_with(functor, &parts).map(FluentId)
    }

    /// The id of a move in a vocabulary of the same rules.
    pub fn export_move(&mut self, role: Role, id: MoveId, to: &mut Vocabulary) -> Option<MoveId> {
        let compiled = Arc::clone(&self.compiled);
        let knowledge = &mut self.machine.knowledge;
        let (_, legal) = compiled.moves.instance_of(knowledge, role, id)?;
        let predicate = compiled.schema.predicate(compiled.moves.predicate(legal));
        let cells = knowledge.cells(&compiled.schema, predicate, legal);
        let term = last_term(predicate, &cells, &compiled.terms, to)?;
        Some(to.move_id(role, term))
    }

    /// The move with an id of a vocabulary of the same rules.
    pub fn import_move(&mut self, role: Role, id: MoveId, from: &mut Vocabulary) -> Option<MoveId> {
        let (term, _) = from.move_of(role, id)?;
        from.know(term);
        let (functor, parts) = self.own_term(term, from)?;
        self.move_with(role, functor, &parts)
    }

    /// A fluent by functor and arguments.
    pub(super) fn fluent_with(&self, functor: Symbol, parts: &[TermId]) -> Option<u32> {
        let CompiledGame { schema, terms, .. } = &*self.compiled;
        let relation = self.compiled.true_relation;
        let (predicate, cells) = schema.fact(relation, None, (functor, parts), terms)?;
        schema.id_of(predicate, |i| cells.get(i).copied())
    }

    /// A move by functor and arguments.
    pub(super) fn move_with(
        &mut self,
        role: Role,
        functor: Symbol,
        parts: &[TermId],
    ) -> Option<MoveId> {
        let role_term = *self.compiled.roles.get(role)?;
        let CompiledGame { schema, terms, .. } = &*self.compiled;
        let relation = self.compiled.legal_relation;
        let fact = schema.fact(relation, Some(role_term), (functor, parts), terms);
        let (predicate, cells) = fact?;
        let knowledge = &mut self.machine.knowledge;
        let id = match predicate.sparse {
            Some(place) => {
                let mut columns = schema.columns(predicate).zip(&cells);
                if !columns.all(|(column, term)| column.index(*term).is_some()) {
                    return None;
                }
                predicate.base + knowledge.sparse[place].number(&cells).ok()?
            }
            None => schema.id_of(predicate, |i| cells.get(i).copied())?,
        };
        let outside = self.compiled.moves.move_of(knowledge, id);
        outside.map(|(_, id)| id)
    }

    /// Splits a term of a vocabulary into functor and arguments of this engine. `None` if a part is
    /// not interned here.
    fn own_term(&self, term: TermId, from: &Vocabulary) -> Option<(Symbol, Vec<TermId>)> {
        let terms = &self.compiled.terms;
        let other = from.terms();
        let name = other.symbols.name(other.functor(term));
        let functor = terms.symbols.get(name)?;
        let mut known = FxHashMap::default();
        let mut parts = Vec::with_capacity(other.args(term).len());
        for arg in other.args(term) {
            let own = other.rebuild(*arg, from.first_terms(), &mut known, |name, args| {
                terms.get(terms.symbols.get(name)?, args)
            });
            parts.push(own?);
        }
        Some((functor, parts))
    }
}

/// The last argument of an instance, interned in a vocabulary: a fluent or a move.
fn last_term(
    predicate: &Predicate,
    cells: &[TermId],
    terms: &Terms,
    to: &mut Vocabulary,
) -> Option<TermId> {
    match predicate.shape.last()? {
        Some((functor, arity)) => {
            let parts = &cells[cells.len().checked_sub(*arity)?..];
            let parts = to.import(terms, parts);
            Some(to.intern_named(terms.symbols.name(*functor), &parts))
        }
        None => Some(to.import(terms, &[*cells.last()?])[0]),
    }
}
