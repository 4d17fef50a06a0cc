//! Condition ordering: the cost model of Schofield and Saffidine 2013, section 5, and a beam search
//! over orders.
//!
//! The cost of an order is what their theorem 1 counts: instances read and tests made. The number
//! of bindings that pass a condition follows from the average number of instances that hold
//! (definition 6) and from the number of instances that agree with the bound variables (definition
//! 5). The search extends sets of conditions, keeps the cheapest order of each set, and continues
//! with the best sets of each size. With few conditions it is exhaustive.

use super::clause::{Clause, Condition};
use super::extension::Extension;
use super::join_step::known_columns;
use super::pattern::is_bound;
use super::rigid::RigidRelations;
use super::settings::ConditionOrder;
use super::table_plan::SizeEstimates;
use ludorum_logic::rule::{Pattern, RelationId};
use rustc_hash::FxHashMap;

/// Number of condition sets of each size that are extended.
const BEAM_WIDTH: usize = 128;

/// Bound of the beam width times the square of the number of conditions.
const MAX_EXTENSIONS: usize = BEAM_WIDTH * 16 * 16;

/// Maximum number of conditions that are reordered. Longer rules keep the order of the game
/// description.
const MAX_CONDITIONS: usize = 64;

/// Cost of reading an instance from a list, relative to a test. Reading takes longer than testing
/// (Schofield and Saffidine 2013, corollary 2).
const READ_COST: f64 = 1.5;

/// Cost of evaluating a relation top-down, relative to a test.
const CALL_COST: f64 = 20.0;

/// Row count assumed for a relation that is evaluated top-down.
const TOP_DOWN_ROWS: f64 = 1e7;

/// The inputs of ordering.
pub(super) struct OrderSearch<'a> {
    pub(super) sizes: SizeEstimates<'a>,
    pub(super) rigid: &'a mut RigidRelations,
    pub(super) ordering: ConditionOrder,
}

/// The first conditions of an order.
#[derive(Clone)]
struct PartialOrder {
    taken: u64,
    order: Vec<usize>,
    bound: Vec<bool>,
    /// Estimated number of bindings that reach this point.
    bindings: f64,
    cost: f64,
}

impl OrderSearch<'_> {
    /// The order of the binding conditions of a clause. `first` is the condition that reads the
    /// semi-naive delta, if any.
    pub(super) fn order(&mut self, clause: &Clause, first: Option<usize>) -> Vec<usize> {
        let all: Vec<usize> = (0..clause.body.len())
            .filter(|i| clause.body[*i].binds())
            .collect();
        let begin = |order: &mut Vec<usize>| {
            if let Some(first) = first {
                order.retain(|i| *i != first);
                order.insert(0, first);
            }
        };
        if self.ordering == ConditionOrder::AsWritten || all.len() > MAX_CONDITIONS {
            let mut order = all;
            begin(&mut order);
            return order;
        }
        let sizes = self.variable_sizes(clause);
        let mut start = PartialOrder {
            taken: 0,
            order: Vec::new(),
            bound: vec![false; clause.variables],
            bindings: 1.0,
            cost: 0.0,
        };
        if let Some(first) = first {
            let place = all.iter().position(|i| *i == first).unwrap_or(0);
            start = self.extended(&start, clause, &all, place, &sizes);
        }
        // Long recursive rules are ordered once for each recursive condition: a narrow beam bounds
        // the time.
        let width = (MAX_EXTENSIONS / (all.len() * all.len()).max(1)).clamp(1, BEAM_WIDTH);
        let mut beam = vec![start];
        for _ in usize::from(first.is_some())..all.len() {
            let mut next: Vec<PartialOrder> = Vec::new();
            let mut known: FxHashMap<u64, usize> = FxHashMap::default();
            for partial in &beam {
                for place in 0..all.len() {
                    if partial.taken >> place & 1 == 1 {
                        continue;
                    }
                    let longer = self.extended(partial, clause, &all, place, &sizes);
                    match known.get(&longer.taken) {
                        Some(i) if self.is_better(&longer, &next[*i]) => next[*i] = longer,
                        Some(_) => {}
                        None => {
                            known.insert(longer.taken, next.len());
                            next.push(longer);
                        }
                    }
                }
            }
            let sign = if self.ordering == ConditionOrder::HighestCost {
                -1.0
            } else {
                1.0
            };
            next.sort_by(|a, b| (sign * a.cost).total_cmp(&(sign * b.cost)));
            next.truncate(width);
            beam = next;
        }
        beam.into_iter().next().map_or(all, |best| best.order)
    }

    fn is_better(&self, a: &PartialOrder, b: &PartialOrder) -> bool {
        // Differences below one percent keep the order that was found first, which is nearer to the
        // game description.
        match self.ordering {
            ConditionOrder::HighestCost => a.cost > b.cost * 1.01,
            _ => a.cost < b.cost * 0.99,
        }
    }

    /// Upper bounds of the distinct values of each variable, by the dynamic conditions.
    #[allow(clippy::cast_precision_loss)]
    fn variable_sizes(&self, clause: &Clause) -> Vec<f64> {
        let schema = self.sizes.schema;
        let mut sizes = vec![f64::INFINITY; clause.variables];
        for condition in &clause.body {
            if let Condition::Among(Pattern::Variable(v), allowed) = condition {
                let size = &mut sizes[*v as usize];
                *size = size.min(allowed.len() as f64);
            }
            if let Condition::Dynamic {
                positive: true,
                predicate,
                args,
            } = condition
            {
                for (column, arg) in schema.columns(schema.predicate(*predicate)).zip(args) {
                    if let Pattern::Variable(v) = arg {
                        let size = &mut sizes[*v as usize];
                        *size = size.min(column.len() as f64);
                    }
                }
            }
        }
        sizes
    }

    fn extended(
        &mut self,
        partial: &PartialOrder,
        clause: &Clause,
        all: &[usize],
        place: usize,
        sizes: &[f64],
    ) -> PartialOrder {
        let mut next = partial.clone();
        let condition = &clause.body[all[place]];
        next.taken |= 1 << place;
        next.order.push(all[place]);
        self.add_condition(&mut next, condition, sizes);
        // Tests run as soon as their variables are bound.
        let tests = clause.body.iter().filter(|condition| !condition.binds());
        for test in tests {
            if !test.is_bound(&partial.bound) && test.is_bound(&next.bound) {
                next.cost += next.bindings;
                next.bindings *= self.pass_probability(test, sizes);
            }
        }
        next
    }

    fn is_top_down(&self, relation: RelationId) -> bool {
        self.rigid.top_down(relation).is_some()
    }

    /// Adds the cost of a condition and updates the number of bindings.
    #[allow(clippy::cast_precision_loss)]
    fn add_condition(&mut self, partial: &mut PartialOrder, condition: &Condition, sizes: &[f64]) {
        if condition.is_bound(&partial.bound) {
            partial.cost += partial.bindings
                * match condition {
                    Condition::Dynamic { .. } => 1.0,
                    Condition::Rigid { relation, .. } if self.is_top_down(*relation) => CALL_COST,
                    _ => 0.0,
                };
            partial.bindings *= self.pass_probability(condition, sizes);
            return;
        }
        match condition {
            Condition::Dynamic { predicate, .. } => {
                let average = self.sizes.averages[*predicate as usize];
                let candidates = self.sizes.candidates(condition, &partial.bound);
                partial.cost += partial.bindings * (average * READ_COST).min(candidates);
                partial.bindings *= candidates * self.true_share(*predicate);
            }
            Condition::Rigid { relation, args, .. } if self.is_top_down(*relation) => {
                // Assumes the maximum size of a materialised relation, and equally selective
                // columns.
                let free = args.iter().filter(|arg| !is_bound(arg, &partial.bound));
                let share = free.count() as f64 / args.len().max(1) as f64;
                partial.bindings *= TOP_DOWN_ROWS.powf(share);
                partial.cost += partial.bindings * CALL_COST;
            }
            Condition::Rigid { relation, args, .. } => {
                let columns = known_columns(condition, &partial.bound);
                let Some(extension) = self.rigid.get_mut(*relation) else {
                    return;
                };
                let keys = extension.keys(columns);
                let average = extension.len() as f64 / keys;
                let mut possible = 1.0f64;
                for (column, arg) in args.iter().enumerate() {
                    if super::extension::has(columns, column) {
                        arg.for_each_variable(&mut |v| {
                            let size = sizes[v as usize];
                            possible *= if size.is_finite() { size } else { 1.0 };
                        });
                    }
                }
                partial.bindings *= average * (keys / possible.max(1.0)).min(1.0);
                if average > 1.0 {
                    partial.cost += partial.bindings;
                }
            }
            Condition::Distinct(..)
            | Condition::Constant(_)
            | Condition::Among(..)
            | Condition::Any(_) => {}
        }
        condition.bind(&mut partial.bound);
    }

    /// The share of possible instances that hold (definition 6).
    #[allow(clippy::cast_precision_loss)]
    fn true_share(&self, predicate: u32) -> f64 {
        let size = self.sizes.schema.predicate(predicate).size as f64;
        (self.sizes.averages[predicate as usize] / size).min(1.0)
    }

    /// The probability that a test passes.
    #[allow(clippy::cast_precision_loss)]
    fn pass_probability(&self, condition: &Condition, sizes: &[f64]) -> f64 {
        match condition {
            Condition::Dynamic {
                positive,
                predicate,
                ..
            } => {
                let share = self.true_share(*predicate);
                if *positive { share } else { 1.0 - share }
            }
            Condition::Rigid {
                positive,
                relation,
                args,
            } => {
                let mut possible = 1.0f64;
                for arg in args {
                    arg.for_each_variable(&mut |v| {
                        let size = sizes[v as usize];
                        possible *= if size.is_finite() { size } else { 1.0 };
                    });
                }
                let rows = if self.is_top_down(*relation) {
                    possible / 2.0
                } else {
                    self.rigid.get(*relation).map_or(0, Extension::len) as f64
                };
                let share = (rows / possible.max(1.0)).min(1.0);
                if *positive { share } else { 1.0 - share }
            }
            Condition::Distinct(left, right) => {
                let mut most = 2.0f64;
                for side in [left, right] {
                    if let Pattern::Variable(v) = side
                        && sizes[*v as usize].is_finite()
                    {
                        most = most.max(sizes[*v as usize]);
                    }
                }
                1.0 - 1.0 / most
            }
            Condition::Constant(_) => 1.0,
            Condition::Among(pattern, allowed) => match pattern {
                Pattern::Variable(v) if sizes[*v as usize].is_finite() => {
                    (allowed.len() as f64 / sizes[*v as usize]).min(1.0)
                }
                _ => 1.0,
            },
            Condition::Any(tests) => {
                let fail = tests
                    .iter()
                    .map(|test| 1.0 - self.pass_probability(test, sizes));
                1.0 - fail.product::<f64>()
            }
        }
    }
}
