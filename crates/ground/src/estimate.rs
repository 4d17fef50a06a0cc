//! Cardinality estimates: the expected rows of a join, from row counts and distinct values per
//! column.
//!
//! The textbook model assumes uniform values and independent columns: two tables that share a
//! variable join to `rows * rows / max(distinct, distinct)` rows. It is crude, but the decisions
//! based on it differ by orders of magnitude.

use rustc_hash::FxHashMap;

use crate::clause::{Arg, Atom, Clause, Literal, Predicates};
use crate::tuple_table::{TableId, TupleTables};

/// Estimated row count of a table, and distinct values of each column.
#[derive(Clone, Debug)]
pub(crate) struct TableEstimate {
    pub(crate) rows: f64,
    pub(crate) values: Vec<f64>,
}

impl TableEstimate {
    /// The full cross product of the columns' domains.
    pub(crate) fn full(widths: &[f64]) -> Self {
        Self {
            rows: widths.iter().product(),
            values: widths.to_vec(),
        }
    }

    /// The exact figures of a table.
    pub(crate) fn actual(tables: &mut TupleTables, id: TableId) -> Self {
        tables.count_values(id);
        let table = tables.get(id);
        Self {
            rows: f64::from(table.len()),
            values: (0..table.arity)
                .map(|column| f64::from(table.distinct(column).max(1)))
                .collect(),
        }
    }
}

/// The contribution of a conjunct to a join.
#[derive(Clone, Debug)]
pub(crate) enum FactorEstimate {
    /// Adds rows; with the expected number of distinct values of each variable.
    Rows(f64, Vec<(u32, f64)>),
    /// Keeps this share of the rows.
    Selectivity(f64),
    /// Removes the rows with equal values (`distinct`); the share depends on the variables'
    /// distinct values.
    Unequal(Vec<u32>),
    /// A compound term and its parts: each side determines the other.
    Function(u32, Vec<u32>),
}

/// Estimated row count of a join, and distinct values of each variable.
#[derive(Clone, Debug, Default)]
pub(crate) struct JoinEstimate {
    pub(crate) rows: f64,
    pub(crate) values: FxHashMap<u32, f64>,
}

impl JoinEstimate {
    pub(crate) fn of<'a>(
        factor_estimates: impl Iterator<Item = &'a FactorEstimate> + Clone,
    ) -> Self {
        let mut size = Self {
            rows: 1.0,
            values: FxHashMap::default(),
        };
        for weight in factor_estimates.clone() {
            match weight {
                FactorEstimate::Rows(rows, values) => {
                    size.rows *= rows;
                    for (variable, count) in values {
                        match size.values.get_mut(variable) {
                            Some(known) => {
                                size.rows /= known.max(*count);
                                *known = known.min(*count);
                            }
                            None => {
                                size.values.insert(*variable, *count);
                            }
                        }
                    }
                }
                FactorEstimate::Selectivity(share) => size.rows *= share,
                FactorEstimate::Unequal(_) | FactorEstimate::Function(..) => {}
            }
        }
        size.compose(&factor_estimates);
        let bound: f64 = size.values.values().product();
        size.rows = size.rows.min(bound);
        for weight in factor_estimates {
            if let FactorEstimate::Unequal(variables) = weight {
                let counts = variables.iter().filter_map(|v| size.values.get(v));
                let most = counts.copied().fold(1.0, f64::max);
                size.rows *= (1.0 - 1.0 / most).max(0.1);
            }
        }
        size
    }

    /// Derives distinct values of compound terms from those of their parts and vice versa.
    fn compose<'a>(
        &mut self,
        factor_estimates: &(impl Iterator<Item = &'a FactorEstimate> + Clone),
    ) {
        // Each pass resolves one nesting level; four are enough in practice.
        for _ in 0..4 {
            for weight in factor_estimates.clone() {
                let FactorEstimate::Function(whole, parts) = weight else {
                    continue;
                };
                if let Some(count) = self.values.get(whole).copied() {
                    for part in parts {
                        self.values.entry(*part).or_insert(count);
                    }
                } else if parts.iter().all(|part| self.values.contains_key(part)) {
                    let count: f64 = parts.iter().map(|part| self.values[part]).product();
                    self.values.insert(*whole, count.min(self.rows.max(1.0)));
                }
            }
        }
    }

    /// Estimated rows of the projection to some variables.
    pub(crate) fn projected(&self, variables: impl Iterator<Item = u32>) -> f64 {
        let bound: f64 = variables
            .map(|v| self.values.get(&v).copied().unwrap_or(1.0))
            .product();
        self.rows.min(bound)
    }
}

/// The estimate of an atom over a table.
pub(crate) fn atom_estimate(atom: &Atom, estimate: &TableEstimate) -> FactorEstimate {
    let mut rows = estimate.rows;
    let mut values: Vec<(u32, f64)> = Vec::new();
    for (arg, count) in atom.args.iter().zip(&estimate.values) {
        match arg {
            Arg::Term(_) => rows /= count.max(1.0),
            Arg::Variable(v) => match values.iter_mut().find(|(w, _)| w == v) {
                Some((_, known)) => {
                    rows /= known.max(*count).max(1.0);
                    *known = known.min(*count);
                }
                None => values.push((*v, count.max(1.0))),
            },
        }
    }
    let rows = rows.max(0.01);
    for (_, count) in &mut values {
        *count = count.min(rows.max(1.0));
    }
    FactorEstimate::Rows(rows, values)
}

/// The estimate of a literal.
pub(crate) fn factor_estimate(
    literal: &Literal,
    predicates: &Predicates,
    estimates: &[TableEstimate],
) -> FactorEstimate {
    match literal {
        Literal::Positive(atom) | Literal::GroundingOnly(atom) => {
            let table = predicates.get(atom.predicate).table;
            atom_estimate(atom, &estimates[table as usize])
        }
        Literal::Negative(atom) => {
            let predicate = predicates.get(atom.predicate);
            if !predicate.rigid {
                return FactorEstimate::Selectivity(1.0);
            }
            let estimate = &estimates[predicate.table as usize];
            let all: f64 = estimate.values.iter().product();
            FactorEstimate::Selectivity((1.0 - estimate.rows / all.max(1.0)).clamp(0.1, 1.0))
        }
        Literal::Distinct(left, right) => {
            let variables = [left, right].into_iter().filter_map(|arg| arg.variable());
            FactorEstimate::Unequal(variables.collect())
        }
        Literal::Compose { whole, parts, .. } => {
            let parts = parts.iter().filter_map(|arg| arg.variable());
            FactorEstimate::Function(*whole, parts.collect())
        }
        Literal::Constant(_) => FactorEstimate::Selectivity(1.0),
    }
}

/// Lowers the estimates of tables that are not computed yet to what their clauses can derive.
pub(crate) fn refine(
    clauses: &[Clause],
    predicates: &Predicates,
    estimates: &mut [TableEstimate],
    seeds: &FxHashMap<TableId, f64>,
) {
    for _ in 0..3 {
        let mut sums: FxHashMap<TableId, TableEstimate> = FxHashMap::default();
        for clause in clauses {
            let factor_estimates: Vec<FactorEstimate> = clause
                .body
                .iter()
                .map(|literal| factor_estimate(literal, predicates, estimates))
                .collect();
            let size = JoinEstimate::of(factor_estimates.iter());
            let head = predicates.get(clause.head.predicate).table;
            let rows = size.projected(clause.head.args.iter().filter_map(|arg| arg.variable()));
            let sum = sums.entry(head).or_insert_with(|| TableEstimate {
                rows: 0.0,
                values: vec![0.0; clause.head.args.len()],
            });
            sum.rows += rows;
            for (arg, count) in clause.head.args.iter().zip(&mut sum.values) {
                *count += match arg.variable() {
                    Some(v) => size.values.get(&v).copied().unwrap_or(1e6).min(rows),
                    None => 1.0,
                };
            }
        }
        for (table, sum) in sums {
            let seed = seeds.get(&table).copied().unwrap_or(0.0);
            let estimate = &mut estimates[table as usize];
            estimate.rows = estimate.rows.min(sum.rows + seed).max(1.0);
            for (count, other) in estimate.values.iter_mut().zip(&sum.values) {
                *count = count.min(other + seed).max(1.0);
            }
        }
    }
}
