//! Computes all atoms that may hold in some state, by semi-naive evaluation, component by
//! component.

use std::time::Duration;

use ludorum_logic::Terms;
use rustc_hash::FxHashMap;

use crate::budget::{BudgetMeter, GroundError, GroundPhase};
use crate::clause::{Clause, Literal, Predicates};
use crate::dependencies::Dependencies;
use crate::estimate::{self, TableEstimate};
use crate::join::{InstanceSink, JoinScratch, TermStore, run};
use crate::join_order::Purpose;
use crate::join_plan::{JoinPlan, plan_join};
use crate::scc::{components, csr};
use crate::split::RuleSplitter;
use crate::stats::ComponentStats;
use crate::tuple_table::{TableId, TupleTables};
use crate::unfold::RigidDefinitions;

/// The state of a grounding.
pub(crate) struct Grounder<'a, 'b> {
    pub(crate) predicates: Predicates,
    pub(crate) tables: TupleTables,
    pub(crate) term_store: TermStore<'a>,
    pub(crate) meter: BudgetMeter<'b>,
    pub(crate) scratch: JoinScratch,
    pub(crate) estimates: Vec<TableEstimate>,
    /// Unfoldable definitions of rigid relations, once their tables are computed.
    pub(crate) definitions: RigidDefinitions,
    /// What is proved about reachable states, where rules make use of it.
    pub(crate) dependencies: Dependencies,
    pub(crate) splitter: RuleSplitter,
    pub(crate) components: Vec<ComponentStats>,
}

/// Inserts the heads of instances into their table.
struct HeadInserter<'a> {
    table: TableId,
    plan: &'a JoinPlan,
    cells: Vec<u32>,
}

impl InstanceSink for HeadInserter<'_> {
    fn instance(
        &mut self,
        tables: &mut TupleTables,
        slots: &[u32],
        _rows: &[u32],
        _meter: &mut BudgetMeter<'_>,
    ) -> Result<(), GroundError> {
        self.cells.clear();
        let head = self.plan.head.iter();
        self.cells.extend(head.map(|slot| slots[*slot as usize]));
        tables.get_mut(self.table).insert(&self.cells);
        Ok(())
    }
}

/// A clause during semi-naive evaluation.
struct SeminaiveRule<'a> {
    clause: &'a Clause,
    head: TableId,
    /// The table of each positive literal.
    tables: Vec<Option<TableId>>,
    /// Positive literals over tables of the current component, with the number of rows seen so far.
    growing: Vec<(usize, u32)>,
    /// Join plans: one for the delta of each recursive literal, and one for the first full
    /// evaluation. Each comes with the table sizes it was made for.
    plans: Vec<Option<(JoinPlan, Vec<u32>)>>,
    fresh: bool,
}

impl<'a, 'b> Grounder<'a, 'b> {
    /// `widths` are upper bounds of the distinct values of each column; `clauses` are all clauses.
    pub(crate) fn new(
        predicates: Predicates,
        mut tables: TupleTables,
        widths: &[Vec<f64>],
        clauses: &[Clause],
        terms: &'a mut Terms,
        meter: BudgetMeter<'b>,
    ) -> Self {
        let mut derived = vec![false; tables.all.len()];
        for clause in clauses {
            derived[predicates.get(clause.head.predicate).table as usize] = true;
        }
        let estimates = (0..tables.all.len())
            .map(|table| {
                if derived[table] || tables.all[table].len() == 0 {
                    TableEstimate::full(&widths[table])
                } else {
                    TableEstimate::actual(&mut tables, table as TableId)
                }
            })
            .collect();
        Self {
            predicates,
            tables,
            term_store: TermStore::new(terms),
            meter,
            scratch: JoinScratch::default(),
            estimates,
            definitions: RigidDefinitions::default(),
            dependencies: Dependencies::default(),
            splitter: RuleSplitter::default(),
            components: Vec::new(),
        }
    }

    /// The time since `clock`, which is set to now.
    pub(crate) fn lap(&self, clock: &mut Duration) -> Duration {
        let now = self.meter.elapsed();
        let lap = now.saturating_sub(*clock);
        *clock = now;
        lap
    }

    /// Replaces the estimates of rigid tables by exact figures.
    pub(crate) fn estimate_rigid(&mut self) {
        for predicate in &self.predicates.all {
            if predicate.rigid {
                let estimate = TableEstimate::actual(&mut self.tables, predicate.table);
                self.estimates[predicate.table as usize] = estimate;
            }
        }
    }

    /// Number of rows of rigid relations.
    pub(crate) fn rigid_rows(&self) -> u64 {
        let rigid = self.predicates.all.iter().filter(|p| p.rigid);
        rigid
            .map(|p| u64::from(self.tables.get(p.table).len()))
            .sum()
    }

    /// Number of helper relations, which the game description does not have.
    pub(crate) fn helper_count(&self) -> usize {
        let all = self.predicates.all.iter();
        all.filter(|predicate| predicate.relation.is_none()).count()
    }

    /// Lowers the estimates of tables to what their clauses can derive.
    pub(crate) fn refine(&mut self, clauses: &[Clause], seeds: &FxHashMap<TableId, f64>) {
        estimate::refine(clauses, &self.predicates, &mut self.estimates, seeds);
    }

    /// Splits clauses into trees of helpers. Helper clauses precede the clause that uses them.
    pub(crate) fn split(
        &mut self,
        clauses: Vec<Clause>,
        seeds: &FxHashMap<TableId, f64>,
    ) -> Vec<Clause> {
        self.refine(&clauses, seeds);
        let mut all = Vec::with_capacity(clauses.len());
        for clause in clauses {
            let mut helpers = Vec::new();
            let unfolded = self.unfold(&clause);
            let rest = self.splitter.split(
                unfolded.unwrap_or(clause),
                &mut self.predicates,
                &mut self.tables,
                &mut self.estimates,
                &mut helpers,
            );
            all.extend(helpers);
            all.push(rest);
        }
        all
    }

    /// The clause with rigid definitions unfolded, where that pays.
    pub(crate) fn unfold(&self, clause: &Clause) -> Option<Clause> {
        let (predicates, estimates) = (&self.predicates, &self.estimates);
        self.definitions.unfold(clause, predicates, estimates)
    }

    /// Evaluates split clauses, those with rigid heads first.
    pub(crate) fn evaluate_split(&mut self, clauses: &[Clause]) -> Result<(), GroundError> {
        let (rigid, dynamic): (Vec<Clause>, Vec<Clause>) = clauses
            .iter()
            .cloned()
            .partition(|clause| self.predicates.get(clause.head.predicate).rigid);
        self.evaluate(&rigid, GroundPhase::Rigid)?;
        self.evaluate(&dynamic, GroundPhase::Atoms)
    }

    /// Evaluates all clauses to a least fixpoint, in the order of their dependencies.
    pub(crate) fn evaluate(
        &mut self,
        clauses: &[Clause],
        phase: GroundPhase,
    ) -> Result<(), GroundError> {
        self.meter.phase = phase;
        let table = |predicates: &Predicates, id| predicates.get(id).table;
        let mut edges = Vec::new();
        for clause in clauses {
            let head = table(&self.predicates, clause.head.predicate);
            for literal in &clause.body {
                match literal {
                    Literal::Positive(atom) | Literal::GroundingOnly(atom) => {
                        edges.push((head, table(&self.predicates, atom.predicate)));
                    }
                    Literal::Negative(atom) if self.predicates.is_rigid(literal) => {
                        edges.push((head, table(&self.predicates, atom.predicate)));
                    }
                    _ => {}
                }
            }
        }
        let (offsets, targets) = csr(self.tables.all.len(), &edges);
        let (members, starts) = components(&offsets, &targets);
        let mut component = vec![0u32; members.len()];
        for (number, bounds) in starts.windows(2).enumerate() {
            for member in &members[bounds[0] as usize..bounds[1] as usize] {
                component[*member as usize] = number as u32;
            }
        }
        let count = starts.len() - 1;
        let mut groups: Vec<Vec<&Clause>> = vec![Vec::new(); count];
        for clause in clauses {
            let head = table(&self.predicates, clause.head.predicate);
            groups[component[head as usize] as usize].push(clause);
        }
        self.meter.total = groups.iter().filter(|group| !group.is_empty()).count();
        self.meter.done = 0;
        for (number, group) in groups.iter().enumerate() {
            if group.is_empty() {
                continue;
            }
            self.fixpoint(group, &|id| component[id as usize] == number as u32)?;
            self.meter.done += 1;
            self.meter.check()?;
        }
        Ok(())
    }

    /// Evaluates mutually recursive clauses to a fixpoint.
    fn fixpoint(
        &mut self,
        clauses: &[&Clause],
        grows: &impl Fn(TableId) -> bool,
    ) -> Result<(), GroundError> {
        let start = self.meter.elapsed();
        let rows_before = self.tables.rows();
        let mut rules: Vec<SeminaiveRule<'_>> = clauses
            .iter()
            .map(|clause| self.rule(clause, grows))
            .collect();
        let mut rounds = 0;
        loop {
            rounds += 1;
            let before = self.tables.rows();
            for rule in &mut rules {
                self.evaluate_delta(rule)?;
            }
            if self.tables.rows() == before {
                break;
            }
            if rules.iter().all(|rule| rule.growing.is_empty()) {
                break;
            }
        }
        let mut relations: Vec<String> = clauses
            .iter()
            .map(|clause| self.predicates.get(clause.head.predicate).name.clone())
            .collect();
        relations.sort_unstable();
        relations.dedup();
        self.components.push(ComponentStats {
            relations,
            rules: clauses.len(),
            rounds,
            atoms: self.tables.rows() - rows_before,
            time: self.meter.elapsed().saturating_sub(start),
        });
        Ok(())
    }

    fn rule<'c>(&self, clause: &'c Clause, grows: &impl Fn(TableId) -> bool) -> SeminaiveRule<'c> {
        let tables: Vec<Option<TableId>> = clause
            .body
            .iter()
            .map(|literal| {
                let atom = literal.generator()?;
                Some(self.predicates.get(atom.predicate).table)
            })
            .collect();
        let growing: Vec<(usize, u32)> = tables
            .iter()
            .enumerate()
            .filter(|(_, table)| table.is_some_and(grows))
            .map(|(at, _)| (at, 0))
            .collect();
        SeminaiveRule {
            clause,
            head: self.predicates.get(clause.head.predicate).table,
            plans: (0..=growing.len()).map(|_| None).collect(),
            tables,
            growing,
            fresh: true,
        }
    }

    /// Evaluates a clause on the rows that are new since its last evaluation.
    fn evaluate_delta(&mut self, rule: &mut SeminaiveRule<'_>) -> Result<(), GroundError> {
        let all = rule.growing.len();
        if rule.fresh {
            rule.fresh = false;
            let ranges = self.ranges(&rule.tables);
            for (at, seen) in &mut rule.growing {
                *seen = ranges[*at].1;
            }
            return self.evaluate_variant(rule, all, &ranges);
        }
        for delta in 0..all {
            let (at, seen) = rule.growing[delta];
            let Some(table) = rule.tables[at] else {
                continue;
            };
            let now = self.tables.get(table).len();
            if now == seen {
                continue;
            }
            // Semi-naive delta: new rows of this literal, joined with all rows of earlier recursive
            // literals and the old rows of later ones.
            let mut ranges = self.ranges(&rule.tables);
            for (other, seen) in &rule.growing[..delta] {
                ranges[*other].1 = *seen;
            }
            for (other, seen) in &rule.growing[delta + 1..] {
                ranges[*other].1 = *seen;
            }
            ranges[at] = (seen, now);
            rule.growing[delta].1 = now;
            self.evaluate_variant(rule, delta, &ranges)?;
        }
        Ok(())
    }

    fn ranges(&self, tables: &[Option<TableId>]) -> Vec<(u32, u32)> {
        tables
            .iter()
            .map(|table| table.map_or((0, 0), |id| (0, self.tables.get(id).len())))
            .collect()
    }

    fn evaluate_variant(
        &mut self,
        rule: &mut SeminaiveRule<'_>,
        delta: usize,
        ranges: &[(u32, u32)],
    ) -> Result<(), GroundError> {
        let tables = rule.tables.iter().zip(ranges);
        if tables
            .into_iter()
            .any(|(table, (low, high))| table.is_some() && low >= high)
        {
            return Ok(());
        }
        // Replan when tables have grown far beyond the sizes the plan was made for.
        let sizes: Vec<u32> = ranges.iter().map(|(low, high)| high - low).collect();
        let stale = rule.plans[delta].as_ref().is_none_or(|(_, old)| {
            let mut pairs = old.iter().zip(&sizes);
            pairs.any(|(old, new)| *new > old.saturating_mul(3).saturating_add(16))
        });
        if stale {
            for table in rule.tables.iter().flatten() {
                self.tables.count_values(*table);
            }
            let first = rule.growing.get(delta).map(|(at, _)| *at);
            let plan = plan_join(
                rule.clause,
                Purpose::Atoms { first },
                &self.predicates,
                &mut self.tables,
                self.term_store.terms.len(),
            );
            rule.plans[delta] = Some((plan, sizes));
        }
        let Some((plan, _)) = &rule.plans[delta] else {
            return Ok(());
        };
        self.predicates
            .get(rule.clause.head.predicate)
            .name
            .clone_into(&mut self.meter.relation);
        let mut sink = HeadInserter {
            table: rule.head,
            plan,
            cells: Vec::new(),
        };
        run(
            plan,
            ranges,
            &mut self.tables,
            &mut self.term_store,
            &mut self.meter,
            &mut self.scratch,
            &mut sink,
        )
    }
}
