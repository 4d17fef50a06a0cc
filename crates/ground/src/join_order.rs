//! Join ordering: greedy by estimated fan-out, tried from every possible first literal.

use crate::clause::{Arg, Clause, Literal, Predicates};
use crate::tuple_table::TupleTables;

/// Minimum estimated instances of a clause for sharing sets of bodies to be considered.
const SHARING_INSTANCES: f64 = 200_000.0;

/// What a join plan is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Find heads. `first` is the literal that reads the semi-naive delta, if any.
    Atoms { first: Option<usize> },
    /// Make ground rules: heads, and all dynamic literals.
    Rules,
    /// Make ground rules, with the instances of a head next to each other as far as possible.
    RulesByHead,
}

/// Finds the join order of a clause. Distinct counts of the tables in its body must be up to date.
#[derive(Clone, Copy)]
pub(crate) struct JoinOrderer<'a> {
    pub(crate) clause: &'a Clause,
    pub(crate) predicates: &'a Predicates,
    pub(crate) tables: &'a TupleTables,
}

/// Whether a clause has enough instances for each head to look for shared sets of bodies, and
/// enumerating them by head costs little more.
pub(crate) fn worth_sharing(
    clause: &Clause,
    predicates: &Predicates,
    tables: &TupleTables,
) -> bool {
    let orderer = JoinOrderer {
        clause,
        predicates,
        tables,
    };
    let heads = f64::from(
        tables
            .get(predicates.get(clause.head.predicate).table)
            .len(),
    );
    let (cost, instances, _) = orderer.best_order(Purpose::Rules);
    if instances < SHARING_INSTANCES || instances < 4.0 * heads {
        return false;
    }
    orderer.best_order(Purpose::RulesByHead).0 < 3.0 * cost && orderer.starts_with_head()
}

/// Marks the variables bound by composing and decomposing terms.
fn bind_composed_terms(clause: &Clause, bound: &mut [bool]) {
    let known = |arg: &Arg, bound: &[bool]| arg.variable().is_none_or(|v| bound[v as usize]);
    loop {
        let mut changed = false;
        for literal in &clause.body {
            let Literal::Compose { whole, parts, .. } = literal else {
                continue;
            };
            let has_parts = parts.iter().all(|arg| known(arg, bound));
            if bound[*whole as usize] && !has_parts {
                for v in parts.iter().filter_map(|arg| arg.variable()) {
                    bound[v as usize] = true;
                }
                changed = true;
            } else if has_parts && !bound[*whole as usize] {
                bound[*whole as usize] = true;
                changed = true;
            }
        }
        if !changed {
            return;
        }
    }
}

impl JoinOrderer<'_> {
    /// Estimated rows visited, estimated instances, and the order.
    pub(crate) fn best_order(&self, purpose: Purpose) -> (f64, f64, Vec<usize>) {
        let generators: Vec<usize> = (0..self.clause.body.len())
            .filter(|i| self.clause.body[*i].generator().is_some())
            .collect();
        if let Purpose::Atoms { first: Some(first) } = purpose {
            return self.greedy(&generators, Some(first), &[]);
        }
        let early: Vec<u32> = match purpose {
            Purpose::RulesByHead => {
                let head = self.clause.head.args.iter();
                head.filter_map(|arg| arg.variable()).collect()
            }
            _ => Vec::new(),
        };
        let only_head = |literal: usize| {
            let variables = self.clause.body[literal].variables();
            variables.iter().all(|v| early.contains(v))
        };
        let by_head = !early.is_empty() && self.starts_with_head();
        if generators.len() > 24 {
            return self.greedy(&generators, None, &early);
        }
        let orders = generators
            .iter()
            .filter(|start| !by_head || only_head(**start))
            .map(|start| self.greedy(&generators, Some(*start), &early));
        orders
            .min_by(|a, b| a.0.total_cmp(&b.0))
            .unwrap_or_default()
    }

    /// Whether some positive literal has only variables of the head, so that instances can be
    /// enumerated by head.
    fn starts_with_head(&self) -> bool {
        let head = &self.clause.head.args;
        self.clause.body.iter().any(|literal| {
            let variables = literal.variables();
            literal.generator().is_some()
                && !variables.is_empty()
                && variables.iter().all(|v| head.contains(&Arg::Variable(*v)))
        })
    }

    /// Estimated matching rows of a literal, given the bound variables.
    fn fanout(&self, literal: usize, bound: &[bool]) -> f64 {
        let Some(atom) = self.clause.body[literal].generator() else {
            return 1.0;
        };
        let table = self.tables.get(self.predicates.get(atom.predicate).table);
        let mut rows = f64::from(table.len());
        for (column, arg) in atom.args.iter().enumerate() {
            if arg.variable().is_none_or(|v| bound[v as usize]) {
                rows /= f64::from(table.distinct(column).max(1));
            }
        }
        rows.max(0.02)
    }

    pub(crate) fn is_bound(&self, literal: usize, bound: &[bool]) -> bool {
        let mut all = true;
        self.clause.body[literal]
            .for_each_arg(&mut |arg| all &= arg.variable().is_none_or(|v| bound[v as usize]));
        all
    }

    /// Repeatedly takes the literal with the lowest fan-out. Literals that bind `early` variables
    /// come first.
    fn greedy(
        &self,
        generators: &[usize],
        start: Option<usize>,
        early: &[u32],
    ) -> (f64, f64, Vec<usize>) {
        let mut bound = vec![false; self.clause.variables as usize];
        bind_composed_terms(self.clause, &mut bound);
        let mut left = generators.to_vec();
        let mut order = Vec::with_capacity(left.len());
        let (mut rows, mut cost) = (1.0f64, 0.0f64);
        let mut start = start;
        loop {
            left.retain(|literal| {
                if start != Some(*literal) && self.is_bound(*literal, &bound) {
                    rows *= self.fanout(*literal, &bound).min(1.0);
                    return false;
                }
                true
            });
            let next = start.take().or_else(|| {
                let is_open = |v: &u32| !bound[*v as usize];
                let late = |literal: usize| {
                    if !early.iter().any(is_open) {
                        return false;
                    }
                    let variables = self.clause.body[literal].variables();
                    let mut open = variables.iter().filter(|v| is_open(v));
                    open.any(|v| !early.contains(v))
                };
                let fanouts = left.iter().map(|l| (late(*l), self.fanout(*l, &bound), *l));
                fanouts
                    .min_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)))
                    .map(|(.., l)| l)
            });
            let Some(next) = next else {
                return (cost, rows, order);
            };
            left.retain(|l| *l != next);
            order.push(next);
            rows *= self.fanout(next, &bound);
            cost += rows + 0.1;
            for v in self.clause.body[next].variables() {
                bound[v as usize] = true;
            }
            bind_composed_terms(self.clause, &mut bound);
        }
    }
}
