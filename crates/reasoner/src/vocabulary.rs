//! Interned terms and move ids that all forks of an engine share.
//!
//! Engines without a ground program meet new terms while they play. A shared table behind a lock
//! assigns the ids, so that an id means the same in every thread. Each fork keeps a private copy of
//! the terms that it has used, so that a lookup of a known term takes no lock. A fork copies single
//! terms on demand and not the whole table: pondering can intern hundreds of thousands of terms,
//! and copying them all would take too long for a move within a tenth of a second. Critical
//! sections are short, because the holder of the lock may be descheduled on a busy machine.
//!
//! The conversion of moves, fluents and states from and to text is here as well.

use std::cmp::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ludorum_gdl::{GroundTerms, Symbol};
use ludorum_logic::{TermId, Terms};
use rustc_hash::FxHashMap;

use crate::error::ReasonError;
use crate::ids::{MoveId, Role};
use crate::zobrist::fluent_key;

/// The largest size of a fluent, move or goal value, in symbols. Shared subterms can grow
/// exponentially when written out: `(<= (next (at (f ?x ?x))) (true (at ?x)))` doubles the size
/// with every step.
pub const MAX_TERM: u32 = 1 << 20;

/// The error for a larger term.
pub fn too_long() -> ReasonError {
    ReasonError::Budget(format!("a term of more than {MAX_TERM} names"))
}

/// The tables that all forks share.
#[derive(Debug, Default)]
struct Shared {
    terms: Terms,
    /// Every move, by role.
    moves: Vec<Vec<KnownMove>>,
    move_ids: Vec<FxHashMap<TermId, MoveId>>,
}

/// The term of a move and its KIF text.
type KnownMove = (TermId, Arc<str>);

/// One fork's copy of the interned terms and moves.
#[derive(Debug)]
pub struct Vocabulary {
    /// The terms known to this fork. New ids are assigned by the shared table only.
    terms: Terms,
    shared: Arc<Mutex<Shared>>,
    /// The moves known to this fork, by role and id; `None` for other moves.
    moves: Vec<Vec<Option<KnownMove>>>,
    move_ids: Vec<FxHashMap<TermId, MoveId>>,
    /// The Zobrist keys of terms as fluents; 0 if not computed yet.
    keys: Vec<u128>,
    /// The number of terms of the rules.
    first: usize,
}

impl Clone for Vocabulary {
    fn clone(&self) -> Self {
        Self {
            terms: self.terms.clone(),
            shared: Arc::clone(&self.shared),
            moves: self.moves.clone(),
            move_ids: self.move_ids.clone(),
            keys: self.keys.clone(),
            first: self.first,
        }
    }
}

impl Vocabulary {
    /// A vocabulary that starts with the terms of the rules.
    pub fn new(terms: Terms, roles: usize) -> Self {
        let shared = Shared {
            terms: terms.clone(),
            moves: vec![Vec::new(); roles],
            move_ids: vec![FxHashMap::default(); roles],
        };
        Self {
            first: terms.len(),
            terms,
            shared: Arc::new(Mutex::new(shared)),
            moves: vec![Vec::new(); roles],
            move_ids: vec![FxHashMap::default(); roles],
            keys: Vec::new(),
        }
    }

    /// The terms known to this fork.
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// The term `functor(args…)`, interned if it is new.
    pub fn intern(&mut self, functor: Symbol, args: &[TermId]) -> TermId {
        match self.terms.get(functor, args) {
            Some(id) => id,
            None => self.intern_shared(functor, args),
        }
    }

    /// The same with the name of the functor, which may be new as well.
    pub fn intern_named(&mut self, name: &str, args: &[TermId]) -> TermId {
        if let Some(functor) = self.terms.symbols.get(name) {
            return self.intern(functor, args);
        }
        let id = {
            let shared = &mut lock(&self.shared).terms;
            let functor = shared.symbols.intern(name);
            shared.intern(functor, args)
        };
        self.know(id);
        id
    }

    #[cold]
    fn intern_shared(&mut self, functor: Symbol, args: &[TermId]) -> TermId {
        let shared = &mut lock(&self.shared).terms;
        let id = shared.intern(functor, args);
        self.terms.copy_term(id, shared);
        id
    }

    /// Copies a term from the shared table, if it is there and not yet known to this fork.
    pub fn know(&mut self, id: TermId) {
        self.know_all(&[id]);
    }

    /// Copies several terms from the shared table.
    pub fn know_all(&mut self, ids: &[TermId]) {
        if !ids.iter().all(|id| self.terms.contains(*id)) {
            self.learn(ids);
        }
    }

    #[cold]
    fn learn(&mut self, ids: &[TermId]) {
        let shared = &lock(&self.shared).terms;
        for i in self.terms.symbols.len()..shared.symbols.len() {
            let name = shared.symbols.name(Symbol(i as u32));
            self.terms.symbols.intern(name);
        }
        for id in ids.iter().filter(|id| shared.contains(**id)) {
            self.terms.copy_term(*id, shared);
        }
    }

    /// The text of a term; empty for an id that was never assigned.
    pub fn term_text(&mut self, id: TermId) -> String {
        self.know(id);
        if self.terms.contains(id) {
            self.terms.text(id)
        } else {
            String::new()
        }
    }

    /// Reads ground terms from KIF text.
    pub fn parse(&mut self, text: &str) -> Result<Vec<TermId>, String> {
        let read = GroundTerms::read(text).map_err(|problem| problem.message)?;
        let ids = lock(&self.shared).terms.import_all(&read);
        self.know_all(&ids);
        Ok(ids)
    }

    /// Interns terms of another table, in which the terms of the rules have the same ids as here.
    /// Returns their ids in this vocabulary, in the same order.
    pub fn import(&mut self, from: &Terms, roots: &[TermId]) -> Vec<TermId> {
        self.import_beyond(from, self.first, roots)
    }

    /// Interns terms that another vocabulary of the same rules knows. Both may have started with
    /// further terms of their own.
    pub fn import_from(&mut self, other: &Self, roots: &[TermId]) -> Vec<TermId> {
        self.import_beyond(&other.terms, self.first.min(other.first), roots)
    }

    /// Interns terms of another table, of which the first `common` are the same as here.
    fn import_beyond(&mut self, from: &Terms, common: usize, roots: &[TermId]) -> Vec<TermId> {
        let ids = {
            let shared = &mut lock(&self.shared).terms;
            let mut known: FxHashMap<TermId, TermId> = FxHashMap::default();
            let mut import_one = |root: TermId| {
                let made = from.rebuild(root, common, &mut known, |name, args| {
                    let functor = shared.symbols.intern(name);
                    Some(shared.intern(functor, args))
                });
                // Interning does not fail.
                made.unwrap_or(root)
            };
            let ids: Vec<TermId> = roots.iter().map(|root| import_one(*root)).collect();
            ids
        };
        self.know_all(&ids);
        ids
    }

    /// The number of terms that this vocabulary started with: those of the rules, or more.
    pub fn first_terms(&self) -> usize {
        self.first
    }

    /// The id of a move, assigned if it is new.
    pub fn move_id(&mut self, role: Role, term: TermId) -> MoveId {
        if let Some(id) = self.move_ids[role].get(&term) {
            return *id;
        }
        let text: Arc<str> = self.term_text(term).into();
        let (id, known) = {
            let shared = &mut *lock(&self.shared);
            let moves = &mut shared.moves[role];
            let id = *shared.move_ids[role].entry(term).or_insert_with(|| {
                moves.push((term, text));
                MoveId(moves.len() as u32 - 1)
            });
            (id, moves[id.index()].clone())
        };
        self.learn_move(role, id, known);
        id
    }

    fn learn_move(&mut self, role: Role, id: MoveId, known: KnownMove) {
        let moves = &mut self.moves[role];
        if id.index() >= moves.len() {
            moves.resize_with(id.index() + 1, || None);
        }
        self.move_ids[role].insert(known.0, id);
        moves[id.index()] = Some(known);
    }

    /// The term and text of a move; `None` for an id that was never assigned.
    pub fn move_of(&mut self, role: Role, id: MoveId) -> Option<(TermId, &str)> {
        if self
            .moves
            .get(role)?
            .get(id.index())
            .is_none_or(Option::is_none)
        {
            let known = lock(&self.shared).moves[role].get(id.index())?.clone();
            self.know(known.0);
            self.learn_move(role, id, known);
        }
        let (term, text) = self.moves[role].get(id.index())?.as_ref()?;
        Some((*term, text))
    }

    /// The text of a move that is known to this fork.
    pub fn known_move_text(&self, role: Role, id: MoveId) -> &str {
        let known = self.moves[role].get(id.index());
        known.and_then(Option::as_ref).map_or("", |(_, text)| text)
    }

    /// The move of a role with a KIF text.
    pub fn find_move(&mut self, role: Role, text: &str) -> Option<MoveId> {
        if role >= self.moves.len() {
            return None;
        }
        match self.parse(text).ok()?[..] {
            [term] => Some(self.move_id(role, term)),
            _ => None,
        }
    }

    /// Sorts moves by their text. All of them must be known to this fork.
    pub fn sort_moves(&self, role: Role, moves: &mut [MoveId]) {
        moves.sort_unstable_by(|a, b| {
            let text = |id| self.known_move_text(role, id);
            text(*a).cmp(text(*b))
        });
    }

    /// The texts of fluents, sorted.
    pub fn facts(&mut self, fluents: &[TermId]) -> Vec<String> {
        let text = |id: &TermId| {
            self.know(*id);
            self.terms.text(*id)
        };
        let mut facts: Vec<String> = fluents.iter().map(text).collect();
        facts.sort_unstable();
        facts
    }

    /// The fluent with a KIF text.
    pub fn fluent(&mut self, fact: &str) -> Result<TermId, ReasonError> {
        let bad = |reason: String| ReasonError::BadText {
            text: fact.to_owned(),
            reason,
        };
        match self.parse(fact).map_err(bad)?[..] {
            [term] => Ok(term),
            _ => Err(bad("a fact is exactly one term".to_owned())),
        }
    }

    /// The fluents of a state, sorted by id without duplicates, and the Zobrist key of the state.
    pub fn state(&mut self, mut fluents: Vec<TermId>) -> (Arc<[TermId]>, u128) {
        fluents.sort_unstable();
        fluents.dedup();
        let key = fluents.iter().fold(0, |key, id| key ^ self.key(*id));
        (fluents.into(), key)
    }

    /// An error if a term is larger than [`MAX_TERM`], so that it cannot be written out.
    pub fn check_sizes(&self, ids: &[TermId]) -> Result<(), ReasonError> {
        if ids.iter().any(|id| self.terms.size(*id) > MAX_TERM) {
            return Err(too_long());
        }
        Ok(())
    }

    /// A total order of terms that does not depend on the order in which they were interned.
    pub fn order(&self, a: TermId, b: TermId) -> Ordering {
        if a.index().min(b.index()) < self.first {
            return a.cmp(&b);
        }
        // Equal subterms have equal ids and are skipped. The first difference decides.
        let mut todo = vec![(a, b)];
        while let Some((a, b)) = todo.pop() {
            if a == b {
                continue;
            }
            let (x, y) = (self.terms.args(a), self.terms.args(b));
            let name = |id| self.terms.symbols.name(self.terms.functor(id));
            let order = name(a).cmp(name(b)).then(x.len().cmp(&y.len()));
            if order.is_ne() {
                return order;
            }
            todo.extend(x.iter().copied().zip(y.iter().copied()).rev());
        }
        Ordering::Equal
    }

    /// The Zobrist key of a term as a fluent.
    pub fn key(&mut self, id: TermId) -> u128 {
        if id.index() >= self.keys.len() {
            self.keys.resize(self.terms.len().max(id.index() + 1), 0);
        }
        if self.keys[id.index()] == 0 {
            self.keys[id.index()] = fluent_key(&self.term_text(id));
        }
        self.keys[id.index()]
    }
}

/// A poisoned lock can be used: entries are added as a whole.
fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_terms_does_not_depend_on_the_order_of_interning() {
        let texts = ["(s (s z))", "(s z)", "(t z)", "(s z z)", "(s y)", "y"];
        let mut orders = Vec::new();
        for turn in 0..texts.len() {
            let mut terms = Terms::default();
            terms.parse("z").unwrap();
            let mut vocabulary = Vocabulary::new(terms, 1);
            let mut met = texts;
            met.rotate_left(turn);
            let mut ids: Vec<TermId> = met.iter().map(|t| vocabulary.fluent(t).unwrap()).collect();
            ids.sort_by(|a, b| vocabulary.order(*a, *b));
            let sorted: Vec<String> = ids.iter().map(|id| vocabulary.terms.text(*id)).collect();
            orders.push(sorted);
        }
        assert!(orders.iter().all(|order| *order == orders[0]), "{orders:?}");
    }

    #[test]
    fn forks_agree_on_the_ids_of_terms_and_moves() {
        const MOVES: usize = 500;
        let mut first = Vocabulary::new(Terms::default(), 2);
        let mut second = first.clone();
        // Both forks intern new terms in turns.
        let text = |i: usize| format!("(move (to {i}) {})", i % 7);
        for i in 0..MOVES {
            let meets = if i % 5 == 0 { &mut second } else { &mut first };
            meets.find_move(1, &text(i)).unwrap();
        }
        for i in (0..MOVES).rev() {
            let id = first.find_move(1, &text(i)).unwrap();
            assert_eq!(second.find_move(1, &text(i)), Some(id));
            let known = first
                .move_of(1, id)
                .map(|(term, text)| (term, text.to_owned()));
            let other = second
                .move_of(1, id)
                .map(|(term, text)| (term, text.to_owned()));
            assert_eq!(known, other);
            assert_eq!(known.unwrap().1, text(i));
        }
        // A fork without any terms looks up a move and a term by their ids.
        let last = MoveId(MOVES as u32 - 1);
        let mut late = Vocabulary {
            shared: Arc::clone(&first.shared),
            ..Vocabulary::new(Terms::default(), 2)
        };
        let (term, written) = late.move_of(1, last).unwrap();
        let written = written.to_owned();
        assert_eq!(late.term_text(term), written);
        assert_eq!(late.move_of(1, MoveId(last.0 + 1)), None);
        assert_eq!(late.term_text(TermId(u32::MAX)), "");
    }

    #[test]
    fn a_fact_is_exactly_one_term() {
        let mut vocabulary = Vocabulary::new(Terms::default(), 1);
        assert!(vocabulary.fluent("(at a)").is_ok());
        for text in ["", "a b", "(at"] {
            assert!(matches!(
                vocabulary.fluent(text),
                Err(ReasonError::BadText { .. })
            ));
        }
    }
}
