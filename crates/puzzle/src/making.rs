//! The tables of a [`Model`] in the making.
//!
//! The engine is asked about each part in each of its situations, all parts at once. That may take
//! longer than a turn, or than the clock of a move: what was asked stays, and the match may go on
//! meanwhile.

use ludorum_reasoner::{MoveId, ReasonError, Reasoner};
use rustc_hash::FxHashMap;

use super::desk::{Desk, ROLE};
use super::model::{COLUMNS, Model};
use super::sheet::Parts;

/// Parts with more situations than this are not taken for small machines.
const MOST_LOCALS: usize = 250;
/// The most parts, and moves.
const MOST_PARTS: usize = 128;
const MOST_MOVES: usize = 128;
/// The bytes of a fact besides its text.
const FACT: usize = size_of::<String>();
/// The tables are there so often: those of the model, forwards and backwards, are made from them.
const COPIES: usize = 3;

/// What has come of some questions.
#[derive(Debug)]
pub(super) enum Made {
    /// There is more to ask.
    More,
    /// The model, but for what is worth following.
    Model(Box<Model>),
    /// The puzzle is not of this kind.
    Nothing,
}

/// The situations of one part: facts to numbers.
#[derive(Debug, Default)]
struct Locals {
    numbers: FxHashMap<Vec<String>, u8>,
    facts: Vec<Vec<String>>,
    /// How many have been asked about.
    done: usize,
    after: Vec<u8>,
    /// What the facts take, but for small change.
    bytes: usize,
}

impl Locals {
    fn number(&mut self, facts: Vec<String>) -> Option<u8> {
        if let Some(number) = self.numbers.get(&facts) {
            return Some(*number);
        }
        let number = self.facts.len();
        if number >= MOST_LOCALS {
            return None;
        }
        let texts: usize = facts.iter().map(|fact| fact.len() + FACT).sum();
        self.bytes += 2 * texts;
        self.facts.push(facts.clone());
        self.numbers.insert(facts, number as u8);
        Some(number as u8)
    }
}

/// A question: the situation of each part, and how many moves have been made from there.
#[derive(Debug)]
struct Question {
    situations: Vec<usize>,
    moves: usize,
}

/// A model in the making.
#[derive(Debug)]
pub(super) struct Making {
    /// The place of each part of the sheet among those looked at.
    place: Vec<Option<usize>>,
    legal: Vec<MoveId>,
    /// The facts of all other parts.
    others: Vec<String>,
    locals: Vec<Locals>,
    question: Option<Question>,
    /// What was played since it began.
    played: Vec<MoveId>,
    most_bytes: usize,
}

/// The facts of each part that is looked at, and those of all others.
fn split(
    facts: Vec<String>,
    parts: &Parts,
    place: &[Option<usize>],
    count: usize,
) -> (Vec<Vec<String>>, Vec<String>) {
    let mut split = vec![Vec::new(); count];
    let mut others = Vec::new();
    for fact in facts {
        let part = parts.part_of(&fact);
        match part.and_then(|part| place.get(part).copied().flatten()) {
            Some(place) => split[place].push(fact),
            None => others.push(fact),
        }
    }
    (split, others)
}

impl Making {
    /// Begins at the root; none if the puzzle is not of this kind, or too large.
    pub(super) fn new<R: Reasoner>(
        desk: &mut Desk<'_, R>,
        parts: &Parts,
        most_bytes: usize,
    ) -> Result<Option<Self>, ReasonError> {
        if !parts.moves_are_fixed {
            return Ok(None);
        }
        let mut count = 0;
        let place = parts.all.iter().map(|part| {
            part.is_piece().then(|| {
                count += 1;
                count - 1
            })
        });
        let place: Vec<Option<usize>> = place.collect();
        let mut legal = Vec::new();
        desk.reasoner.legal_moves(desk.root, ROLE, &mut legal)?;
        if !(2..=MOST_PARTS).contains(&count) || !(1..=MOST_MOVES).contains(&legal.len()) {
            return Ok(None);
        }
        if COPIES * count * legal.len() * COLUMNS > most_bytes {
            return Ok(None);
        }
        let facts = desk.reasoner.facts(desk.root);
        let (at_root, others) = split(facts, parts, &place, count);
        let locals = at_root.into_iter().map(|facts| {
            let mut local = Locals {
                after: vec![0; legal.len() * COLUMNS],
                ..Locals::default()
            };
            // The first situation is that at the root.
            local.number(facts);
            local
        });
        Ok(Some(Self {
            locals: locals.collect(),
            place,
            legal,
            others,
            question: None,
            played: Vec::new(),
            most_bytes,
        }))
    }

    /// The bytes it takes, and will take when the model is made of it.
    pub(super) fn bytes(&self) -> usize {
        let tables = self.locals.len() * self.legal.len() * COLUMNS;
        let facts: usize = self.locals.iter().map(|local| local.bytes).sum();
        COPIES * tables + facts
    }

    /// A move was played meanwhile.
    pub(super) fn advance(&mut self, id: MoveId) {
        self.played.push(id);
    }

    /// Asks one question, as far as there is time.
    pub(super) fn work<R: Reasoner>(
        &mut self,
        desk: &mut Desk<'_, R>,
        parts: &Parts,
    ) -> Result<Made, ReasonError> {
        if self.question.is_none() {
            let is_open = |local: &Locals| local.done < local.facts.len();
            if !self.locals.iter().any(is_open) {
                return Ok(self.finish(parts));
            }
            // One question tells about a situation of every part.
            let situations = self.locals.iter();
            let situations = situations.map(|local| local.done.min(local.facts.len() - 1));
            self.question = Some(Question {
                situations: situations.collect(),
                moves: 0,
            });
        }
        let Some(question) = &mut self.question else {
            return Ok(Made::More);
        };
        let mut facts = self.others.clone();
        for (local, asked) in self.locals.iter().zip(&question.situations) {
            facts.extend(local.facts[*asked].iter().cloned());
        }
        let state = desk.reasoner.state_from_facts(&facts)?;
        let count = self.locals.len();
        while let Some(id) = self.legal.get(question.moves) {
            if desk.is_over() {
                return Ok(Made::More);
            }
            let next = desk.next(&state, *id)?;
            // A position is a step on the way, as in any search.
            desk.simulations += 1;
            let next = desk.reasoner.facts(&next);
            let (after, _) = split(next, parts, &self.place, count);
            let row = question.moves * COLUMNS;
            let asked = self.locals.iter_mut().zip(&question.situations);
            for ((local, asked), facts) in asked.zip(after) {
                let Some(number) = local.number(facts) else {
                    return Ok(Made::Nothing);
                };
                local.after[row + asked] = number;
            }
            question.moves += 1;
        }
        for (local, asked) in self.locals.iter_mut().zip(&question.situations) {
            local.done = local.done.max(asked + 1);
        }
        self.question = None;
        if self.bytes() > self.most_bytes {
            return Ok(Made::Nothing);
        }
        Ok(Made::More)
    }

    /// Puts the model together and follows what was played.
    fn finish(&mut self, parts: &Parts) -> Made {
        let locals = std::mem::take(&mut self.locals);
        let pieces = parts.all.iter().filter(|part| part.is_piece());
        let wanted = pieces.zip(&locals).map(|(part, local)| {
            let facts = local.facts.iter();
            facts.map(|facts| part.is_right(facts)).collect()
        });
        let wanted: Vec<Vec<bool>> = wanted.collect();
        // What is wanted must be a situation that can come about.
        if !wanted.iter().all(|wanted| wanted.contains(&true)) {
            return Made::Nothing;
        }
        let root = vec![0; locals.len()];
        let sizes = locals.iter().map(|local| local.facts.len()).collect();
        let after: Vec<Vec<u8>> = locals.into_iter().map(|local| local.after).collect();
        let Some(mut model) = Model::from_tables(&self.legal, sizes, &after, root, wanted) else {
            return Made::Nothing;
        };
        for id in &self.played {
            if model.advance(*id).is_none() {
                return Made::Nothing;
            }
        }
        Made::Model(Box::new(model))
    }
}
