//! Names, numbers and initial state of a ground game: what all engines on a network share.

use std::fmt;
use std::sync::Arc;

use ludorum_ground::GroundProgram;
use ludorum_logic::{TermId, Terms};
use rustc_hash::FxHashMap;

use ludorum_reasoner::zobrist::fluent_key;
use ludorum_reasoner::{FluentId, HeapSize, MoveId, ReasonError, Role, allocation};

/// A state as a bit set of fluents.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct BitState {
    /// 64 fluents in each word, the first in the lowest bit.
    pub words: Box<[u64]>,
}

impl BitState {
    /// A state in which no fluent holds.
    pub fn empty(fluents: usize) -> Self {
        Self {
            words: vec![0; fluents.div_ceil(64)].into(),
        }
    }

    /// Whether a fluent holds.
    pub fn get(&self, fluent: usize) -> bool {
        self.words[fluent / 64] >> (fluent % 64) & 1 == 1
    }

    /// Sets whether a fluent holds.
    pub fn set(&mut self, fluent: usize, value: bool) {
        let bit = 1 << (fluent % 64);
        if value {
            self.words[fluent / 64] |= bit;
        } else {
            self.words[fluent / 64] &= !bit;
        }
    }

    /// How many fluents hold in this state only, and how many in the other only.
    pub fn difference(&self, other: &Self) -> (usize, usize) {
        let words = self.words.iter().zip(&other.words);
        words.fold((0, 0), |(here, there), (a, b)| {
            (
                here + (a & !b).count_ones() as usize,
                there + (b & !a).count_ones() as usize,
            )
        })
    }

    /// Replaces the list by the numbers of the fluents that hold, ascending.
    pub fn fluents(&self, fluents: &mut Vec<FluentId>) {
        fluents.clear();
        fluents.extend(self.ones().map(|fluent| FluentId(fluent as u32)));
    }

    /// The fluents that hold, ascending.
    pub fn ones(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(i, word)| {
            let mut rest = *word;
            std::iter::from_fn(move || {
                (rest != 0).then(|| {
                    let bit = rest.trailing_zeros() as usize;
                    rest &= rest - 1;
                    i * 64 + bit
                })
            })
        })
    }
}

impl HeapSize for BitState {
    fn heap_bytes(&self) -> usize {
        allocation(size_of_val(&*self.words))
    }
}

impl fmt::Debug for BitState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.ones()).finish()
    }
}

/// The moves of one role, numbered in alphabetical order of their texts.
#[derive(Clone, Debug, Default)]
struct RoleMoves {
    terms: Vec<TermId>,
    texts: Vec<Box<str>>,
    numbers: FxHashMap<Box<str>, MoveId>,
    /// The number of the role's first move among the moves of all roles.
    first: usize,
}

/// Names, numbers and the initial state of a ground game.
#[derive(Clone, Debug)]
pub struct GroundGame {
    /// The names of the roles.
    pub roles: Vec<String>,
    /// The text of each fluent.
    pub fluents: Vec<Box<str>>,
    /// The term store of the ground program. Terms of the rules have the same ids here.
    pub terms: Arc<Terms>,
    /// The term of each fluent.
    pub fluent_terms: Vec<TermId>,
    /// The initial state.
    pub initial: BitState,
    /// Sets of fluents of which at most one holds in every reachable state.
    pub at_most_one: Vec<Box<[u32]>>,
    keys: Vec<u128>,
    fluent_numbers: FxHashMap<Box<str>, u32>,
    moves: Vec<RoleMoves>,
    move_count: usize,
}

/// The order in which moves are numbered: for each role, the positions of its moves in the ground
/// program, sorted by text.
pub type MoveOrder = Vec<Vec<usize>>;

impl GroundGame {
    /// The names of a program's fluents and moves, and the order in which its moves are numbered.
    pub fn new(program: &GroundProgram) -> (Self, MoveOrder) {
        let text = |id| program.terms.text(id);
        let fluents: Vec<Box<str>> = program
            .fluents
            .iter()
            .map(|fluent| text(fluent.term).into())
            .collect();
        let mut initial = BitState::empty(fluents.len());
        for fluent in program.initial_state() {
            initial.set(fluent, true);
        }
        let mut moves = Vec::new();
        let mut order = Vec::new();
        let mut first = 0;
        for role in &program.moves {
            let texts: Vec<String> = role.iter().map(|m| text(m.term)).collect();
            let mut places: Vec<usize> = (0..texts.len()).collect();
            places.sort_unstable_by(|a, b| texts[*a].cmp(&texts[*b]));
            let texts: Vec<Box<str>> = places.iter().map(|i| texts[*i].as_str().into()).collect();
            let numbers = texts
                .iter()
                .enumerate()
                .map(|(i, text)| (text.clone(), MoveId(i as u32)))
                .collect();
            let count = texts.len();
            moves.push(RoleMoves {
                terms: places.iter().map(|place| role[*place].term).collect(),
                texts,
                numbers,
                first,
            });
            first += count;
            order.push(places);
        }
        let game = Self {
            roles: program.roles.iter().map(|id| text(*id)).collect(),
            keys: fluents.iter().map(|fluent| fluent_key(fluent)).collect(),
            fluent_numbers: fluents
                .iter()
                .enumerate()
                .map(|(i, fluent)| (fluent.clone(), i as u32))
                .collect(),
            fluents,
            terms: Arc::clone(&program.terms),
            fluent_terms: program.fluents.iter().map(|fluent| fluent.term).collect(),
            initial,
            at_most_one: program.at_most_one.clone(),
            moves,
            move_count: first,
        };
        (game, order)
    }

    /// How many moves all roles have together.
    pub fn move_count(&self) -> usize {
        self.move_count
    }

    /// The range of a role's moves among the moves of all roles.
    pub fn moves_of(&self, role: Role) -> std::ops::Range<usize> {
        let moves = &self.moves[role];
        moves.first..moves.first + moves.texts.len()
    }

    /// The terms of a role's moves, by move number.
    pub fn move_terms(&self, role: Role) -> &[TermId] {
        &self.moves[role].terms
    }

    /// An error if the role does not exist.
    pub fn check_role(&self, role: Role) -> Result<(), ReasonError> {
        if role < self.roles.len() {
            return Ok(());
        }
        Err(ReasonError::UnknownRole {
            role,
            count: self.roles.len(),
        })
    }

    /// The KIF text of a move; empty if the move does not exist.
    pub fn move_text(&self, role: Role, id: MoveId) -> String {
        let texts = self.moves.get(role).map(|moves| &moves.texts);
        texts
            .and_then(|texts| texts.get(id.index()))
            .map(ToString::to_string)
            .unwrap_or_default()
    }

    /// The move with a KIF text, if there is one.
    pub fn find_move(&self, role: Role, text: &str) -> Option<MoveId> {
        let numbers = &self.moves.get(role)?.numbers;
        if let Some(id) = numbers.get(text) {
            return Some(*id);
        }
        numbers.get(canonical(text).ok()?.as_str()).copied()
    }

    /// The error for an illegal move.
    pub fn illegal(&self, role: Role, id: MoveId) -> ReasonError {
        let text = self.move_text(role, id);
        ReasonError::IllegalMove {
            role: self.roles[role].clone(),
            text: if text.is_empty() {
                format!("move {}", id.0)
            } else {
                text
            },
        }
    }

    /// The KIF text of a fluent; empty if the fluent does not exist.
    pub fn fluent_text(&self, id: FluentId) -> String {
        let text = self.fluents.get(id.index());
        text.map(ToString::to_string).unwrap_or_default()
    }

    /// The KIF texts of the fluents that hold, sorted.
    pub fn facts(&self, state: &BitState) -> Vec<String> {
        let mut facts: Vec<String> = state.ones().map(|i| self.fluents[i].to_string()).collect();
        facts.sort_unstable();
        facts
    }

    /// The state in which exactly these fluents hold.
    pub fn state_from_facts(&self, facts: &[String]) -> Result<BitState, ReasonError> {
        let mut state = BitState::empty(self.fluents.len());
        for fact in facts {
            let number = if let Some(number) = self.fluent_numbers.get(fact.as_str()) {
                Some(*number)
            } else {
                let canonical = canonical(fact).map_err(|reason| ReasonError::BadText {
                    text: fact.clone(),
                    reason,
                })?;
                self.fluent_numbers.get(canonical.as_str()).copied()
            };
            let Some(number) = number else {
                return Err(ReasonError::BadText {
                    text: fact.clone(),
                    reason: "no state of this game can hold it".to_owned(),
                });
            };
            state.set(number as usize, true);
        }
        Ok(state)
    }

    /// The Zobrist key of a state (Zobrist 1970): the exclusive or of the keys of its fluents.
    pub fn key(&self, state: &BitState) -> u128 {
        state.ones().fold(0, |key, i| key ^ self.keys[i])
    }

    /// Updates the key of a state incrementally by the fluents in which the next state differs.
    pub fn key_after(&self, mut key: u128, before: &BitState, after: &BitState) -> u128 {
        for (i, (old, new)) in before.words.iter().zip(&after.words).enumerate() {
            let mut changed = old ^ new;
            while changed != 0 {
                key ^= self.keys[i * 64 + changed.trailing_zeros() as usize];
                changed &= changed - 1;
            }
        }
        key
    }
}

/// One ground term in canonical spacing.
fn canonical(text: &str) -> Result<String, String> {
    let mut terms = ludorum_logic::Terms::default();
    terms.parse_one(text).map(|term| terms.text(term))
}
