/*!
Forward chaining with reference tables: the strongest engine that needs no ground program.

After 'High Speed Forward Chaining for General Game Playing'. [`Chain`] derives everything that a question needs from the facts of a state, rule by rule. Terms are gone when it
plays: every possible fact has a number (`schema`), what holds is a list and an array (`knowledge`), and a rule is a chain of tables that lead from numbers to numbers (`program`).

On the way there: `rigid` computes what never changes, `flatten` takes fluents and moves apart, `order` finds a good order of conditions from `statistics` of random play, `plan` and `tables`
make the tables of a rule, `demand` sorts rules by the questions that need them, `compile` does all that. Rules whose tables would be too large run
without (`join`). `machine` looks at one state and goes on to the next.

Beyond the paper: rows are followed from a reference number where that is less than going through a list; a rule stops looking for more ways to a result that it has; and
nothing is derived that no question has asked for.
*/

mod allowed;
mod budget;
mod clause;
mod column;
mod compile;
mod demand;
mod extension;
mod flatten;
mod goals;
mod join;
mod knowledge;
mod machine;
mod moves;
mod order;
mod pattern;
mod plan;
mod program;
mod relevance;
mod report;
mod rigid;
mod schema;
mod sparse;
mod state;
mod statistics;
mod tables;
#[cfg(test)]
mod tests;
mod unit;

use std::sync::Arc;
use std::time::Instant;

use ludorum_gdl::Symbol;
use ludorum_logic::{Rules, TermId, Terms};
use rustc_hash::FxHashMap;

pub use budget::{ChainSettings, Ordering, Stop};
use compile::Compiled;
use demand::Question;
use machine::Machine;
pub use report::ChainReport;
use schema::Schema;
pub use state::ChainState;

use crate::contract::{Goal, MoveId, ReasonError, Reasoner, Role, check_move_count};
use crate::dice::Dice;
use crate::playout::{End, Playout};
use crate::zobrist::fluent_key;

/// The engine for a game.
#[derive(Debug)]
pub struct Chain {
    compiled: Arc<Compiled>,
    machine: Machine,
    /// The state that the machine looks at.
    current: Option<ChainState>,
    keys: FxHashMap<u32, u128>,
    /// The legal moves of each role, for playouts.
    moves: Vec<Vec<(u32, u32)>>,
    fluents: Vec<u32>,
}

impl Chain {
    /// Compiles rules, until a deadline if there is one.
    pub fn new(
        rules: &Rules,
        settings: &ChainSettings,
        deadline: Option<Instant>,
    ) -> Result<Self, Stop> {
        let compiled = compile::compile(rules, settings, deadline)?;
        Ok(Self::with(Arc::new(compiled)))
    }

    fn with(compiled: Arc<Compiled>) -> Self {
        Self {
            machine: Machine::new(&compiled),
            current: None,
            keys: FxHashMap::default(),
            moves: vec![Vec::new(); compiled.roles.len()],
            fluents: Vec::new(),
            compiled,
        }
    }

    /// What making it took.
    pub fn report(&self) -> &ChainReport {
        &self.compiled.report
    }

    fn look(&mut self, state: &ChainState) {
        if self.current.as_ref() != Some(state) {
            self.machine.load(&self.compiled, &state.fluents);
            self.current = Some(state.clone());
        }
    }

    fn fluent_text(&self, id: u32) -> String {
        let schema = &self.compiled.schema;
        let fluents = &schema.fluents;
        let place = fluents.partition_point(|number| schema.predicate(*number).base <= id);
        let Some(number) = place.checked_sub(1).and_then(|place| fluents.get(place)) else {
            return String::new();
        };
        let predicate = schema.predicate(*number);
        let cells = schema.cells(predicate, id).collect();
        Schema::last_text(predicate, cells, &self.compiled.terms)
    }

    fn state(&mut self, mut fluents: Vec<u32>) -> ChainState {
        fluents.sort_unstable();
        fluents.dedup();
        let mut key = 0;
        for id in &fluents {
            key ^= if let Some(known) = self.keys.get(id) {
                *known
            } else {
                let new = fluent_key(&self.fluent_text(*id));
                self.keys.insert(*id, new);
                new
            };
        }
        ChainState {
            fluents: fluents.into(),
            key,
        }
    }

    fn check_role(&self, role: Role) -> Result<(), ReasonError> {
        let count = self.compiled.roles.len();
        if role < count {
            return Ok(());
        }
        Err(ReasonError::UnknownRole { role, count })
    }

    /// A ground term of a text in parts, if all of them are known here.
    fn term(&self, text: &str) -> Result<Option<(Symbol, Vec<TermId>)>, String> {
        let mut foreign = Terms::default();
        let roots = foreign.parse(text).map_err(|problem| problem.message)?;
        let [root] = roots[..] else {
            return Err("exactly one term is needed".to_owned());
        };
        let terms = &self.compiled.terms;
        // Parts have lower numbers than wholes.
        let mut own: Vec<Option<TermId>> = Vec::with_capacity(foreign.len());
        for id in (0..foreign.len() as u32).map(TermId) {
            let name = foreign.symbols.name(foreign.functor(id));
            let args = foreign.args(id).iter();
            let args: Option<Vec<TermId>> = args.map(|arg| own[arg.index()]).collect();
            let known = terms.symbols.get(name).zip(args);
            if id == root {
                return Ok(known);
            }
            own.push(known.and_then(|(functor, args)| terms.get(functor, &args)));
        }
        Ok(None)
    }

    fn play(&mut self, dice: &mut Dice, limit: u32) -> Result<(u32, End), Stop> {
        let mut joint: Vec<(u32, u32)> = Vec::with_capacity(self.moves.len());
        let mut steps = 0;
        loop {
            self.machine.settle(&self.compiled, Question::Terminal)?;
            if self.machine.knowledge.has(self.compiled.terminal) {
                return Ok((steps, End::Terminal));
            }
            if steps >= limit {
                return Ok((steps, End::Limit));
            }
            self.machine.settle(&self.compiled, Question::Legal)?;
            if !self.machine.collect_moves(&self.compiled, &mut self.moves) {
                return Ok((steps, End::Stuck));
            }
            joint.clear();
            let choices = self.moves.iter();
            joint.extend(choices.map(|moves| moves[dice.below(moves.len())]));
            self.machine.act(&self.compiled, joint.iter().copied())?;
            self.machine.advance(&self.compiled);
            steps += 1;
        }
    }
}

impl Reasoner for Chain {
    type State = ChainState;

    fn roles(&self) -> &[String] {
        &self.compiled.role_names
    }

    fn initial(&mut self) -> Result<ChainState, ReasonError> {
        let initial = self.compiled.initial.clone();
        Ok(self.state(initial))
    }

    fn is_terminal(&mut self, state: &ChainState) -> Result<bool, ReasonError> {
        self.look(state);
        self.machine.settle(&self.compiled, Question::Terminal)?;
        Ok(self.machine.knowledge.has(self.compiled.terminal))
    }

    fn goal(&mut self, state: &ChainState, role: Role) -> Result<Goal, ReasonError> {
        self.check_role(role)?;
        self.look(state);
        self.machine.settle(&self.compiled, Question::Goal)?;
        Ok(self.compiled.goals.of(role, &self.machine.knowledge))
    }

    fn legal_moves(
        &mut self,
        state: &ChainState,
        role: Role,
        moves: &mut Vec<MoveId>,
    ) -> Result<(), ReasonError> {
        self.check_role(role)?;
        self.look(state);
        self.machine.settle(&self.compiled, Question::Legal)?;
        moves.clear();
        for predicate in self.compiled.moves.predicates() {
            let list = self.machine.knowledge.list_of(predicate).iter();
            let knowledge = &self.machine.knowledge;
            let outside = list.filter_map(|id| self.compiled.moves.outside(knowledge, *id));
            moves.extend(outside.filter(|(of, _)| *of == role).map(|(_, id)| id));
        }
        if self.compiled.moves.in_order {
            moves.sort_unstable();
        } else {
            let mut texts: Vec<(String, MoveId)> = Vec::with_capacity(moves.len());
            for id in moves.iter() {
                texts.push((self.text_of_move(role, *id), *id));
            }
            texts.sort_unstable();
            moves.clear();
            moves.extend(texts.into_iter().map(|(_, id)| id));
        }
        Ok(())
    }

    fn next(
        &mut self,
        state: &ChainState,
        joint_move: &[MoveId],
    ) -> Result<ChainState, ReasonError> {
        check_move_count(self.compiled.roles.len(), joint_move)?;
        self.look(state);
        self.machine.settle(&self.compiled, Question::Legal)?;
        let mut joint = Vec::with_capacity(joint_move.len());
        for (role, id) in joint_move.iter().enumerate() {
            let knowledge = &mut self.machine.knowledge;
            match self.compiled.moves.inside(knowledge, role, *id) {
                Some((does, legal)) if self.machine.knowledge.has(legal) => {
                    joint.push((does, legal));
                }
                _ => {
                    let text = self.text_of_move(role, *id);
                    return Err(ReasonError::IllegalMove {
                        role: self.compiled.role_names[role].clone(),
                        text: if text.is_empty() {
                            format!("move {}", id.0)
                        } else {
                            text
                        },
                    });
                }
            }
        }
        self.machine.act(&self.compiled, joint.into_iter())?;
        let mut fluents = std::mem::take(&mut self.fluents);
        self.machine.next_fluents(&self.compiled, &mut fluents);
        let next = self.state(fluents.clone());
        self.fluents = fluents;
        Ok(next)
    }

    fn move_text(&mut self, role: Role, id: MoveId) -> String {
        self.text_of_move(role, id)
    }

    fn find_move(&mut self, role: Role, text: &str) -> Option<MoveId> {
        let (functor, parts) = self.term(text).ok()??;
        let role_term = *self.compiled.roles.get(role)?;
        let Compiled { schema, terms, .. } = &*self.compiled;
        let relation = self.compiled.legal_relation;
        let fact = schema.fact(relation, Some(role_term), (functor, &parts), terms);
        let (predicate, cells) = fact?;
        let knowledge = &mut self.machine.knowledge;
        let id = match predicate.sparse {
            Some(place) => predicate.base + knowledge.sparse[place].number(&cells).ok()?,
            None => schema.id_of(predicate, |i| cells.get(i).copied())?,
        };
        let outside = self.compiled.moves.outside(knowledge, id);
        outside.map(|(_, id)| id)
    }

    fn facts(&mut self, state: &ChainState) -> Vec<String> {
        let texts = state.fluents.iter().map(|id| self.fluent_text(*id));
        let mut facts: Vec<String> = texts.collect();
        facts.sort_unstable();
        facts
    }

    fn state_from_facts(&mut self, facts: &[String]) -> Result<ChainState, ReasonError> {
        let mut fluents = Vec::with_capacity(facts.len());
        for fact in facts {
            let bad = |reason: String| ReasonError::BadText {
                text: fact.clone(),
                reason,
            };
            let term = self.term(fact).map_err(bad)?;
            let Compiled { schema, terms, .. } = &*self.compiled;
            let relation = self.compiled.true_relation;
            let id = term.and_then(|(functor, parts)| {
                let (predicate, cells) = schema.fact(relation, None, (functor, &parts), terms)?;
                schema.id_of(predicate, |i| cells.get(i).copied())
            });
            let id = id.ok_or_else(|| bad("no state of this game can hold it".to_owned()))?;
            fluents.push(id);
        }
        Ok(self.state(fluents))
    }

    fn key(&self, state: &ChainState) -> u128 {
        state.key
    }

    fn fork(&self) -> Self {
        Self::with(Arc::clone(&self.compiled))
    }

    fn set_deadline(&mut self, deadline: Option<Instant>) {
        self.machine.set_deadline(deadline);
    }

    fn playout(
        &mut self,
        state: &ChainState,
        dice: &mut Dice,
        limit: u32,
    ) -> Result<Playout, ReasonError> {
        self.current = None;
        self.machine.load(&self.compiled, &state.fluents);
        let (steps, end) = self.play(dice, limit)?;
        self.machine.settle(&self.compiled, Question::Goal)?;
        let roles = 0..self.compiled.roles.len();
        let goals = roles.map(|role| self.compiled.goals.of(role, &self.machine.knowledge)).collect();
        Ok(Playout { goals, steps, end })
    }
}

impl Chain {
    fn text_of_move(&mut self, role: Role, id: MoveId) -> String {
        let knowledge = &mut self.machine.knowledge;
        let Some((_, legal)) = self.compiled.moves.inside(knowledge, role, id) else {
            return String::new();
        };
        let Compiled { schema, terms, .. } = &*self.compiled;
        let predicate = schema.predicate(self.compiled.moves.predicate(legal));
        let cells = knowledge.cells(schema, predicate, legal);
        Schema::last_text(predicate, cells, terms)
    }
}
