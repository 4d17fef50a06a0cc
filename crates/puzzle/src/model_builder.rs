//! Builds the transition tables of a [`FactorModel`] by queries to the engine.
//!
//! One query sets every factor to one of its states and applies every move, so that all factors are
//! explored at once. That may take longer than a turn or than the clock of a move. Answers are
//! kept, and the match may go on meanwhile.

use ludorum_reasoner::{MoveId, ReasonError, Reasoner};
use rustc_hash::FxHashMap;

use crate::factor_model::{FactorModel, TABLE_WIDTH};
use crate::rule_analysis::{Factorization, ROLE};
use crate::technique::TechniqueContext;

/// Maximal number of states of a factor.
const MAX_STATES: usize = 250;
/// Maximal number of factors.
const MAX_FACTORS: usize = 128;
/// Maximal number of legal moves.
const MAX_MOVES: usize = 128;
/// The bytes of a fact besides its text.
const BYTES_PER_FACT: usize = size_of::<String>();
/// Copies of the transition tables: the ones built here, and forward and inverse tables of the
/// model.
const TABLE_COPIES: usize = 3;

/// Result of a piece of work.
#[derive(Debug)]
pub(crate) enum BuildStatus {
    /// There are queries left.
    Running,
    /// The model, without the pruning of moves.
    Finished(Box<FactorModel>),
    /// The puzzle is not of this kind.
    Inapplicable,
}

/// The states of one factor; each is a list of facts.
#[derive(Debug, Default)]
struct FactorStates {
    indices: FxHashMap<Vec<String>, u8>,
    facts: Vec<Vec<String>>,
    /// How many states were queried.
    queried: usize,
    transitions: Vec<u8>,
    /// The approximate bytes of the facts.
    bytes: usize,
}

impl FactorStates {
    fn index_of(&mut self, facts: Vec<String>) -> Option<u8> {
        if let Some(index) = self.indices.get(&facts) {
            return Some(*index);
        }
        let index = self.facts.len();
        if index >= MAX_STATES {
            return None;
        }
        let texts: usize = facts.iter().map(|fact| fact.len() + BYTES_PER_FACT).sum();
        self.bytes += 2 * texts;
        self.facts.push(facts.clone());
        self.indices.insert(facts, index as u8);
        Some(index as u8)
    }
}

/// A query: a state of each factor, and how many moves have been applied.
#[derive(Debug)]
struct TransitionQuery {
    states: Vec<usize>,
    moves: usize,
}

/// A model under construction.
#[derive(Debug)]
pub(crate) struct ModelBuilder {
    /// For each factor of the analysis its index in the model, if it is part of it.
    model_index: Vec<Option<usize>>,
    legal: Vec<MoveId>,
    /// The facts of all other factors.
    other_facts: Vec<String>,
    factor_states: Vec<FactorStates>,
    query: Option<TransitionQuery>,
    /// The moves of the match since the start.
    moves_played: Vec<MoveId>,
    max_bytes: usize,
}

/// The facts of each factor of the model, and the facts of all others.
fn split_facts(
    facts: Vec<String>,
    factors: &Factorization,
    model_index: &[Option<usize>],
    count: usize,
) -> (Vec<Vec<String>>, Vec<String>) {
    let mut facts_by_factor = vec![Vec::new(); count];
    let mut other_facts = Vec::new();
    for fact in facts {
        let factor = factors.factor_of(&fact);
        match factor.and_then(|factor| model_index.get(factor).copied().flatten()) {
            Some(model_index) => facts_by_factor[model_index].push(fact),
            None => other_facts.push(fact),
        }
    }
    (facts_by_factor, other_facts)
}

impl ModelBuilder {
    /// Starts at the root. Returns `None` if the puzzle is not of this kind or too large.
    pub(crate) fn new<R: Reasoner>(
        context: &mut TechniqueContext<'_, R>,
        factors: &Factorization,
        max_bytes: usize,
    ) -> Result<Option<Self>, ReasonError> {
        if !factors.has_constant_moves {
            return Ok(None);
        }
        let mut count = 0;
        let model_index = factors.all.iter().map(|factor| {
            factor.is_relevant().then(|| {
                count += 1;
                count - 1
            })
        });
        let model_index: Vec<Option<usize>> = model_index.collect();
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
        let (at_root, other_facts) = split_facts(facts, factors, &model_index, count);
        let factor_states = at_root.into_iter().map(|facts| {
            let mut states = FactorStates {
                transitions: vec![0; legal.len() * TABLE_WIDTH],
                ..FactorStates::default()
            };
            // State 0 is that of the root.
            states.index_of(facts);
            states
        });
        Ok(Some(Self {
            factor_states: factor_states.collect(),
            model_index,
            legal,
            other_facts,
            query: None,
            moves_played: Vec::new(),
            max_bytes,
        }))
    }

    /// The bytes in use, including those of the model that will be made.
    pub(crate) fn bytes(&self) -> usize {
        let tables = self.factor_states.len() * self.legal.len() * TABLE_WIDTH;
        let facts: usize = self.factor_states.iter().map(|states| states.bytes).sum();
        TABLE_COPIES * tables + facts
    }

    /// A move of the match was played meanwhile.
    pub(crate) fn advance(&mut self, id: MoveId) {
        self.moves_played.push(id);
    }

    /// Works on one query until the turn ends.
    pub(crate) fn work<R: Reasoner>(
        &mut self,
        context: &mut TechniqueContext<'_, R>,
        factors: &Factorization,
    ) -> Result<BuildStatus, ReasonError> {
        if self.query.is_none() {
            let has_queries_left = |states: &FactorStates| states.queried < states.facts.len();
            if !self.factor_states.iter().any(has_queries_left) {
                return Ok(self.finish(factors));
            }
            // One query covers a state of every factor.
            let states = self.factor_states.iter();
            let states = states.map(|states| states.queried.min(states.facts.len() - 1));
            self.query = Some(TransitionQuery {
                states: states.collect(),
                moves: 0,
            });
        }
        let Some(query) = &mut self.query else {
            return Ok(BuildStatus::Running);
        };
        let mut facts = self.other_facts.clone();
        for (states, state) in self.factor_states.iter().zip(&query.states) {
            facts.extend(states.facts[*state].iter().cloned());
        }
        let state = context.reasoner.state_from_facts(&facts)?;
        let count = self.factor_states.len();
        while let Some(id) = self.legal.get(query.moves) {
            if context.should_stop() {
                return Ok(BuildStatus::Running);
            }
            let next = context.next(&state, *id)?;
            // A position counts as a simulation, as in the other techniques.
            context.simulations += 1;
            let next = context.reasoner.facts(&next);
            let (next_facts, _) = split_facts(next, factors, &self.model_index, count);
            let row = query.moves * TABLE_WIDTH;
            let queried = self.factor_states.iter_mut().zip(&query.states);
            for ((states, state), facts) in queried.zip(next_facts) {
                let Some(index) = states.index_of(facts) else {
                    return Ok(BuildStatus::Inapplicable);
                };
                states.transitions[row + state] = index;
            }
            query.moves += 1;
        }
        for (states, state) in self.factor_states.iter_mut().zip(&query.states) {
            states.queried = states.queried.max(state + 1);
        }
        self.query = None;
        if self.bytes() > self.max_bytes {
            return Ok(BuildStatus::Inapplicable);
        }
        Ok(BuildStatus::Running)
    }

    /// Makes the model and applies the moves of the match to it.
    fn finish(&mut self, factors: &Factorization) -> BuildStatus {
        let factor_states = std::mem::take(&mut self.factor_states);
        let relevant = factors.all.iter().filter(|factor| factor.is_relevant());
        let goal_states = relevant.zip(&factor_states).map(|(factor, states)| {
            let facts = states.facts.iter();
            facts
                .map(|facts| factor.meets_requirements(facts))
                .collect()
        });
        let goal_states: Vec<Vec<bool>> = goal_states.collect();
        // Every factor must be able to meet its requirements.
        if !goal_states
            .iter()
            .all(|goal_states| goal_states.contains(&true))
        {
            return BuildStatus::Inapplicable;
        }
        let root = vec![0; factor_states.len()];
        let state_counts = factor_states
            .iter()
            .map(|states| states.facts.len())
            .collect();
        let transitions: Vec<Vec<u8>> = factor_states
            .into_iter()
            .map(|states| states.transitions)
            .collect();
        let Some(mut model) =
            FactorModel::from_tables(&self.legal, state_counts, &transitions, root, goal_states)
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
