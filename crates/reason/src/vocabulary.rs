//! Terms and moves that are met while playing, numbered alike in all forks of an engine.
//!
//! Engines that do not know all terms beforehand meet new ones as they go. Each fork keeps a private copy of the table,
//! always a prefix of the shared one; only a term that the copy lacks takes the lock, and the copy then catches up. So ids
//! mean the same in every thread, and looking up a known term needs no lock.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ludorum_gdl::Symbol;
use ludorum_logic::{TermId, Terms};
use rustc_hash::FxHashMap;

use crate::contract::{MoveId, Role};
use crate::zobrist::fluent_key;

/// What all forks agree on.
#[derive(Debug, Default)]
struct Shared {
    terms: Terms,
    /// The term of every move, by role.
    moves: Vec<Vec<TermId>>,
    move_ids: Vec<FxHashMap<TermId, MoveId>>,
}

/// One fork's view of the terms and moves.
#[derive(Debug)]
pub(crate) struct Vocabulary {
    pub(crate) terms: Terms,
    shared: Arc<Mutex<Shared>>,
    /// The moves known here, by role; always a prefix of the shared list.
    moves: Vec<Vec<(TermId, Box<str>)>>,
    move_ids: Vec<FxHashMap<TermId, MoveId>>,
    /// The keys of terms as fluents; 0 where not asked for yet.
    keys: Vec<u128>,
}

impl Clone for Vocabulary {
    fn clone(&self) -> Self {
        Self {
            terms: self.terms.clone(),
            shared: Arc::clone(&self.shared),
            moves: self.moves.clone(),
            move_ids: self.move_ids.clone(),
            keys: self.keys.clone(),
        }
    }
}

impl Vocabulary {
    pub(crate) fn new(terms: Terms, roles: usize) -> Self {
        let shared = Shared {
            terms: terms.clone(),
            moves: vec![Vec::new(); roles],
            move_ids: vec![FxHashMap::default(); roles],
        };
        Self {
            terms,
            shared: Arc::new(Mutex::new(shared)),
            moves: vec![Vec::new(); roles],
            move_ids: vec![FxHashMap::default(); roles],
            keys: Vec::new(),
        }
    }

    /// The term `functor(args…)`, made when it is new.
    pub(crate) fn intern(&mut self, functor: Symbol, args: &[TermId]) -> TermId {
        match self.terms.get(functor, args) {
            Some(id) => id,
            None => self.intern_shared(functor, args),
        }
    }

    #[cold]
    fn intern_shared(&mut self, functor: Symbol, args: &[TermId]) -> TermId {
        let shared = Arc::clone(&self.shared);
        let mut shared = lock(&shared);
        let id = shared.terms.intern(functor, args);
        self.catch_up(&shared);
        id
    }

    /// Copies what other forks have added.
    fn catch_up(&mut self, shared: &Shared) {
        for i in self.terms.symbols.len()..shared.terms.symbols.len() {
            let name = shared.terms.symbols.name(Symbol(i as u32));
            self.terms.symbols.intern(name);
        }
        for i in self.terms.len()..shared.terms.len() {
            let id = TermId(i as u32);
            self.terms
                .intern(shared.terms.functor(id), shared.terms.args(id));
        }
    }

    /// Makes sure that a term from another fork is known here.
    pub(crate) fn know(&mut self, id: TermId) {
        if id.index() >= self.terms.len() {
            let shared = Arc::clone(&self.shared);
            self.catch_up(&lock(&shared));
        }
    }

    /// The text of a term; empty for a number that no fork has given out.
    pub(crate) fn term_text(&mut self, id: TermId) -> String {
        self.know(id);
        if id.index() < self.terms.len() {
            self.terms.text(id)
        } else {
            String::new()
        }
    }

    /// Reads ground terms from KIF text.
    pub(crate) fn parse(&mut self, text: &str) -> Result<Vec<TermId>, String> {
        let shared = Arc::clone(&self.shared);
        let mut shared = lock(&shared);
        let ids = shared
            .terms
            .parse(text)
            .map_err(|problem| problem.message)?;
        self.catch_up(&shared);
        Ok(ids)
    }

    /// The number of a move.
    pub(crate) fn move_id(&mut self, role: Role, term: TermId) -> MoveId {
        if let Some(id) = self.move_ids[role].get(&term) {
            return *id;
        }
        let shared = Arc::clone(&self.shared);
        let mut shared = lock(&shared);
        if !shared.move_ids[role].contains_key(&term) {
            let id = MoveId(shared.moves[role].len() as u32);
            shared.moves[role].push(term);
            shared.move_ids[role].insert(term, id);
        }
        self.catch_up(&shared);
        self.catch_up_moves(&shared, role);
        self.move_ids[role][&term]
    }

    fn catch_up_moves(&mut self, shared: &Shared, role: Role) {
        for i in self.moves[role].len()..shared.moves[role].len() {
            let term = shared.moves[role][i];
            self.moves[role].push((term, self.terms.text(term).into()));
            self.move_ids[role].insert(term, MoveId(i as u32));
        }
    }

    /// The term and text of a move; `None` for a number that no fork has given out.
    pub(crate) fn move_of(&mut self, role: Role, id: MoveId) -> Option<(TermId, &str)> {
        if id.index() >= self.moves.get(role)?.len() {
            let shared = Arc::clone(&self.shared);
            let shared = lock(&shared);
            self.catch_up(&shared);
            self.catch_up_moves(&shared, role);
        }
        let (term, text) = self.moves[role].get(id.index())?;
        Some((*term, text))
    }

    /// The text of a move that is known here.
    pub(crate) fn known_move_text(&self, role: Role, id: MoveId) -> &str {
        self.moves[role]
            .get(id.index())
            .map_or("", |(_, text)| text)
    }

    /// The key of a term as a fluent.
    pub(crate) fn key(&mut self, id: TermId) -> u128 {
        if id.index() >= self.keys.len() {
            self.keys.resize(self.terms.len().max(id.index() + 1), 0);
        }
        if self.keys[id.index()] == 0 {
            self.keys[id.index()] = fluent_key(&self.terms.text(id));
        }
        self.keys[id.index()]
    }
}

/// A poisoned lock still holds a consistent table: entries are added whole.
fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
