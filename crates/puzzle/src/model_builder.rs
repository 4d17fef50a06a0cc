//! The tables of a [`Model`] in the making.
//!
//! The engine is asked about each part in each of its situations, all parts at once. That may take
//! longer than a turn, or than the clock of a move: what was asked stays, and the match may go on
//! meanwhile.

use ludorum_reasoner::{MoveId, ReasonError, Reasoner};
use rustc_hash::FxHashMap;

use crate::factor_model::{FactorModel, TABLE_WIDTH};
use crate::rule_analysis::{Factorization, ROLE};
use crate::technique::TechniqueContext;

/// Parts with more situations than this are not taken for small machines.
const MAX_STATES: usize = 250;
/// The most parts, and moves.
const MAX_FACTORS: usize = 128;
const MAX_MOVES: usize = 128;
/// The bytes of a fact besides its text.
const BYTES_PER_FACT: usize = size_of::<String>();
/// The tables are there so often: those of the model, forwards and backwards, are made from them.
const TABLE_COPIES: usize = 3;

/// What has come of some questions.
#[derive(Debug)]
pub(crate) enum BuildStatus {
    /// There is more to ask.
    Running,
    /// The model, but for what is worth following.
    Finished(Box<FactorModel>),
    /// The puzzle is not of this kind.
    Inapplicable,
}

/// The situations of one part: facts to numbers.
#[derive(Debug, Default)]
struct FactorStates {
    numbers: FxHashMap<Vec<String>, u8>,
    facts: Vec<Vec<String>>,
    /// How many have been asked about.
    queried: usize,
    transitions: Vec<u8>,
    /// What the facts take, but for small change.
    bytes: usize,
}

impl FactorStates {
    fn number(&mut self, facts: Vec<String>) -> Option<u8> {
        if let Some(number) = self.numbers.get(&facts) {
            return Some(*number);
        }
        let number = self.facts.len();
        if number >= MAX_STATES {
            return None;
        }
        let texts: usize = facts.iter().map(|fact| fact.len() + BYTES_PER_FACT).sum();
        self.bytes += 2 * texts;
        self.facts.push(facts.clone());
        self.numbers.insert(facts, number as u8);
        Some(number as u8)
    }
}

/// A question: the situation of each part, and how many moves have been made from there.
#[derive(Debug)]
struct TransitionQuery {
    states_asked: Vec<usize>,
    moves: usize,
}

/// A model in the making.
#[derive(Debug)]
pub(crate) struct ModelBuilder {
    /// The place of each part of the sheet among those looked at.
    constrained_index: Vec<Option<usize>>,
    legal: Vec<MoveId>,
    /// The facts of all other parts.
    other_facts: Vec<String>,
    states: Vec<FactorStates>,
    query: Option<TransitionQuery>,
    /// What was played since it began.
    moves_played: Vec<MoveId>,
    max_bytes: usize,
}

/// The facts of each part that is looked at, and those of all others.
fn split_facts(
    facts: Vec<String>,
    factors: &Factorization,
    constrained_index: &[Option<usize>],
    count: usize,
) -> (Vec<Vec<String>>, Vec<String>) {
    let mut split_facts = vec![Vec::new(); count];
    let mut other_facts = Vec::new();
    for fact in facts {
        let factor = factors.factor_of(&fact);
        match factor.and_then(|factor| constrained_index.get(factor).copied().flatten()) {
            Some(constrained_index) => split_facts[constrained_index].push(fact),
            None => other_facts.push(fact),
        }
    }
    (split_facts, other_facts)
}

impl ModelBuilder {
    /// Begins at the root; none if the puzzle is not of this kind, or too large.
    pub(crate) fn new<R: Reasoner>(
        context: &mut TechniqueContext<'_, R>,
        factors: &Factorization,
        max_bytes: usize,
    ) -> Result<Option<Self>, ReasonError> {
        if !factors.has_constant_moves {
            return Ok(None);
        }
        let mut count = 0;
        let constrained_index = factors.all.iter().map(|factor| {
            factor.is_relevant().then(|| {
                count += 1;
                count - 1
            })
        });
        let constrained_index: Vec<Option<usize>> = constrained_index.collect();
        let mut legal = Vec::new();
        context
            .reasoner
            .legal_moves(context.root, ROLE, &mut legal)?;
        if !(2..=MAX_FACTORS).contains(&count) || !(1..=MAX_MOVES).contains(&legal.len()) {
            return Ok(None);
        }
        if TABLE_COPIES * count * legal.len() * TABLE_WIDTH > max_bytes {
            return Ok(None);
        }
        let facts = context.reasoner.facts(context.root);
        let (at_root, other_facts) = split_facts(facts, factors, &constrained_index, count);
        let states = at_root.into_iter().map(|facts| {
            let mut states_of = FactorStates {
                transitions: vec![0; legal.len() * TABLE_WIDTH],
                ..FactorStates::default()
            };
            // The first situation is that at the root.
            states_of.number(facts);
            states_of
        });
        Ok(Some(Self {
            states: states.collect(),
            constrained_index,
            legal,
            other_facts,
            query: None,
            moves_played: Vec::new(),
            max_bytes,
        }))
    }

    /// The bytes it takes, and will take when the model is made of it.
    pub(crate) fn bytes(&self) -> usize {
        let tables = self.states.len() * self.legal.len() * TABLE_WIDTH;
        let facts: usize = self.states.iter().map(|states_of| states_of.bytes).sum();
        TABLE_COPIES * tables + facts
    }

    /// A move was played meanwhile.
    pub(crate) fn advance(&mut self, id: MoveId) {
        self.moves_played.push(id);
    }

    /// Asks one question, as far as there is time.
    pub(crate) fn work<R: Reasoner>(
        &mut self,
        context: &mut TechniqueContext<'_, R>,
        factors: &Factorization,
    ) -> Result<BuildStatus, ReasonError> {
        if self.query.is_none() {
            let is_open = |states_of: &FactorStates| states_of.queried < states_of.facts.len();
            if !self.states.iter().any(is_open) {
                return Ok(self.finish(factors));
            }
            // One question tells about a situation of every part.
            let states_asked = self.states.iter();
            let states_asked =
                states_asked.map(|states_of| states_of.queried.min(states_of.facts.len() - 1));
            self.query = Some(TransitionQuery {
                states_asked: states_asked.collect(),
                moves: 0,
            });
        }
        let Some(query) = &mut self.query else {
            return Ok(BuildStatus::Running);
        };
        let mut facts = self.other_facts.clone();
        for (states_of, asked) in self.states.iter().zip(&query.states_asked) {
            facts.extend(states_of.facts[*asked].iter().cloned());
        }
        let state = context.reasoner.state_from_facts(&facts)?;
        let count = self.states.len();
        while let Some(id) = self.legal.get(query.moves) {
            if context.should_stop() {
                return Ok(BuildStatus::Running);
            }
            let next = context.next(&state, *id)?;
            // A position is a step on the way, as in any search.
            context.simulations += 1;
            let next = context.reasoner.facts(&next);
            let (transitions, _) = split_facts(next, factors, &self.constrained_index, count);
            let row = query.moves * TABLE_WIDTH;
            let asked = self.states.iter_mut().zip(&query.states_asked);
            for ((states_of, asked), facts) in asked.zip(transitions) {
                let Some(number) = states_of.number(facts) else {
                    return Ok(BuildStatus::Inapplicable);
                };
                states_of.transitions[row + asked] = number;
            }
            query.moves += 1;
        }
        for (states_of, asked) in self.states.iter_mut().zip(&query.states_asked) {
            states_of.queried = states_of.queried.max(asked + 1);
        }
        self.query = None;
        if self.bytes() > self.max_bytes {
            return Ok(BuildStatus::Inapplicable);
        }
        Ok(BuildStatus::Running)
    }

    /// Puts the model together and follows what was played.
    fn finish(&mut self, factors: &Factorization) -> BuildStatus {
        let states = std::mem::take(&mut self.states);
        let pieces = factors.all.iter().filter(|factor| factor.is_relevant());
        let wanted = pieces.zip(&states).map(|(factor, states_of)| {
            let facts = states_of.facts.iter();
            facts
                .map(|facts| factor.meets_requirements(facts))
                .collect()
        });
        let wanted: Vec<Vec<bool>> = wanted.collect();
        // What is wanted must be a situation that can come about.
        if !wanted.iter().all(|wanted| wanted.contains(&true)) {
            return BuildStatus::Inapplicable;
        }
        let root = vec![0; states.len()];
        let sizes = states
            .iter()
            .map(|states_of| states_of.facts.len())
            .collect();
        let transitions: Vec<Vec<u8>> = states
            .into_iter()
            .map(|states_of| states_of.transitions)
            .collect();
        let Some(mut model) =
            FactorModel::from_tables(&self.legal, sizes, &transitions, root, wanted)
        else {
            return BuildStatus::Inapplicable;
        };
        for id in &self.moves_played {
            if model.advance(*id).is_none() {
                return BuildStatus::Inapplicable;
            }
        }
        BuildStatus::Finished(Box::new(model))
    }
}
