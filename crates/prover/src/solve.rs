//! Runs queries: backward chaining with remembered answers.
//!
//! A query is a relation with some arguments bound. Its answers are remembered as long as nothing
//! they depend on changes: for ever for rigid relations, for one state, or for one state and joint
//! move. A recursive query that meets itself takes the answers found so far; the query that leads
//! such a cycle repeats its rules until a whole round brings nothing new (linear tabling), so left
//! recursion and mutual recursion end. Negation asks a lower stratum, whose queries are always
//! complete.
//!
//! Evaluating queries (here) and running rules ([`run`]) call each other over the same frames and
//! tables; [`terms`] reads and fills the frames.

mod run;
mod terms;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use ludorum_logic::rule::RelationId;
use ludorum_logic::{RelationClass, Rules, TermId};

use super::facts::Facts;
use super::plan::{Basis, IndexKeys, Mask, Plan, plan};
use super::state::View;
use super::statistics::Statistics;
use super::table::{Layer, Status, Table};
use ludorum_reasoner::ReasonError;
use ludorum_reasoner::vocabulary::Vocabulary;

/// The most steps that one question may take; some ten seconds of work.
const MAX_STEPS: u64 = 1 << 28;
/// The most steps for all answers of one rigid relation beforehand, and for those of all of them;
/// some hundredths of a second.
const MAX_STEPS_BEFOREHAND: u64 = 1 << 18;
const MAX_STEPS_BEFOREHAND_IN_ALL: u64 = 1 << 22;
/// The clock is looked at after so many steps; a power of two.
const CLOCK_STEPS: u64 = 1024;
/// The most cells that the answers of one question may take.
const MAX_CELLS: usize = 1 << 26;
/// The deepest chain of queries.
const MAX_DEPTH: usize = 50_000;
/// Up to so many fluents, looking at each is quicker than an index.
const FEW_FLUENTS: usize = 6;

/// A remembered query.
#[derive(Clone, Copy, Debug)]
pub(super) struct Query {
    layer: usize,
    table: usize,
}

#[derive(Clone, Debug)]
pub(super) struct Solver {
    pub(super) rules: Arc<Rules>,
    pub(super) vocabulary: Vocabulary,
    pub(super) view: View,
    /// The joint move that is looked at: role and move.
    pub(super) joint: Vec<(TermId, TermId)>,
    pub(super) deadline: Option<Instant>,
    /// Set by someone who does not want the answer any more.
    pub(super) interrupt: Option<Arc<AtomicBool>>,
    /// The same, for the one who asks: see [`Reasoner::set_cancel`](ludorum_reasoner::Reasoner::set_cancel).
    pub(super) cancel: Option<Arc<AtomicBool>>,
    pub(super) facts: Facts,
    statistics: Statistics,
    /// Plans by relation, then by mask.
    plans: Vec<Vec<(Mask, Arc<Plan>)>>,
    indexes: IndexKeys,
    layers: [Layer; 3],
    /// Values of variables, a frame for each running rule.
    frames: Vec<TermId>,
    /// Scratch for keys, values and answers, used as a stack.
    scratch: Vec<TermId>,
    key: Vec<u32>,
    depth: usize,
    /// Tables of the cycle that is being led, evaluated in this round.
    waiting: Vec<Query>,
    round: u32,
    /// The lowest running query that was met.
    low: u32,
    /// Whether a query that is not complete got a new answer.
    changed: bool,
    steps: u64,
    max_steps: u64,
    cells: usize,
}

/// What a rule's answers are for.
#[derive(Clone, Copy)]
struct Target {
    query: Query,
    /// One answer is enough.
    first_only: bool,
}

const UNSET: TermId = TermId(u32::MAX);

impl Solver {
    pub(super) fn new(rules: Arc<Rules>) -> Self {
        let relations = rules.relations().len();
        Self {
            vocabulary: Vocabulary::new(rules.terms.clone(), rules.roles.len()),
            view: View::default(),
            joint: Vec::new(),
            deadline: None,
            interrupt: None,
            cancel: None,
            facts: Facts::new(&rules),
            statistics: Statistics::default(),
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

    /// Computes all answers of the rigid relations for which that is quick. As facts with an index
    /// they are looked up faster, and their known sizes lead to better orders of conditions; the
    /// initial state shows what sizes to expect of fluents. Relations that are not done at the
    /// given moment are left to their rules.
    pub(super) fn prepare(&mut self, until: Option<Instant>) {
        let deadline = std::mem::replace(&mut self.deadline, until);
        // This is done once, for all questions to come.
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
        let mut left = MAX_STEPS_BEFOREHAND_IN_ALL;
        for (_, id) in rigid {
            self.max_steps = left.min(MAX_STEPS_BEFOREHAND);
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
            self.statistics = Statistics::new(fluents, self.vocabulary.terms());
        }
        self.forget(RelationClass::Rigid);
        self.plans.iter_mut().for_each(Vec::clear);
    }

    /// Forgets what depends on `class` or more.
    pub(super) fn forget(&mut self, class: RelationClass) {
        for layer in &mut self.layers[class as usize..] {
            layer.clear();
        }
    }

    /// Asks a query from outside: the values bound, in the order of their places. Gives the query
    /// with all its answers.
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

    /// Makes all that runs wait. Answers found so far hold, and whoever asks again goes on from
    /// them; `cells` goes on counting, so that no sheet fills the memory by being asked again and
    /// again.
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

    /// The answers of a query as far as it was evaluated, perhaps not all.
    pub(super) fn known(&self, relation: RelationId, mask: Mask, bound: &[TermId]) -> &[TermId] {
        let table = self.remembered(relation, mask, bound);
        table.map_or(&[], |table| &table.cells)
    }

    /// The answers of a query that was evaluated to its end.
    pub(super) fn all(
        &self,
        relation: RelationId,
        mask: Mask,
        bound: &[TermId],
    ) -> Option<&[TermId]> {
        let table = self.remembered(relation, mask, bound)?;
        (table.status == Status::Complete).then_some(&table.cells)
    }

    fn remembered(&self, relation: RelationId, mask: Mask, bound: &[TermId]) -> Option<&Table> {
        let layer = &self.layers[self.rules.relation(relation).class as usize];
        let mut key = vec![relation.0, mask as u32, (mask >> 32) as u32];
        key.extend(bound.iter().map(|id| id.0));
        layer.find(&key).map(|table| &layer.tables[table])
    }

    /// The answers of a query: each is as many cells as places were free.
    pub(super) fn answers(&self, query: Query) -> &[TermId] {
        &self.table(query).cells
    }

    /// How many answers a query has.
    pub(super) fn count(&self, query: Query) -> usize {
        self.table(query).count
    }

    fn table(&self, query: Query) -> &Table {
        &self.layers[query.layer].tables[query.table]
    }

    fn table_mut(&mut self, query: Query) -> &mut Table {
        &mut self.layers[query.layer].tables[query.table]
    }

    fn plan(&mut self, relation: RelationId, mask: Mask) -> Arc<Plan> {
        let plans = &self.plans[relation.index()];
        if let Some((_, plan)) = plans.iter().find(|(m, _)| *m == mask) {
            return Arc::clone(plan);
        }
        let basis = Basis {
            rules: &self.rules,
            facts: &self.facts,
            statistics: &self.statistics,
        };
        let new = Arc::new(plan(basis, relation, mask, &mut self.indexes));
        self.plans[relation.index()].push((mask, Arc::clone(&new)));
        // A plan takes as long as many steps: the clock is looked at in the next one.
        self.steps |= CLOCK_STEPS - 1;
        new
    }

    /// The query with the bound values from `scratch[from..]`, evaluated as far as can be now.
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
            let table = self.layers[layer].add(&self.key, Table::new(plan.free));
            Query { layer, table }
        };
        // Chains of queries may be as long as the sheet's recursion is deep: the stack grows on the
        // heap.
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
                // Nothing else can be learnt. What waited for this query looks again when it is
                // asked again.
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
                // Part of a cycle that another query leads.
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
                    "one question took too many steps or answers; does the sheet recurse without end?"
                        .to_owned(),
                ));
            }
        }
        Ok(())
    }
}
