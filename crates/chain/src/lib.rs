/*!
Forward chaining with reference tables, for games that are too large to ground.

[`Chain`] implements the engine of Schofield and Saffidine 2013, 'High Speed Forward Chaining for
General Game Playing'. It derives everything that a query needs from the fluents of a state, rule by
rule. Terms are replaced by numbers: every possible instance of a predicate has an id (`schema`,
`instance_ids`; definitions 2 to 4), the facts of a state are lists and an array (`knowledge_base`;
section 3), and a rule is a sequence of tables that map ids to ids (`table_rule`; section 6).

Compilation (`compile`): `rigid_build` computes the relations that are the same in all states,
`flatten` splits fluents and moves by functor, `condition_order` orders conditions by the cost model
of section 5 with `statistics` of random play, `table_plan` and `table_builder` build the tables of
a rule, `rule_groups` groups rules by the queries that need them, and `rule_compiler` assembles the
`compiled` game. A `state_machine` holds one state and evaluates queries; `execute` runs the rules.

Three fallbacks keep large games within the memory limit. Rules whose tables would be too large run
as joins over terms (`join`). Rigid relations that are too large to materialise are evaluated
`top_down`, with `tabling`. Predicates with too many possible instances for an array assign ids on
demand (`sparse_instances`).

Beyond Schofield and Saffidine 2013:
- a level walks through the rows of a reference number where these are fewer than the list is long;
- a rule stops looking for further derivations of a result that it has;
- queries only evaluate the rules they need;
- rules are restricted to head values that some rule uses (`useful_values`), and where it is faster
  to values demanded in the current state (`magic_sets`).
*/

mod budget;
mod clause;
mod column_domain;
mod compile;
mod compiled;
mod condition_order;
mod exchange;
mod execute;
mod extension;
mod flatten;
mod goals;
mod instance_ids;
mod join;
mod join_plan;
mod join_step;
mod knowledge_base;
mod level_builder;
#[cfg(test)]
mod limits_tests;
mod magic_sets;
mod make_top_down;
mod move_ids;
mod order_trial;
mod pattern;
mod prune;
mod reasoner;
mod reference_numbers;
mod report;
mod rigid;
mod rigid_build;
mod rule_compiler;
mod rule_groups;
mod rule_unit;
mod schema;
mod settings;
mod sparse_instances;
mod state;
mod state_machine;
mod statistics;
mod table_builder;
mod table_plan;
mod table_rule;
mod tabling;
#[cfg(test)]
mod tests;
mod top_down;
mod top_down_eval;
mod useful_rigid_values;
mod useful_values;

use std::sync::Arc;
use std::time::Instant;

use ludorum_gdl::Symbol;
use ludorum_logic::{Rules, TermId, Terms};
use rustc_hash::FxHashMap;

pub use budget::ChainError;
use budget::WorkClock;
use compiled::CompiledGame;
pub use report::ChainReport;
use rule_groups::Query;
use schema::Schema;
pub use settings::{ChainSettings, ConditionOrder, MagicSets};
pub use state::ChainState;
use state_machine::StateMachine;

use ludorum_reasoner::zobrist::fluent_key;
use ludorum_reasoner::{MoveId, PlayoutEnd, ReasonError, Rng, Role};

/// The forward chaining engine of a game.
#[derive(Debug)]
pub struct Chain {
    compiled: Arc<CompiledGame>,
    machine: StateMachine,
    /// The state loaded into the machine.
    current: Option<ChainState>,
    keys: FxHashMap<u32, u128>,
    /// The legal moves of each role, as a buffer for playouts.
    moves: Vec<Vec<(u32, u32)>>,
    fluents: Vec<u32>,
}

impl Chain {
    /// Compiles rules, with an optional deadline.
    pub fn new(
        rules: &Rules,
        settings: &ChainSettings,
        deadline: Option<Instant>,
    ) -> Result<Self, ChainError> {
        let mut clock = WorkClock::until(deadline).with_cancel(settings.cancel.clone());
        if let Some(time) = settings.build_time {
            clock = clock.with_cpu_limit(time);
        }
        let compiled = compile::compile(rules, settings, &clock)?;
        Ok(Self::with(Arc::new(compiled)))
    }

    fn with(compiled: Arc<CompiledGame>) -> Self {
        Self {
            machine: StateMachine::new(&compiled),
            current: None,
            keys: FxHashMap::default(),
            moves: vec![Vec::new(); compiled.roles.len()],
            fluents: Vec::new(),
            compiled,
        }
    }

    /// Build times and sizes.
    pub fn report(&self) -> &ChainReport {
        &self.compiled.report
    }

    fn load_state(&mut self, state: &ChainState) {
        if self.current.as_ref() != Some(state) {
            self.machine.load(&self.compiled, &state.fluents);
            self.current = Some(state.clone());
        }
    }

    fn text_of_fluent(&self, id: u32) -> String {
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
                let new = fluent_key(&self.text_of_fluent(*id));
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

    /// Splits a ground term into functor and arguments. `None` if a part is not interned.
    fn term(&self, text: &str) -> Result<Option<(Symbol, Vec<TermId>)>, String> {
        let mut foreign = Terms::default();
        let root = foreign.parse_one(text)?;
        let terms = &self.compiled.terms;
        // Arguments have lower ids than the terms that contain them.
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

    fn play(&mut self, rng: &mut Rng, limit: u32) -> Result<(u32, PlayoutEnd), ChainError> {
        let mut joint: Vec<(u32, u32)> = Vec::with_capacity(self.moves.len());
        let mut steps = 0;
        loop {
            self.machine.ensure(&self.compiled, Query::Terminal)?;
            if self.machine.knowledge.has(self.compiled.terminal) {
                return Ok((steps, PlayoutEnd::Terminal));
            }
            if steps >= limit {
                return Ok((steps, PlayoutEnd::Limit));
            }
            self.machine.ensure(&self.compiled, Query::Legal)?;
            if !self.machine.collect_moves(&self.compiled, &mut self.moves) {
                return Ok((steps, PlayoutEnd::Stuck));
            }
            joint.clear();
            let choices = self.moves.iter();
            joint.extend(choices.map(|moves| moves[rng.below(moves.len())]));
            self.machine
                .apply_moves(&self.compiled, joint.iter().copied())?;
            self.machine.advance(&self.compiled);
            steps += 1;
        }
    }
}

impl Chain {
    fn text_of_move(&mut self, role: Role, id: MoveId) -> String {
        let knowledge = &mut self.machine.knowledge;
        let Some((_, legal)) = self.compiled.moves.instance_of(knowledge, role, id) else {
            return String::new();
        };
        let CompiledGame { schema, terms, .. } = &*self.compiled;
        let predicate = schema.predicate(self.compiled.moves.predicate(legal));
        let cells = knowledge.cells(schema, predicate, legal);
        Schema::last_text(predicate, cells, terms)
    }
}
