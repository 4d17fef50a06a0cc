//! Plans the resolution paths of an `or` (Świechowski 2015, section 6.4.4), and where they join.

use rustc_hash::FxHashSet;

use super::and_plan::{MergeOp, Part, PlanHost};
use super::customise::variables;
use super::flat::{Arg, FlatLiteral, Var};
use super::planner::{LAST, NEVER, RulePlanner, is_ready, unsafe_rule};

impl<H: PlanHost> RulePlanner<'_, H> {
    /// The cost of a fork as the next step. `None` if the planning limit is exceeded.
    pub(super) fn fork_cost(
        &mut self,
        branches: &[Vec<FlatLiteral>],
        todo: &[FlatLiteral],
    ) -> Option<f64> {
        let size = branches.iter().map(Vec::len).sum::<usize>();
        self.host.spend_planning(2 * size as u64 + 1)?;
        for branch in branches {
            if !self.is_self_contained(branch)? {
                return Some(f64::INFINITY);
            }
        }
        let waits = |lit: &FlatLiteral| {
            let is_known = |arg| self.is_known(arg);
            self.guard.must_wait(lit, &todo.iter(), is_known, self.flat)
        };
        if branches.iter().flatten().any(waits) {
            return Some(LAST);
        }
        // Every path runs its first condition.
        let first = |branch: &Vec<FlatLiteral>| {
            let costs = branch.iter().map(|lit| self.cost(lit));
            costs.fold(NEVER, f64::min)
        };
        let full = |branch: &&Vec<FlatLiteral>| !branch.is_empty();
        Some(branches.iter().filter(full).map(first).sum())
    }

    /// Plans the paths of a fork. Returns true if no conditions are left after it.
    pub(super) fn fork(
        &mut self,
        todo: &mut Vec<FlatLiteral>,
        branches: &[Vec<FlatLiteral>],
        ops: &mut Vec<MergeOp>,
    ) -> Option<bool> {
        let before = self.columns.clone();
        // Paths join directly after the fork if they bind the same variables. Otherwise each
        // continues to the end of the rule.
        let mut needed = self.head_outputs.clone();
        variables(todo.iter(), |v| {
            needed.insert(v);
        });
        let new_variables = |branch: &[FlatLiteral]| {
            let mut new: Vec<Var> = Vec::new();
            variables(branch, |v| {
                if before[v as usize].is_none() && needed.contains(&v) {
                    new.push(v);
                }
            });
            new.sort_unstable();
            new.dedup();
            new
        };
        let first = branches
            .first()
            .map(|branch| new_variables(branch))
            .unwrap_or_default();
        let mut joins = branches.iter().all(|branch| new_variables(branch) == first);
        for branch in branches {
            joins = joins && self.is_self_contained(branch)?;
        }
        let mut paths = Vec::with_capacity(branches.len());
        let head_outputs = self.head_outputs.clone();
        let mut columns = before.clone();
        for branch in branches {
            // A variable has the same column on all paths.
            self.columns.clone_from(&before);
            let mut path = Vec::new();
            let planned = if joins {
                self.head_outputs.clone_from(&needed);
                let fixed: Vec<(Var, usize)> = columns
                    .iter()
                    .enumerate()
                    .filter_map(|(v, c)| c.map(|c| (v as Var, c)))
                    .collect();
                let result = self.path(branch.clone(), &fixed, &mut path);
                self.head_outputs.clone_from(&head_outputs);
                result
            } else {
                let mut all = branch.clone();
                all.extend(todo.iter().cloned());
                let fixed: Vec<(Var, usize)> = columns
                    .iter()
                    .enumerate()
                    .filter_map(|(v, c)| c.map(|c| (v as Var, c)))
                    .collect();
                self.path(all, &fixed, &mut path)
            };
            if planned.is_some() {
                for (v, column) in self.columns.iter().enumerate() {
                    if columns[v].is_none() {
                        columns[v] = *column;
                    }
                }
                paths.push(path);
            }
        }
        if paths.is_empty() {
            return None;
        }
        self.columns = columns;
        for (v, column) in self.columns.iter_mut().enumerate() {
            if before[v].is_none() && !needed.contains(&(v as Var)) {
                *column = None;
            }
        }
        ops.push(MergeOp::Fork(paths));
        if joins {
            return Some(false);
        }
        todo.clear();
        Some(true)
    }

    /// Whether an alternative can be proved with the variables bound now: in some order, each of
    /// its conditions is ready when its turn comes.
    fn is_self_contained(&mut self, branch: &[FlatLiteral]) -> Option<bool> {
        let mut bound: FxHashSet<Var> = FxHashSet::default();
        let mut waiting: Vec<&FlatLiteral> = branch.iter().collect();
        loop {
            let before = waiting.len();
            self.host.spend_planning(before as u64)?;
            waiting.retain(|lit| {
                let is_bound = |arg: Arg| arg.var().is_some_and(|v| bound.contains(&v));
                let ready = is_ready(lit, |arg| self.is_known(arg) || is_bound(arg));
                if ready {
                    lit.for_each_arg(|arg| bound.extend(arg.var()));
                }
                !ready
            });
            if waiting.is_empty() || waiting.len() == before {
                return Some(waiting.is_empty());
            }
        }
    }

    /// Plans one path. Variables that already have a column on other paths get the same column.
    fn path(
        &mut self,
        mut todo: Vec<FlatLiteral>,
        fixed: &[(Var, usize)],
        ops: &mut Vec<MergeOp>,
    ) -> Option<()> {
        while !todo.is_empty() {
            let (best, cost) = self.cheapest(&todo, &std::iter::empty())?;
            if cost >= NEVER {
                return unsafe_rule();
            }
            let lit = todo.remove(best);
            let mut needed = self.head_outputs.clone();
            variables(todo.iter(), |v| {
                needed.insert(v);
            });
            let before = self.columns.clone();
            self.step(&lit, &needed, ops)?;
            self.align_columns(&before, fixed, ops);
        }
        Some(())
    }

    /// Moves newly assigned columns to the positions they have on other paths.
    fn align_columns(
        &mut self,
        before: &[Option<usize>],
        fixed: &[(Var, usize)],
        ops: &mut [MergeOp],
    ) {
        let mut moves: Vec<(usize, usize)> = Vec::new();
        for (v, column) in fixed {
            let now = self.columns[*v as usize];
            if let (None, Some(now)) = (before[*v as usize], now)
                && now != *column
            {
                moves.push((now, *column));
                self.columns[*v as usize] = Some(*column);
            }
        }
        let to = |column: usize| {
            let found = moves.iter().find(|(from, _)| *from == column);
            found.map_or(column, |(_, to)| *to)
        };
        match ops.last_mut() {
            Some(MergeOp::Merge(merge)) => {
                for output in &mut merge.outputs {
                    output.1 = to(output.1);
                }
            }
            Some(MergeOp::Filtered(filtered)) => {
                for output in filtered
                    .outputs
                    .iter_mut()
                    .chain(filtered.whole.outputs.iter_mut())
                {
                    output.1 = to(output.1);
                }
            }
            Some(MergeOp::Compose(_, _, column)) => *column = to(*column),
            Some(MergeOp::Decompose(_, _, parts)) => {
                for part in parts {
                    if let Part::Column(column) = part {
                        *column = to(*column);
                    }
                }
            }
            _ => {}
        }
    }
}
