//! The solver: backward chaining with linear tabling (Zhou et al. 2008).
//!
//! A query is a relation with some arguments bound. Its answers are kept as long as nothing changes
//! that they depend on: forever for rigid relations, for one state, or for one state and joint
//! move. A recursive query that meets itself uses the answers found so far. The topmost query of
//! such a cycle (the leader) evaluates its rules again until a whole round adds no answer.
//! Therefore left recursion and mutual recursion terminate. Negation queries a lower stratum, whose
//! queries are always complete.
//!
//! The evaluation of queries (here) and of rules ([`run`]) are mutually recursive over the same
//! frames and tables. [`terms`] matches and builds terms in the frames.

mod run;
mod terms;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use ludorum_logic::rule::RelationId;
use ludorum_logic::{RelationClass, Rules, TermId};

use super::answer_table::{AnswerTable, Layer, Status};
use super::facts::Facts;
use super::fluent_statistics::FluentStatistics;
use super::mask::Mask;
use super::rule_plan::{IndexKeys, Plan, PlanInput, plan};
use super::state::StateView;
use ludorum_reasoner::ReasonError;
use ludorum_reasoner::vocabulary::Vocabulary;

/// The step limit of one query, some ten seconds of work.
const MAX_STEPS: u64 = 1 << 28;
/// The step limit for one rigid relation during preparation.
const MAX_PREPARATION_STEPS_PER_RELATION: u64 = 1 << 18;
/// The step limit for all rigid relations during preparation.
const MAX_PREPARATION_STEPS: u64 = 1 << 22;
/// The number of steps between two checks of the stop signal; a power of two.
const CLOCK_STEPS: u64 = 1024;
/// The limit on the cells that the answers of one query take.
const MAX_CELLS: usize = 1 << 26;
/// The limit on nested queries.
const MAX_DEPTH: usize = 50_000;
/// Up to this number of fluents a linear search is faster than an index.
const FEW_FLUENTS: usize = 6;

/// The table of a query.
#[derive(Clone, Copy, Debug)]
pub(super) struct Query {
    layer: usize,
    table: usize,
}

#[derive(Clone, Debug)]
pub(super) struct Solver {
    pub(super) rules: Arc<Rules>,
    pub(super) vocabulary: Vocabulary,
    pub(super) view: StateView,
    /// The current joint move: role and move.
    pub(super) joint: Vec<(TermId, TermId)>,
    pub(super) deadline: Option<Instant>,
    /// Set by another thread to interrupt a query.
    pub(super) interrupt: Option<Arc<AtomicBool>>,
    /// The cancel flag of the caller, see
    /// [`Reasoner::set_cancel`](ludorum_reasoner::Reasoner::set_cancel).
    pub(super) cancel: Option<Arc<AtomicBool>>,
    pub(super) facts: Facts,
    statistics: FluentStatistics,
    /// Plans by relation, then by mask.
    plans: Vec<Vec<(Mask, Arc<Plan>)>>,
    indexes: IndexKeys,
    layers: [Layer; 3],
    /// The values of variables, one frame for each running rule.
    frames: Vec<TermId>,
    /// A stack for keys, values and answers.
    scratch: Vec<TermId>,
    key: Vec<u32>,
    depth: usize,
    /// The queries of the current cycle that were evaluated in this round.
    waiting: Vec<Query>,
    round: u32,
    /// The smallest depth of the running queries that were met.
    low: u32,
    /// Whether an incomplete query got a new answer.
    changed: bool,
    steps: u64,
    max_steps: u64,
    cells: usize,
}

/// The query that receives the answers of a rule.
#[derive(Clone, Copy)]
struct Target {
    query: Query,
    /// Whether one answer is enough.
    first_only: bool,
}

const UNSET: TermId = TermId(u32::MAX);

impl Solver {
    pub(super) fn new(rules: Arc<Rules>) -> Self {
        let relations = rules.relations().len();
        Self {
            vocabulary: Vocabulary::new(rules.terms.clone(), rules.roles.len()),
            view: StateView::default(),
            joint: Vec::new(),
            deadline: None,
            interrupt: None,
            cancel: None,
            facts: Facts::new(&rules),
            statistics: FluentStatistics::default(),
            plans: vec![Vec::new(); relations],
            indexes: Vec::new(),
            layers: Default::default(),
            frames: Vec::new(),
            scratch: Vec::new(),
            key: Vec::new(),
            depth: 0,
            waiting: Vec::new(),
            round: 0,
            low: u32::MAX,
            changed: false,
            steps: 0,
            max_steps: MAX_STEPS,
            cells: 0,
            rules,
        }
    }

    /// Computes all answers of the rigid relations for which that is quick. Lookups in indexed
    /// facts are faster, and known sizes lead to better orders of conditions. The statistics of
    /// fluents are taken from the initial state. Relations that are not finished at the deadline
    /// are evaluated through their rules.
    pub(super) fn prepare(&mut self, until: Option<Instant>) {
        let deadline = std::mem::replace(&mut self.deadline, until);
        // The preparation serves all later queries, so the cancel flag of one caller must not stop
        // it.
        let cancel = self.cancel.take();
        let mut rigid: Vec<(u32, RelationId)> = self
            .rules
            .relations()
            .filter(|(_, relation)| {
                relation.class == RelationClass::Rigid && !relation.rules.is_empty()
            })
            .map(|(id, relation)| (relation.component, id))
            .collect();
        rigid.sort_unstable();
        let mut left = MAX_PREPARATION_STEPS;
        for (_, id) in rigid {
            self.max_steps = left.min(MAX_PREPARATION_STEPS_PER_RELATION);
            if let Ok(query) = self.ask(id, 0, &[]) {
                let table = &self.layers[query.layer].tables[query.table];
                self.facts.complete(id, table.count, &table.cells);
            }
            left = left.saturating_sub(self.steps);
        }
        self.max_steps = MAX_STEPS;
        self.deadline = deadline;
        self.cancel = cancel;
        if let Ok(query) = self.ask(self.rules.keywords.init, 0, &[]) {
            let fluents = &self.layers[query.layer].tables[query.table].cells;
            self.statistics = FluentStatistics::new(fluents, self.vocabulary.terms());
        }
        self.forget(RelationClass::Rigid);
        self.plans.iter_mut().for_each(Vec::clear);
    }

    /// Drops the tables of `class` and of all classes that depend on it.
    pub(super) fn forget(&mut self, class: RelationClass) {
        for layer in &mut self.layers[class as usize..] {
            layer.clear();
        }
    }

    /// Evaluates a query completely. `bound` are the values at the positions of the mask, in order.
    pub(super) fn ask(
        &mut self,
        relation: RelationId,
        mask: Mask,
        bound: &[TermId],
    ) -> Result<Query, ReasonError> {
        self.steps = 0;
        self.check_time()?;
        let from = self.scratch.len();
        self.scratch.extend_from_slice(bound);
        let result = self.call(relation, mask, from);
        match &result {
            Ok(_) => {
                self.scratch.truncate(from);
                self.cells = 0;
            }
            Err(error) => {
                if matches!(error, ReasonError::Stopped) {
                    self.suspend();
                } else {
                    self.forget(RelationClass::Rigid);
                    self.cells = 0;
                }
                self.frames.clear();
                self.scratch.clear();
                self.waiting.clear();
                self.depth = 0;
                self.low = u32::MAX;
            }
        }
        result
    }

    /// Marks all running queries as waiting after a stop. The answers found so far stay valid, and
    /// a repeated query continues from them. `cells` is not reset, so that repeated queries cannot
    /// fill the memory.
    fn suspend(&mut self) {
        let waiting = Status::Waiting {
            round: self.round,
            low: 0,
        };
        let tables = self.layers.iter_mut().flat_map(|layer| &mut layer.tables);
        for table in tables.filter(|table| matches!(table.status, Status::Running { .. })) {
            table.status = waiting;
        }
        self.round += 1;
    }

    /// The answers of a query found so far, possibly incomplete.
    pub(super) fn known(&self, relation: RelationId, mask: Mask, bound: &[TermId]) -> &[TermId] {
        let table = self.find_table(relation, mask, bound);
        table.map_or(&[], |table| &table.cells)
    }

    /// The answers of a query, if it has been evaluated completely.
    pub(super) fn all(
        &self,
        relation: RelationId,
        mask: Mask,
        bound: &[TermId],
    ) -> Option<&[TermId]> {
        let table = self.find_table(relation, mask, bound)?;
        (table.status == Status::Complete).then_some(&table.cells)
    }

    fn find_table(
        &self,
        relation: RelationId,
        mask: Mask,
        bound: &[TermId],
    ) -> Option<&AnswerTable> {
        let layer = &self.layers[self.rules.relation(relation).class as usize];
        let mut key = vec![relation.0, mask as u32, (mask >> 32) as u32];
        key.extend(bound.iter().map(|id| id.0));
        layer.find(&key).map(|table| &layer.tables[table])
    }

    /// The answers of a query. Each has one cell for each free position.
    pub(super) fn answers(&self, query: Query) -> &[TermId] {
        &self.table(query).cells
    }

    /// The number of answers of a query.
    pub(super) fn count(&self, query: Query) -> usize {
        self.table(query).count
    }

    fn table(&self, query: Query) -> &AnswerTable {
        &self.layers[query.layer].tables[query.table]
    }

    fn table_mut(&mut self, query: Query) -> &mut AnswerTable {
        &mut self.layers[query.layer].tables[query.table]
    }

    fn plan(&mut self, relation: RelationId, mask: Mask) -> Arc<Plan> {
        let plans = &self.plans[relation.index()];
        if let Some((_, plan)) = plans.iter().find(|(m, _)| *m == mask) {
            return Arc::clone(plan);
        }
        let input = PlanInput {
            rules: &self.rules,
            facts: &self.facts,
            statistics: &self.statistics,
        };
        let new = Arc::new(plan(input, relation, mask, &mut self.indexes));
        self.plans[relation.index()].push((mask, Arc::clone(&new)));
        // Planning takes as long as many steps, so let the next step check the stop signal.
        self.steps |= CLOCK_STEPS - 1;
        new
    }

    /// The query with the bound values `scratch[from..]`, evaluated as far as possible: inside a
    /// cycle its answers may be incomplete.
    fn call(
        &mut self,
        relation: RelationId,
        mask: Mask,
        from: usize,
    ) -> Result<Query, ReasonError> {
        let layer = self.rules.relation(relation).class as usize;
        self.key.clear();
        self.key
            .extend([relation.0, mask as u32, (mask >> 32) as u32]);
        self.key.extend(self.scratch[from..].iter().map(|id| id.0));
        let plan = self.plan(relation, mask);
        let query = if let Some(table) = self.layers[layer].find(&self.key) {
            let query = Query { layer, table };
            match self.table(query).status {
                Status::Complete => return Ok(query),
                Status::Running { depth } => {
                    self.low = self.low.min(depth);
                    return Ok(query);
                }
                Status::Waiting { round, low } if round == self.round => {
                    self.low = self.low.min(low);
                    return Ok(query);
                }
                Status::Waiting { .. } => query,
            }
        } else {
            let table = self.layers[layer].add(&self.key, AnswerTable::new(plan.free));
            Query { layer, table }
        };
        // Recursion of the rule sheet can nest queries deeply, so the stack may grow on the heap.
        stacker::maybe_grow(128 << 10, 8 << 20, || {
            self.evaluate(query, relation, mask, &plan, from)
        })?;
        Ok(query)
    }

    fn evaluate(
        &mut self,
        query: Query,
        relation: RelationId,
        mask: Mask,
        plan: &Plan,
        from: usize,
    ) -> Result<(), ReasonError> {
        if self.depth >= MAX_DEPTH {
            return Err(ReasonError::Budget(format!(
                "`{}` needs over {MAX_DEPTH} nested questions; does it recurse without end?",
                self.rules.relation_name(relation)
            )));
        }
        let depth = self.depth as u32;
        self.depth += 1;
        self.table_mut(query).status = Status::Running { depth };
        let low_before = std::mem::replace(&mut self.low, u32::MAX);
        let changed_before = std::mem::replace(&mut self.changed, false);
        let waiting_before = self.waiting.len();
        let target = Target {
            query,
            first_only: plan.free == 0,
        };
        self.add_facts(query, relation, mask, from);
        loop {
            let enough = self.run_rules(plan, target, from)?;
            if enough || self.low == u32::MAX {
                // The query is complete. Queries that waited for it are evaluated again on demand.
                if self.waiting.len() > waiting_before {
                    self.waiting.truncate(waiting_before);
                    self.round += 1;
                }
                self.table_mut(query).status = Status::Complete;
                self.low = low_before;
                self.changed = changed_before;
                break;
            }
            if self.low < depth {
                // The query is part of a cycle with another leader.
                self.table_mut(query).status = Status::Waiting {
                    round: self.round,
                    low: self.low,
                };
                self.waiting.push(query);
                self.low = self.low.min(low_before);
                self.changed |= changed_before;
                break;
            }
            if !self.changed {
                for i in waiting_before..self.waiting.len() {
                    let member = self.waiting[i];
                    self.table_mut(member).status = Status::Complete;
                }
                self.waiting.truncate(waiting_before);
                self.table_mut(query).status = Status::Complete;
                self.low = low_before;
                self.changed = changed_before;
                break;
            }
            self.waiting.truncate(waiting_before);
            self.round += 1;
            self.low = u32::MAX;
            self.changed = false;
        }
        self.depth -= 1;
        Ok(())
    }

    fn add_facts(&mut self, query: Query, relation: RelationId, mask: Mask, from: usize) {
        let start = self.scratch.len();
        let bound: Vec<TermId> = self.scratch[from..].to_vec();
        let count = self
            .facts
            .answers(relation, mask, &bound, &mut self.scratch);
        let table = &mut self.layers[query.layer].tables[query.table];
        if table.width == 0 {
            table.count = table.count.max(count.min(1));
        } else {
            for answer in self.scratch[start..].chunks_exact(table.width) {
                table.add(answer);
            }
        }
        self.scratch.truncate(start);
    }

    pub(super) fn check_time(&self) -> Result<(), ReasonError> {
        let late = self
            .deadline
            .is_some_and(|deadline| Instant::now() >= deadline);
        let interrupted = || {
            let mut flags = [&self.interrupt, &self.cancel].into_iter().flatten();
            flags.any(|flag| flag.load(Ordering::Acquire))
        };
        if late || interrupted() {
            Err(ReasonError::Stopped)
        } else {
            Ok(())
        }
    }

    fn tick(&mut self) -> Result<(), ReasonError> {
        self.steps += 1;
        if self.steps.is_multiple_of(CLOCK_STEPS) {
            self.check_time()?;
            if self.steps > self.max_steps || self.cells > MAX_CELLS {
                return Err(ReasonError::Budget(
                    "a query took too many steps or answers; the sheet may recurse without end"
                        .to_owned(),
                ));
            }
        }
        Ok(())
    }
}
