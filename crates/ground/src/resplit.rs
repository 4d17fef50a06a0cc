//! Splits rules a second time, by exact table sizes.
//!
//! The first split serves to find the atoms. It relies on estimates of tables that are still empty
//! and may be far off. Once the tables are complete, every rule is split again by exact sizes.
//! Where the result differs, the instances of both variants are counted, and the cheaper variant is
//! instantiated. A rule with unfolded definitions also competes with its folded form.

use rustc_hash::FxHashMap;

use crate::budget::{BudgetMeter, GroundError, GroundLimit, GroundPhase};
use crate::clause::{Clause, Literal, PredicateId};
use crate::estimate::TableEstimate;
use crate::instantiate::Grounder;
use crate::join::{InstanceSink, run};
use crate::join_order::Purpose;
use crate::join_plan::plan_join;
use crate::tuple_table::{TableId, TupleTables};

/// A split rule: the remaining rule and its helpers.
struct SplitRule {
    root: Clause,
    helpers: Vec<PredicateId>,
}

/// Counts instances up to a maximum.
struct InstanceCounter {
    count: u64,
    most: u64,
}

impl InstanceSink for InstanceCounter {
    fn instance(
        &mut self,
        _tables: &mut TupleTables,
        _slots: &[u32],
        _rows: &[u32],
        meter: &mut BudgetMeter<'_>,
    ) -> Result<(), GroundError> {
        self.count += 1;
        if self.count > self.most {
            // Aborts the join; the caller discards this error.
            return Err(meter.error(GroundLimit::Instances));
        }
        Ok(())
    }
}

impl Grounder<'_, '_> {
    /// The clauses to instantiate. `whole` are the unsplit rules, `before` are the clauses used to
    /// find the atoms.
    pub(crate) fn split_again(
        &mut self,
        whole: Vec<Clause>,
        before: &[Clause],
    ) -> Result<Vec<Clause>, GroundError> {
        self.meter.phase = GroundPhase::Rules;
        for table in 0..self.tables.all.len() {
            self.estimates[table] = TableEstimate::actual(&mut self.tables, table as TableId);
        }
        let mut known: FxHashMap<PredicateId, Clause> = FxHashMap::default();
        let mut roots = Vec::with_capacity(whole.len());
        for clause in before {
            if self.splitter.helpers.contains(&clause.head.predicate) {
                known.insert(clause.head.predicate, clause.clone());
            } else {
                roots.push(clause.clone());
            }
        }
        let mut chosen = Vec::with_capacity(before.len());
        for (clause, mut root) in whole.into_iter().zip(roots) {
            // Other clauses make no ground rules.
            if !self.predicates.get(clause.head.predicate).is_dynamic() {
                continue;
            }
            let unfolded = self.unfold(&clause);
            for variant in [Some(clause), unfolded].into_iter().flatten() {
                let mut helpers = Vec::new();
                let other = self.splitter.split(
                    variant,
                    &mut self.predicates,
                    &mut self.tables,
                    &mut self.estimates,
                    &mut helpers,
                );
                if other != root {
                    root = self.cheaper(root, other, helpers, &mut known)?;
                }
            }
            let tree = tree(root, &known);
            // A helper that is already chosen costs nothing in later rules.
            chosen.extend(
                tree.helpers
                    .iter()
                    .filter_map(|helper| known.remove(helper)),
            );
            chosen.push(tree.root);
        }
        Ok(chosen)
    }

    /// The variant of a split clause with the lower cost. `helpers` are the new helpers of
    /// `second`.
    fn cheaper(
        &mut self,
        first: Clause,
        second: Clause,
        helpers: Vec<Clause>,
        known: &mut FxHashMap<PredicateId, Clause>,
    ) -> Result<Clause, GroundError> {
        let tree_of_first = tree(first, known);
        let Some(cost) = self.cost(&tree_of_first, known, u64::MAX)? else {
            return Ok(tree_of_first.root);
        };
        let mut helpers = helpers.into_iter();
        while let Some(helper) = helpers.next() {
            if self.instances(&helper, cost)?.is_none() {
                // The helpers' tables stay empty, so they must not be shared.
                for helper in [helper].into_iter().chain(helpers) {
                    self.splitter.unshare(helper.head.predicate);
                }
                return Ok(tree_of_first.root);
            }
            self.evaluate_split(std::slice::from_ref(&helper))?;
            known.insert(helper.head.predicate, helper);
        }
        let tree_of_second = tree(second, known);
        Ok(match self.cost(&tree_of_second, known, cost)? {
            Some(_) => tree_of_second.root,
            None => tree_of_first.root,
        })
    }

    /// Literals, rules and atoms of the ground rules of a split rule. Returns `None` above `most`.
    fn cost(
        &mut self,
        tree: &SplitRule,
        known: &FxHashMap<PredicateId, Clause>,
        most: u64,
    ) -> Result<Option<u64>, GroundError> {
        let mut cost = 0;
        let helpers = tree.helpers.iter().filter_map(|helper| known.get(helper));
        for clause in helpers.chain([&tree.root]) {
            let head = self.predicates.get(clause.head.predicate);
            if !head.is_dynamic() {
                continue;
            }
            if self.splitter.helpers.contains(&clause.head.predicate) {
                cost += u64::from(self.tables.get(head.table).len());
            }
            let dynamic = clause.body.iter().filter(|l| self.predicates.is_dynamic(l));
            let each = dynamic.count() as u64 + 1;
            let Some(left) = most.checked_sub(cost) else {
                return Ok(None);
            };
            match self.instances(clause, left / each)? {
                Some(instances) => cost += instances * each,
                None => return Ok(None),
            }
        }
        Ok((cost <= most).then_some(cost))
    }

    /// Number of instances of a clause. Returns `None` above `most`.
    fn instances(&mut self, clause: &Clause, most: u64) -> Result<Option<u64>, GroundError> {
        let mut ranges = Vec::with_capacity(clause.body.len());
        for literal in &clause.body {
            let Some(atom) = literal.generator() else {
                ranges.push((0, 0));
                continue;
            };
            let table = self.predicates.get(atom.predicate).table;
            let len = self.tables.get(table).len();
            if len == 0 {
                return Ok(Some(0));
            }
            ranges.push((0, len));
            self.tables.count_values(table);
        }
        let plan = plan_join(
            clause,
            Purpose::Rules,
            &self.predicates,
            &mut self.tables,
            self.term_store.terms.len(),
        );
        let mut sink = InstanceCounter { count: 0, most };
        let done = run(
            &plan,
            &ranges,
            &mut self.tables,
            &mut self.term_store,
            &mut self.meter,
            &mut self.scratch,
            &mut sink,
        );
        if sink.count > most {
            return Ok(None);
        }
        done.map(|()| Some(sink.count))
    }
}

/// A clause with its direct and indirect helpers that are not chosen yet.
fn tree(root: Clause, known: &FxHashMap<PredicateId, Clause>) -> SplitRule {
    let mut helpers: Vec<PredicateId> = Vec::new();
    let note = |clause: &Clause, helpers: &mut Vec<PredicateId>| {
        for atom in clause.body.iter().filter_map(Literal::generator) {
            if known.contains_key(&atom.predicate) && !helpers.contains(&atom.predicate) {
                helpers.push(atom.predicate);
            }
        }
    };
    note(&root, &mut helpers);
    let mut at = 0;
    while at < helpers.len() {
        note(&known[&helpers[at]], &mut helpers);
        at += 1;
    }
    SplitRule { root, helpers }
}
