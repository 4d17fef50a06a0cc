//! Orders the conditions of a rule greedily: tests as soon as their variables are bound, then the
//! condition with the fewest estimated results.

use ludorum_logic::join_cost::{self, Candidate};
use rustc_hash::FxHashSet;

use super::and_plan::{AndPlan, ColumnSeed, KnownValue, MergeOp, PlanHost};
use super::customise::{Condition, variables};
use super::flat::{Arg, FlatLiteral, FlatRelationId, FlatRule, FlatRules, RelationKind, Var};
use super::recursion_guard::RecursionGuard;
use super::statistics::SizeStatistics;

/// Plans a rule for a condition. `None` if it can never succeed, or if the planning limit is
/// exceeded.
pub(super) fn plan(
    rule: &FlatRule,
    condition: &Condition,
    flat: &FlatRules,
    statistics: &SizeStatistics,
    filters: bool,
    number_cells: usize,
    host: &mut impl PlanHost,
) -> Option<AndPlan> {
    let origin = if condition.bound().next().is_some() {
        number_cells
    } else {
        0
    };
    let mut planner = RulePlanner {
        flat,
        statistics,
        filters,
        host,
        columns: vec![None; rule.vars],
        width: origin,
        origin,
        head_outputs: FxHashSet::default(),
        guard: RecursionGuard::new(rule, flat),
    };
    for place in condition.free() {
        planner.head_outputs.extend(rule.head.args[place].var());
    }
    let literals: Vec<&FlatLiteral> = rule.literals().collect();
    let mut used = FxHashSet::default();
    variables(literals.iter().copied(), |v| {
        used.insert(v);
    });
    let mut seeds: Vec<ColumnSeed> = Vec::new();
    let mut seen: Vec<(Var, usize)> = Vec::new();
    for (number, place) in condition.bound().enumerate() {
        seeds.push(match rule.head.args[place] {
            Arg::Const(symbol) => ColumnSeed::Equal(symbol),
            Arg::Var(v) => {
                if let Some((_, earlier)) = seen.iter().find(|(w, _)| *w == v) {
                    ColumnSeed::Earlier(*earlier)
                } else {
                    seen.push((v, number));
                    if used.contains(&v) || planner.head_outputs.contains(&v) {
                        ColumnSeed::Column(planner.column(v))
                    } else {
                        ColumnSeed::Ignored
                    }
                }
            }
        });
    }
    let mut ops = Vec::new();
    let body: Vec<FlatLiteral> = rule.body.clone();
    planner.run(body, &rule.fork, &mut ops)?;
    let results = condition
        .free()
        .map(|place| planner.known(rule.head.args[place]));
    let results: Option<Box<[KnownValue]>> = results.collect();
    Some(AndPlan {
        stride: planner.width,
        seeds: seeds.into(),
        results: results?,
        ops,
    })
}
/// A rule being planned.
pub(super) struct RulePlanner<'a, H> {
    pub(super) flat: &'a FlatRules,
    pub(super) statistics: &'a SizeStatistics,
    pub(super) filters: bool,
    pub(super) host: &'a mut H,
    /// The column of each bound variable.
    pub(super) columns: Vec<Option<usize>>,
    pub(super) width: usize,
    pub(super) origin: usize,
    /// The head variables that are outputs.
    pub(super) head_outputs: FxHashSet<Var>,
    pub(super) guard: RecursionGuard,
}

/// Whether a condition can be the next step: the inputs of a test are bound, and of a term the
/// whole or all parts.
pub(super) fn is_ready(lit: &FlatLiteral, is_known: impl Fn(Arg) -> bool) -> bool {
    match lit {
        FlatLiteral::Pos(_) => true,
        FlatLiteral::Neg(atom) => atom.args.iter().all(|arg| is_known(*arg)),
        FlatLiteral::Distinct(pairs) => pairs.iter().all(|(a, b)| is_known(*a) && is_known(*b)),
        FlatLiteral::Term(whole, _, parts) => {
            is_known(*whole) || parts.iter().all(|part| is_known(*part))
        }
    }
}

/// The plan of an unsafe rule, some variable of which is never bound. Rules are checked for safety
/// earlier.
pub(super) fn unsafe_rule<T>() -> Option<T> {
    debug_assert!(false, "positive conditions bind all variables of a rule");
    None
}

/// The cost of a condition that cannot be the next step.
pub(super) const NEVER: f64 = 1e300;
/// The cost of a condition that should wait for all others.
pub(super) const LAST: f64 = 1e200;

impl<H: PlanHost> RulePlanner<'_, H> {
    pub(super) fn column(&mut self, var: Var) -> usize {
        let column = self.columns[var as usize].unwrap_or(self.width);
        if column == self.width {
            self.width += 1;
            self.columns[var as usize] = Some(column);
        }
        column
    }

    pub(super) fn known(&self, arg: Arg) -> Option<KnownValue> {
        match arg {
            Arg::Const(symbol) => Some(KnownValue::Const(symbol)),
            Arg::Var(v) => self.columns[v as usize].map(KnownValue::Column),
        }
    }

    pub(super) fn is_known(&self, arg: Arg) -> bool {
        self.known(arg).is_some()
    }

    /// Plans the conditions before the fork, the fork, and those after it.
    pub(super) fn run(
        &mut self,
        mut todo: Vec<FlatLiteral>,
        fork: &[Vec<FlatLiteral>],
        ops: &mut Vec<MergeOp>,
    ) -> Option<()> {
        let mut fork = if fork.is_empty() { None } else { Some(fork) };
        loop {
            let branches = fork.into_iter().flatten().flatten();
            let (best, best_cost) = self.cheapest(&todo, &branches)?;
            if let Some(branches) = fork
                && (best_cost >= NEVER || best_cost > self.fork_cost(branches, &todo)?)
            {
                fork = None;
                if self.fork(&mut todo, branches, ops)? {
                    return Some(());
                }
                continue;
            }
            if todo.is_empty() {
                return Some(());
            }
            if best_cost >= NEVER {
                return unsafe_rule();
            }
            let lit = todo.remove(best);
            let later = todo.iter().chain(fork.into_iter().flatten().flatten());
            let mut needed = self.head_outputs.clone();
            variables(later, |v| {
                needed.insert(v);
            });
            self.step(&lit, &needed, ops)?;
            self.drop_dead_columns(&needed, todo.is_empty() && fork.is_none(), ops);
        }
    }

    /// The cheapest condition and its cost. `others` are conditions that follow as well. `None` if
    /// the planning limit is exceeded.
    pub(super) fn cheapest<'l>(
        &mut self,
        todo: &'l [FlatLiteral],
        others: &(impl Iterator<Item = &'l FlatLiteral> + Clone),
    ) -> Option<(usize, f64)> {
        let mut best = 0;
        let mut best_cost = f64::INFINITY;
        for (i, lit) in todo.iter().enumerate() {
            let mut cost = self.cost(lit);
            if cost < best_cost && cost < LAST {
                let others = todo.iter().chain(others.clone());
                let is_known = |arg| self.is_known(arg);
                if self.guard.must_wait(lit, &others, is_known, self.flat) {
                    cost = LAST;
                }
            }
            if cost < best_cost {
                (best, best_cost) = (i, cost);
            }
        }
        // As much work again goes into finding the variables needed afterwards.
        self.host.spend_planning(2 * todo.len() as u64 + 1)?;
        Some((best, best_cost))
    }

    /// Releases the columns of variables that are no longer needed, and removes duplicate rows.
    pub(super) fn drop_dead_columns(
        &mut self,
        needed: &FxHashSet<Var>,
        last: bool,
        ops: &mut Vec<MergeOp>,
    ) {
        let mut dead = false;
        let mut live: Vec<usize> = Vec::new();
        for (v, column) in self.columns.iter().enumerate() {
            if let Some(column) = column {
                if needed.contains(&(v as Var)) {
                    live.push(*column);
                } else {
                    dead = true;
                }
            }
        }
        if last || !dead {
            return;
        }
        let multiplies = |op: &MergeOp| {
            !matches!(
                op,
                MergeOp::Distinct(_) | MergeOp::AnyRow | MergeOp::Unique(_) | MergeOp::Compose(..)
            )
        };
        if !ops.last().is_some_and(multiplies) {
            return;
        }
        if live.is_empty() && self.origin == 0 {
            if !matches!(ops.last(), Some(MergeOp::AnyRow)) {
                ops.push(MergeOp::AnyRow);
            }
        } else {
            live.extend(0..self.origin);
            live.sort_unstable();
            ops.push(MergeOp::Unique(live.into()));
        }
        for (v, column) in self.columns.iter_mut().enumerate() {
            if column.is_some() && !needed.contains(&(v as Var)) {
                *column = None;
            }
        }
    }

    /// The cost of a condition as the next step.
    pub(super) fn cost(&self, lit: &FlatLiteral) -> f64 {
        if !is_ready(lit, |arg| self.is_known(arg)) {
            return NEVER;
        }
        match lit {
            FlatLiteral::Distinct(_) => join_cost::cost(Candidate::Distinct, true),
            FlatLiteral::Term(..) => 0.1,
            FlatLiteral::Neg(atom) => {
                join_cost::cost(Candidate::Negative, self.is_leaf(atom.relation))
            }
            FlatLiteral::Pos(atom) => {
                let known: Vec<bool> = atom.args.iter().map(|arg| self.is_known(*arg)).collect();
                let condition = if known.iter().all(|known| *known) {
                    Candidate::Bound
                } else {
                    Candidate::Open(self.statistics.estimate(atom.relation, &known))
                };
                join_cost::cost(condition, self.is_leaf(atom.relation))
            }
        }
    }

    pub(super) fn is_leaf(&self, relation: FlatRelationId) -> bool {
        self.flat.relations[relation].kind != RelationKind::Derived
    }
}
