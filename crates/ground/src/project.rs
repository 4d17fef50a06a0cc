//! Replaces conditions on several arguments of which at most one combination holds by conditions on
//! each argument.
//!
//! A car is at one place: `(true (at ?x ?y))` says the same as "it is in some column `?x`" and "it
//! is in some row `?y`" together. A rule that adds a speed to each coordinate has an instance for
//! every place and every speed; with the condition replaced by its projections it falls apart into
//! rules for each coordinate (`decompose`). That needs the proof that at most one combination holds
//! ([`crate::dependencies`]), so it is looked for only if a rule is expensive, and the condition is
//! replaced only where the estimated cost drops by a large factor.
//!
//! The ground program then means the same in reachable states only. The fluents of which at most
//! one holds are noted in it.

use rustc_hash::FxHashMap;

use crate::clause::{Apply, Arg, Atom, Clause, Literal, Predicate, PredicateId, PredicateView};
use crate::decompose::decompose;
use crate::dependencies::{self, Columns, Dependencies};
use crate::estimate::TableEstimate;
use crate::instantiate::Grounder;

/// Dependencies are looked for if a rule costs more than this number of ground literals.
const LARGE_COST: f64 = 50_000.0;
/// Factor by which the cost of a rule must drop.
const MIN_GAIN: f64 = 4.0;

/// The projections made so far: predicate, key and column to the predicate of the projection.
type Projections = FxHashMap<(PredicateId, Columns, usize), PredicateId>;

impl Grounder<'_, '_> {
    /// Clauses with projected conditions where that pays. Tables of fluents hold the initial state,
    /// and estimates are refined.
    pub(crate) fn project(&mut self, clauses: Vec<Clause>) -> Vec<Clause> {
        let costs: Vec<f64> = clauses
            .iter()
            .map(|clause| self.rule_cost(clause))
            .collect();
        let candidate = |clause: &Clause, cost: f64, grounder: &Self| {
            cost > LARGE_COST && clause.body.iter().any(|l| grounder.is_wide(l))
        };
        let mut pairs = clauses.iter().zip(&costs);
        if !pairs.any(|(clause, cost)| candidate(clause, *cost, self)) {
            return clauses;
        }
        let known = dependencies::find(&clauses, &self.predicates, &self.tables);
        let mut projections = Projections::default();
        let mut helpers: Vec<Clause> = Vec::new();
        let mut changed: Vec<Clause> = Vec::with_capacity(clauses.len());
        let mut any = false;
        for (clause, cost) in clauses.into_iter().zip(costs) {
            let cheaper = candidate(&clause, cost, self).then(|| {
                let other = self.projected(&clause, &known, &mut projections, &mut helpers)?;
                (self.rule_cost(&other) * MIN_GAIN < cost).then_some(other)
            });
            match cheaper.flatten() {
                Some(other) => {
                    any = true;
                    changed.push(other);
                }
                None => changed.push(clause),
            }
        }
        if any {
            self.dependencies = known;
            changed.extend(helpers);
        }
        changed
    }

    /// The estimated cost of a clause when it is split.
    fn rule_cost(&self, clause: &Clause) -> f64 {
        if !self.predicates.get(clause.head.predicate).is_dynamic() {
            return 0.0;
        }
        let tree = decompose(clause, &self.predicates, &self.estimates);
        tree.map_or(0.0, |tree| tree.cost())
    }

    /// Whether a literal is a dynamic condition with at least two variables.
    fn is_wide(&self, literal: &Literal) -> bool {
        let Literal::Positive(atom) = literal else {
            return false;
        };
        let view = self.predicates.get(atom.predicate).view;
        self.predicates.is_dynamic(literal)
            && matches!(view, PredicateView::True | PredicateView::Plain)
            && literal.variables().len() > 1
    }

    /// The clause with all conditions projected that have a key.
    fn projected(
        &mut self,
        clause: &Clause,
        known: &Dependencies,
        projections: &mut Projections,
        helpers: &mut Vec<Clause>,
    ) -> Option<Clause> {
        let mut body = Vec::with_capacity(clause.body.len());
        let mut any = false;
        for literal in &clause.body {
            let wide = if self.is_wide(literal) {
                literal.generator()
            } else {
                None
            };
            let key = wide.and_then(|atom| {
                let keys = known.keys(atom.predicate);
                let key = keys.first().copied()?;
                (atom.args.len() >= key.count_ones() as usize + 2).then_some((atom, key))
            });
            let Some((atom, key)) = key else {
                body.push(literal.clone());
                continue;
            };
            any = true;
            for column in (0..atom.args.len()).filter(|column| key >> column & 1 == 0) {
                let projection = self.projection(atom, key, column, projections, helpers);
                body.push(Literal::Positive(projection));
            }
        }
        any.then(|| Clause {
            head: clause.head.clone(),
            body,
            variables: clause.variables,
        })
    }

    /// The atom of a projection to a key and one more column.
    fn projection(
        &mut self,
        atom: &Atom,
        key: Columns,
        column: usize,
        projections: &mut Projections,
        helpers: &mut Vec<Clause>,
    ) -> Atom {
        let columns: Vec<usize> = (0..atom.args.len())
            .filter(|at| *at == column || key >> at & 1 == 1)
            .collect();
        let args = columns.iter().map(|at| atom.args[*at]).collect();
        if let Some(predicate) = projections.get(&(atom.predicate, key, column)) {
            return Apply {
                predicate: *predicate,
                args,
            };
        }
        let whole = self.predicates.get(atom.predicate);
        let (table, name) = (whole.table, format!("{}#column{column}", whole.name));
        let estimate = &self.estimates[table as usize];
        let values: Vec<f64> = columns.iter().map(|at| estimate.values[*at]).collect();
        let rows = values.iter().product::<f64>().min(estimate.rows);
        self.estimates.push(TableEstimate { rows, values });
        let predicate = self.predicates.add(Predicate {
            relation: None,
            name,
            shape: Vec::new(),
            table: self.tables.add(columns.len()),
            view: PredicateView::Plain,
            rigid: false,
            grounding_only: false,
        });
        let all: Vec<Arg> = (0..atom.args.len() as u32).map(Arg::Variable).collect();
        helpers.push(Clause {
            head: Apply {
                predicate,
                args: columns.iter().map(|at| all[*at]).collect(),
            },
            body: vec![Literal::Positive(Apply {
                predicate: atom.predicate,
                args: all,
            })],
            variables: atom.args.len() as u32,
        });
        projections.insert((atom.predicate, key, column), predicate);
        Apply { predicate, args }
    }
}
