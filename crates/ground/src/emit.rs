//! Instantiates the rules, once all tables of possible atoms are complete.

use crate::budget::{BudgetMeter, GroundError, GroundPhase};
use crate::clause::{Clause, Literal, Predicate, PredicateId, PredicateView, Predicates};
use crate::emitted::{BodySharing, EmittedRules};
use crate::instantiate::Grounder;
use crate::join::{InstanceSink, run};
use crate::join_order::{Purpose, worth_sharing};
use crate::join_plan::{JoinPlan, plan_join};
use crate::tuple_table::TupleTables;

/// Preliminary atom numbers: every dynamic predicate has one atom for each row of its table.
pub(crate) struct AtomNumbering {
    /// The number of each predicate's first atom. Predicates never share atoms.
    pub(crate) first: Vec<u32>,
    pub(crate) count: u32,
}

impl AtomNumbering {
    pub(crate) fn new(predicates: &Predicates, tables: &TupleTables) -> Self {
        let mut first = Vec::with_capacity(predicates.all.len());
        let mut count = 0;
        for predicate in &predicates.all {
            first.push(count);
            if predicate.is_dynamic() {
                count += tables.get(predicate.table).len();
            }
        }
        Self { first, count }
    }

    pub(crate) fn first(&self, predicate: PredicateId) -> u32 {
        self.first[predicate.0 as usize]
    }
}

/// Writes the instances of one clause as ground rules.
struct RuleWriter<'a> {
    plan: &'a JoinPlan,
    head: (u32, u32),
    /// Positions of the positive dynamic literals, with the first atom of their predicate.
    positives: Vec<(usize, u32)>,
    /// First atoms of the predicates of the plan's negative literals.
    negatives: Vec<u32>,
    out: &'a mut EmittedRules,
    sharing: Option<BodySharing>,
    cells: Vec<u32>,
}

impl RuleWriter<'_> {
    fn lookup(
        &mut self,
        tables: &TupleTables,
        table: u32,
        args: &[u32],
        slots: &[u32],
    ) -> Option<u32> {
        self.cells.clear();
        self.cells
            .extend(args.iter().map(|slot| slots[*slot as usize]));
        tables.get(table).find(&self.cells)
    }
}

impl InstanceSink for RuleWriter<'_> {
    fn instance(
        &mut self,
        tables: &mut TupleTables,
        slots: &[u32],
        rows: &[u32],
        meter: &mut BudgetMeter<'_>,
    ) -> Result<(), GroundError> {
        let plan = self.plan;
        let (table, first) = self.head;
        let Some(row) = self.lookup(tables, table, &plan.head, slots) else {
            debug_assert!(false, "a head that was not found before");
            return Ok(());
        };
        let head = first + row;
        if let Some(sharing) = &mut self.sharing
            && sharing.head != head
        {
            sharing.next(head, self.out);
        }
        let from = self.out.literals.len();
        for (literal, first) in &self.positives {
            self.out.literals.push((first + rows[*literal]) << 1);
        }
        for (at, (table, args, _)) in plan.negatives.iter().enumerate() {
            // A negated atom that can never hold needs no literal.
            if let Some(row) = self.lookup(tables, *table, args, slots) {
                let atom = self.negatives[at] + row;
                self.out.literals.push(atom << 1 | 1);
            }
        }
        let body = &mut self.out.literals[from..];
        body.sort_unstable();
        let empty = body
            .windows(2)
            .any(|pair| pair[0] ^ 1 == pair[1] && pair[0] & 1 == 0)
            || body.binary_search(&(head << 1)).is_ok();
        if empty {
            self.out.literals.truncate(from);
            return Ok(());
        }
        let mut kept = from;
        for at in from..self.out.literals.len() {
            let literal = self.out.literals[at];
            if kept == from || self.out.literals[kept - 1] != literal {
                self.out.literals[kept] = literal;
                kept += 1;
            }
        }
        self.out.literals.truncate(kept);
        self.out.heads.push(head);
        self.out.ends.push(kept as u32);
        meter.instances = self.out.heads.len() as u64;
        if meter.instances.is_multiple_of(1 << 14) {
            meter.other_bytes = self.out.bytes() as u64;
            meter.check()?;
        }
        Ok(())
    }
}

impl Grounder<'_, '_> {
    /// Adds a predicate for the atoms that stand for shared sets of bodies.
    pub(crate) fn number_shared(&mut self, numbering: &mut AtomNumbering, shared: u32) {
        let table = self.tables.add(1);
        for number in 0..shared {
            let name = self.term_store.terms.constant(&number.to_string());
            self.tables.get_mut(table).insert(&[name.0]);
        }
        self.predicates.add(Predicate {
            relation: None,
            name: "#shared".to_owned(),
            shape: Vec::new(),
            table,
            view: PredicateView::Plain,
            rigid: false,
            grounding_only: false,
        });
        numbering.first.push(numbering.count);
        numbering.count += shared;
    }

    /// Instantiates all clauses.
    pub(crate) fn emit(
        &mut self,
        clauses: &[Clause],
        numbering: &AtomNumbering,
    ) -> Result<EmittedRules, GroundError> {
        self.meter.phase = GroundPhase::Rules;
        self.meter.total = clauses.len();
        self.meter.done = 0;
        let mut out = EmittedRules::default();
        for clause in clauses {
            if self.predicates.get(clause.head.predicate).is_dynamic() {
                self.emit_clause(clause, numbering, &mut out)?;
            }
            self.meter.done += 1;
        }
        self.meter.other_bytes = out.bytes() as u64;
        self.meter.check()?;
        Ok(out)
    }

    fn emit_clause(
        &mut self,
        clause: &Clause,
        numbering: &AtomNumbering,
        out: &mut EmittedRules,
    ) -> Result<(), GroundError> {
        let mut ranges = Vec::with_capacity(clause.body.len());
        let mut positives = Vec::new();
        for (at, literal) in clause.body.iter().enumerate() {
            let Some(atom) = literal.generator() else {
                ranges.push((0, 0));
                continue;
            };
            let predicate = self.predicates.get(atom.predicate);
            let table = predicate.table;
            let len = self.tables.get(table).len();
            if len == 0 {
                return Ok(());
            }
            ranges.push((0, len));
            if self.predicates.is_dynamic(literal) {
                positives.push((at, numbering.first(atom.predicate)));
            }
            self.tables.count_values(table);
        }
        let share = worth_sharing(clause, &self.predicates, &self.tables);
        let plan = plan_join(
            clause,
            if share {
                Purpose::RulesByHead
            } else {
                Purpose::Rules
            },
            &self.predicates,
            &mut self.tables,
            self.term_store.terms.len(),
        );
        let head = self.predicates.get(clause.head.predicate);
        head.name.clone_into(&mut self.meter.relation);
        let first = |literal: usize| match &clause.body[literal] {
            Literal::Negative(atom) => numbering.first(atom.predicate),
            _ => 0,
        };
        let negatives = plan.negatives.iter().map(|(.., at)| first(*at)).collect();
        debug_assert!(head.view != PredicateView::True && head.view != PredicateView::Does);
        let mut sink = RuleWriter {
            plan: &plan,
            head: (head.table, numbering.first(clause.head.predicate)),
            positives,
            negatives,
            sharing: share.then(|| BodySharing::new(numbering.count, out)),
            out,
            cells: Vec::new(),
        };
        run(
            &plan,
            &ranges,
            &mut self.tables,
            &mut self.term_store,
            &mut self.meter,
            &mut self.scratch,
            &mut sink,
        )?;
        if let Some(sharing) = &mut sink.sharing {
            sharing.next(u32::MAX, sink.out);
        }
        Ok(())
    }
}
