//! Join orders by a greedy heuristic, and the indexes and orders that steps need.

use ludorum_logic::rule::RelationId;

use super::clause::Condition;
use super::extension::{self, ColumnSet, Extension};
use super::join_step::{self, JoinStep, every_column};
use super::pattern;
use super::rigid::RigidRelations;
use super::top_down::RuleOrders;

/// A greedy order of the binding conditions, without estimates: `first` comes first, then always
/// the condition with the fewest unbound columns. `bound` are the variables bound at the start.
pub(super) fn greedy_order(
    body: &[Condition],
    first: Option<usize>,
    mut bound: Vec<bool>,
    rigid: &RigidRelations,
) -> Vec<usize> {
    let mut left: Vec<usize> = (0..body.len()).filter(|i| body[*i].binds()).collect();
    let mut order = Vec::with_capacity(left.len());
    let mut next = first;
    while !left.is_empty() {
        let size = |condition: &Condition| match condition {
            Condition::Rigid { relation, .. } => match rigid.top_down(*relation) {
                Some(_) => usize::MAX,
                None => rigid.get(*relation).map_or(0, Extension::len),
            },
            _ => 0,
        };
        let rank = |i: &usize| {
            let condition = &body[*i];
            let args = match condition {
                Condition::Rigid { args, .. } | Condition::Dynamic { args, .. } => &args[..],
                _ => &[],
            };
            let known = args
                .iter()
                .filter(|arg| pattern::is_bound(arg, &bound))
                .count();
            let free = args.len() - known;
            // A scan without any bound column ranks last, a full match first.
            (known == 0 && free > 0, free, size(condition))
        };
        let best = next
            .take()
            .or_else(|| left.iter().copied().min_by_key(rank));
        let Some(best) = best else { break };
        left.retain(|i| *i != best);
        body[best].bind(&mut bound);
        order.push(best);
    }
    order
}

impl RigidRelations {
    /// Creates everything that steps look up: indexes, and condition orders of top-down relations
    /// for the binding patterns that occur.
    pub(super) fn prepare(&mut self, steps: &[JoinStep]) {
        let mut todo: Vec<Lookup> = Vec::new();
        collect_lookups(steps, &mut todo);
        while let Some((relation, columns, is_test)) = todo.pop() {
            // Tests on materialised relations use the hash set and need no index.
            if let Some(extension) = self.get_mut(relation)
                && !is_test
            {
                extension.index(columns);
            }
            let Some(relation_rules) = self.top_down(relation) else {
                continue;
            };
            if relation_rules.orders.contains_key(&columns) {
                continue;
            }
            let rule_orders = relation_rules.rules.iter().map(|rule| {
                let mut bound = vec![false; rule.variables];
                for (column, arg) in rule.head.iter().enumerate() {
                    if extension::has(columns, column) {
                        arg.for_each_variable(&mut |v| bound[v as usize] = true);
                    }
                }
                let order = greedy_order(&rule.body, None, bound.clone(), self);
                join_step::steps(&rule.body, &order, bound)
            });
            let rule_orders: RuleOrders = rule_orders.collect();
            for steps in &rule_orders {
                collect_lookups(steps, &mut todo);
            }
            if let Some(relation_rules) = self.top_down_mut(relation) {
                relation_rules.orders.insert(columns, rule_orders);
            }
        }
    }
}

/// A relation, its bound columns (the binding pattern), and whether only existence is tested.
type Lookup = (RelationId, ColumnSet, bool);

/// Collects the relations that steps look up.
fn collect_lookups(steps: &[JoinStep], todo: &mut Vec<Lookup>) {
    for step in steps {
        match &step.condition {
            Condition::Rigid { relation, .. } => {
                todo.push((*relation, step.columns, step.is_test));
            }
            Condition::Any(tests) => {
                let relations = tests
                    .iter()
                    .filter_map(|test| Some((test.rigid_relation()?, every_column(test), true)));
                todo.extend(relations);
            }
            _ => {}
        }
    }
}
