//! How the rule of an AND node runs: its conditions in order, each as a merge operation (Table 6.2 of the thesis) on the node's rowset.

use ludorum_gdl::Symbol;
use rustc_hash::FxHashSet;

use super::customise::{Condition, Slot, variables};
use super::flat::{Arg, Atom, Flat, FlatRule, Kind, Lit, RelId, Var};
use super::statistics::Statistics;

/// A symbol that is known when an operation starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    Const(u32),
    Column(usize),
}

/// How to make a key: its constants, and which of its places come from which columns.
#[derive(Clone, Debug, Default)]
pub(super) struct Key {
    pub(super) symbols: Box<[u32]>,
    pub(super) columns: Box<[(usize, usize)]>,
}

impl Key {
    fn new(known: &[Known]) -> Self {
        let symbol = |known: &Known| match known {
            Known::Const(symbol) => *symbol,
            Known::Column(_) => 0,
        };
        let column = |(i, known): (usize, &Known)| match known {
            Known::Const(_) => None,
            Known::Column(column) => Some((i, *column)),
        };
        Self {
            symbols: known.iter().map(symbol).collect(),
            columns: known.iter().enumerate().filter_map(column).collect(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.symbols.is_empty()
    }
}

/// The kinds of merge operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kinds {
    New,
    True,
    Combine,
    Verify,
    Check,
    VerifyNot,
    CheckNot,
}

/// Where the rows for a merge come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// A leaf: facts, fluents or moves.
    Leaf(RelId),
    /// An OR node without a filter.
    Node(usize),
}

/// Merges rows of a source, found by the key columns.
#[derive(Clone, Debug)]
pub(super) struct Merge {
    pub(super) kind: Kinds,
    pub(super) source: Source,
    /// The way to find rows of the source.
    pub(super) access: usize,
    pub(super) key: Key,
    /// Columns of the source that must be equal.
    pub(super) same: Box<[(usize, usize)]>,
    /// From columns of the source to columns here.
    pub(super) outputs: Box<[(usize, usize)]>,
}

/// Merges the results of an OR node that this rowset filters.
#[derive(Clone, Debug)]
pub(super) struct Filtered {
    pub(super) kind: Kinds,
    pub(super) node: usize,
    /// The columns that filter.
    pub(super) asked: Box<[usize]>,
    /// From columns of the results to columns here.
    pub(super) outputs: Box<[(usize, usize)]>,
    /// The same merge without the filter.
    pub(super) whole: Merge,
    /// Where the worth of the filter is noted.
    pub(super) site: usize,
}

/// A part of a term that is taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Equal(Known),
    /// The same as an earlier part.
    Earlier(usize),
    Column(usize),
    Ignored,
}

/// An operation on the rowset of an AND node.
#[derive(Clone, Debug)]
pub(super) enum Op {
    Merge(Merge),
    Filtered(Box<Filtered>),
    Distinct(Box<[(Known, Known)]>),
    /// Puts a term together.
    Compose(Symbol, Box<[Known]>, usize),
    /// Takes a term apart.
    Decompose(Known, Symbol, Box<[Part]>),
    /// Nothing but whether there is a row matters from here on.
    One,
    /// Rows that are equal in these columns are one from here on.
    Unique(Box<[usize]>),
    /// The paths of an `or`, each on a copy of the rowset, joined again.
    Fork(Vec<Vec<Op>>),
}

/// What a filter's row gives to the rowset at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seed {
    Equal(u32),
    Earlier(usize),
    Column(usize),
    Ignored,
}

/// The rule of an AND node, ready to run.
#[derive(Clone, Debug)]
pub(super) struct AndPlan {
    /// Columns of its rowset; the number of the filter's row comes first where there is a filter.
    pub(super) stride: usize,
    pub(super) seeds: Box<[Seed]>,
    pub(super) ops: Vec<Op>,
    /// The wanted columns of the head.
    pub(super) results: Box<[Known]>,
}

/// The rules of an OR node, ready to run.
#[derive(Clone, Debug, Default)]
pub(super) struct NodePlan {
    pub(super) rules: Vec<AndPlan>,
}

/// What the planner asks of whoever keeps nodes and rowsets.
pub(super) trait Host {
    /// The number of the node for a condition.
    fn node(&mut self, condition: Condition) -> usize;
    /// The number of the way to find rows of a source by columns.
    fn access(&mut self, source: Source, columns: &[usize]) -> usize;
    /// A new place to note the worth of a filter of a node.
    fn site(&mut self, node: usize, whole: usize) -> usize;
    /// Whether a row of facts exists.
    fn holds(&mut self, relation: RelId, row: &[u32]) -> bool;
}

/// Plans a rule for a condition; `None` if it can never succeed.
pub(super) fn plan(
    rule: &FlatRule,
    condition: &Condition,
    flat: &Flat,
    statistics: &Statistics,
    filters: bool,
    number_cells: usize,
    host: &mut impl Host,
) -> Option<AndPlan> {
    let origin = if condition.bound().next().is_some() {
        number_cells
    } else {
        0
    };
    let mut planner = Planner {
        flat,
        statistics,
        filters,
        host,
        columns: vec![None; rule.vars],
        width: origin,
        origin,
        wanted: FxHashSet::default(),
    };
    for place in condition.free() {
        planner.wanted.extend(rule.head.args[place].var());
    }
    let literals: Vec<&Lit> = rule.literals().collect();
    let mut used = FxHashSet::default();
    variables(literals.iter().copied(), |v| {
        used.insert(v);
    });
    let mut seeds: Vec<Seed> = Vec::new();
    let mut seen: Vec<(Var, usize)> = Vec::new();
    for (number, place) in condition.bound().enumerate() {
        seeds.push(match rule.head.args[place] {
            Arg::Const(symbol) => Seed::Equal(symbol),
            Arg::Var(v) => {
                if let Some((_, earlier)) = seen.iter().find(|(w, _)| *w == v) {
                    Seed::Earlier(*earlier)
                } else {
                    seen.push((v, number));
                    if used.contains(&v) || planner.wanted.contains(&v) {
                        Seed::Column(planner.column(v))
                    } else {
                        Seed::Ignored
                    }
                }
            }
        });
    }
    let mut ops = Vec::new();
    let body: Vec<Lit> = rule.body.clone();
    planner.run(body, &rule.fork, &mut ops)?;
    let results = condition
        .free()
        .map(|place| planner.known(rule.head.args[place]));
    let results: Option<Box<[Known]>> = results.collect();
    Some(AndPlan {
        stride: planner.width,
        seeds: seeds.into(),
        results: results?,
        ops,
    })
}

struct Planner<'a, H> {
    flat: &'a Flat,
    statistics: &'a Statistics,
    filters: bool,
    host: &'a mut H,
    /// The column of every variable that has one.
    columns: Vec<Option<usize>>,
    width: usize,
    origin: usize,
    /// Variables of the head whose values are wanted.
    wanted: FxHashSet<Var>,
}

const NEVER: f64 = 1e300;

impl<H: Host> Planner<'_, H> {
    fn column(&mut self, var: Var) -> usize {
        let column = self.columns[var as usize].unwrap_or(self.width);
        if column == self.width {
            self.width += 1;
            self.columns[var as usize] = Some(column);
        }
        column
    }

    fn known(&self, arg: Arg) -> Option<Known> {
        match arg {
            Arg::Const(symbol) => Some(Known::Const(symbol)),
            Arg::Var(v) => self.columns[v as usize].map(Known::Column),
        }
    }

    fn is_known(&self, arg: Arg) -> bool {
        self.known(arg).is_some()
    }

    /// Plans conditions, then the fork, then what is left.
    fn run(&mut self, mut todo: Vec<Lit>, fork: &[Vec<Lit>], ops: &mut Vec<Op>) -> Option<()> {
        let mut fork = if fork.is_empty() { None } else { Some(fork) };
        loop {
            let mut best = 0;
            let mut best_cost = f64::INFINITY;
            for (i, lit) in todo.iter().enumerate() {
                let cost = self.cost(lit);
                if cost < best_cost {
                    (best, best_cost) = (i, cost);
                }
            }
            if let Some(branches) = fork
                && best_cost > self.fork_cost(branches)
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
            let lit = todo.remove(best);
            let later = todo.iter().chain(fork.into_iter().flatten().flatten());
            let mut needed = self.wanted.clone();
            variables(later, |v| {
                needed.insert(v);
            });
            self.step(&lit, &needed, ops)?;
            self.tidy(&needed, todo.is_empty() && fork.is_none(), ops);
        }
    }

    /// Ends the life of columns that nobody needs any more.
    fn tidy(&mut self, needed: &FxHashSet<Var>, last: bool, ops: &mut Vec<Op>) {
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
        let multiplies = |op: &Op| {
            !matches!(
                op,
                Op::Distinct(_) | Op::One | Op::Unique(_) | Op::Compose(..)
            )
        };
        if !ops.last().is_some_and(multiplies) {
            return;
        }
        if live.is_empty() && self.origin == 0 {
            if !matches!(ops.last(), Some(Op::One)) {
                ops.push(Op::One);
            }
        } else {
            live.extend(0..self.origin);
            live.sort_unstable();
            ops.push(Op::Unique(live.into()));
        }
        for (v, column) in self.columns.iter_mut().enumerate() {
            if column.is_some() && !needed.contains(&(v as Var)) {
                *column = None;
            }
        }
    }

    /// How unwelcome a fork is as the next step.
    fn fork_cost(&self, branches: &[Vec<Lit>]) -> f64 {
        let ready = branches
            .iter()
            .all(|branch| branch.iter().any(|lit| self.cost(lit) < NEVER) || branch.is_empty());
        if ready { 12.0 } else { NEVER * 10.0 }
    }

    /// Plans the branches of a fork. True if nothing is left to do after it.
    fn fork(
        &mut self,
        todo: &mut Vec<Lit>,
        branches: &[Vec<Lit>],
        ops: &mut Vec<Op>,
    ) -> Option<bool> {
        let before = self.columns.clone();
        // Paths can be joined at once if they bring the same variables; else each goes to the end on its own.
        let mut needed = self.wanted.clone();
        variables(todo.iter(), |v| {
            needed.insert(v);
        });
        let news = |branch: &[Lit]| {
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
            .map(|branch| news(branch))
            .unwrap_or_default();
        let joins = branches
            .iter()
            .all(|branch| news(branch) == first && self.stands_alone(branch));
        let mut paths = Vec::with_capacity(branches.len());
        let wanted = self.wanted.clone();
        let mut columns = before.clone();
        for branch in branches {
            // The same variable has the same column on all paths.
            self.columns.clone_from(&before);
            let mut path = Vec::new();
            let planned = if joins {
                self.wanted.clone_from(&needed);
                let fixed: Vec<(Var, usize)> = columns
                    .iter()
                    .enumerate()
                    .filter_map(|(v, c)| c.map(|c| (v as Var, c)))
                    .collect();
                let result = self.path(branch.clone(), &fixed, &mut path);
                self.wanted.clone_from(&wanted);
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
        for v in 0..self.columns.len() {
            if before[v].is_none() && !needed.contains(&(v as Var)) {
                self.columns[v] = None;
            }
        }
        ops.push(Op::Fork(paths));
        if joins {
            return Some(false);
        }
        todo.clear();
        Some(true)
    }

    /// Whether a branch can be proved with what is known now.
    fn stands_alone(&self, branch: &[Lit]) -> bool {
        let mut binds: FxHashSet<Var> = FxHashSet::default();
        for lit in branch {
            match lit {
                Lit::Pos(_) | Lit::Term(..) => lit.for_each_arg(|arg| binds.extend(arg.var())),
                Lit::Neg(_) | Lit::Distinct(_) => {}
            }
        }
        let mut alone = true;
        variables(branch, |v| {
            alone &= self.columns[v as usize].is_some() || binds.contains(&v)
        });
        alone
    }

    /// Plans a path of a fork; variables that other paths have given a column get the same.
    fn path(
        &mut self,
        mut todo: Vec<Lit>,
        fixed: &[(Var, usize)],
        ops: &mut Vec<Op>,
    ) -> Option<()> {
        while !todo.is_empty() {
            let mut best = 0;
            for i in 1..todo.len() {
                if self.cost(&todo[i]) < self.cost(&todo[best]) {
                    best = i;
                }
            }
            let lit = todo.remove(best);
            let mut needed = self.wanted.clone();
            variables(todo.iter(), |v| {
                needed.insert(v);
            });
            let before = self.columns.clone();
            self.step(&lit, &needed, ops)?;
            self.align(&before, fixed, ops);
        }
        Some(())
    }

    /// Moves columns that were just given out to where other paths have them.
    fn align(&mut self, before: &[Option<usize>], fixed: &[(Var, usize)], ops: &mut [Op]) {
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
            Some(Op::Merge(merge)) => {
                for output in &mut merge.outputs {
                    output.1 = to(output.1);
                }
            }
            Some(Op::Filtered(filtered)) => {
                for output in filtered
                    .outputs
                    .iter_mut()
                    .chain(filtered.whole.outputs.iter_mut())
                {
                    output.1 = to(output.1);
                }
            }
            Some(Op::Compose(_, _, column)) => *column = to(*column),
            Some(Op::Decompose(_, _, parts)) => {
                for part in parts {
                    if let Part::Column(column) = part {
                        *column = to(*column);
                    }
                }
            }
            _ => {}
        }
    }

    /// How unwelcome a condition is as the next one.
    fn cost(&self, lit: &Lit) -> f64 {
        match lit {
            Lit::Distinct(pairs) => {
                let known = pairs
                    .iter()
                    .all(|(a, b)| self.is_known(*a) && self.is_known(*b));
                if known { 0.0 } else { NEVER }
            }
            Lit::Term(whole, _, parts) => {
                let parts = parts.iter().all(|part| self.is_known(*part));
                if self.is_known(*whole) || parts {
                    0.1
                } else {
                    NEVER
                }
            }
            Lit::Neg(atom) => {
                if !atom.args.iter().all(|arg| self.is_known(*arg)) {
                    NEVER
                } else if self.is_leaf(atom.relation) {
                    1.0
                } else {
                    6.0
                }
            }
            Lit::Pos(atom) => {
                let leaf = self.is_leaf(atom.relation);
                if atom.args.iter().all(|arg| self.is_known(*arg)) {
                    return if leaf { 0.5 } else { 5.0 };
                }
                let known: Vec<bool> = atom.args.iter().map(|arg| self.is_known(*arg)).collect();
                let answers = self.statistics.estimate(atom.relation, &known);
                if leaf {
                    1.0 + answers
                } else {
                    8.0 + 4.0 * answers
                }
            }
        }
    }

    fn is_leaf(&self, relation: RelId) -> bool {
        self.flat.relations[relation].kind != Kind::Derived
    }

    fn step(&mut self, lit: &Lit, needed: &FxHashSet<Var>, ops: &mut Vec<Op>) -> Option<()> {
        match lit {
            Lit::Distinct(pairs) => {
                let known = pairs
                    .iter()
                    .map(|(a, b)| Some((self.known(*a)?, self.known(*b)?)));
                ops.push(Op::Distinct(known.collect::<Option<_>>()?));
            }
            Lit::Term(whole, functor, parts) => self.term(*whole, *functor, parts, needed, ops)?,
            Lit::Neg(atom) if self.is_leaf(atom.relation) => {
                if let Some(holds) = self.decided(atom) {
                    return (!holds).then_some(());
                }
                let merge = self.leaf(atom, needed, true);
                ops.push(Op::Merge(merge));
            }
            Lit::Pos(atom) if self.is_leaf(atom.relation) => {
                if let Some(holds) = self.decided(atom) {
                    return holds.then_some(());
                }
                let merge = self.leaf(atom, needed, false);
                ops.push(Op::Merge(merge));
            }
            Lit::Neg(atom) => {
                let op = self.node(atom, needed, true);
                ops.push(op);
            }
            Lit::Pos(atom) => {
                let op = self.node(atom, needed, false);
                ops.push(op);
            }
        }
        Some(())
    }

    /// Whether a condition on facts holds, if it has no variables.
    fn decided(&mut self, atom: &Atom) -> Option<bool> {
        if self.flat.relations[atom.relation].kind != Kind::Facts {
            return None;
        }
        let row: Option<Vec<u32>> = atom
            .args
            .iter()
            .map(|arg| match arg {
                Arg::Const(symbol) => Some(*symbol),
                Arg::Var(_) => None,
            })
            .collect();
        Some(self.host.holds(atom.relation, &row?))
    }

    fn kind(&self, negative: bool, key_columns: bool, outputs: bool) -> Kinds {
        match (negative, key_columns, outputs) {
            (true, true, _) => Kinds::VerifyNot,
            (true, false, _) => Kinds::CheckNot,
            (false, true, true) => Kinds::True,
            (false, true, false) => Kinds::Verify,
            (false, false, false) => Kinds::Check,
            (false, false, true) if self.columns.iter().any(Option::is_some) => Kinds::Combine,
            (false, false, true) => Kinds::New,
        }
    }

    fn leaf(&mut self, atom: &Atom, needed: &FxHashSet<Var>, negative: bool) -> Merge {
        let mut key = Vec::new();
        let mut key_columns = Vec::new();
        let mut same = Vec::new();
        let mut seen: Vec<(Var, usize)> = Vec::new();
        for (place, arg) in atom.args.iter().enumerate() {
            if let Some(known) = self.known(*arg) {
                key.push(known);
                key_columns.push(place);
            } else if let Arg::Var(v) = arg {
                match seen.iter().find(|(w, _)| w == v) {
                    Some((_, earlier)) => same.push((*earlier, place)),
                    None => seen.push((*v, place)),
                }
            }
        }
        let outputs: Vec<(Var, usize)> = seen
            .into_iter()
            .filter(|(v, _)| needed.contains(v))
            .collect();
        let by_column = key.iter().any(|known| matches!(known, Known::Column(_)));
        let kind = self.kind(negative, by_column, !outputs.is_empty());
        let source = Source::Leaf(atom.relation);
        Merge {
            kind,
            source,
            access: self.host.access(source, &key_columns),
            key: Key::new(&key),
            same: same.into(),
            outputs: outputs
                .into_iter()
                .map(|(v, place)| (place, self.column(v)))
                .collect(),
        }
    }

    fn node(&mut self, atom: &Atom, needed: &FxHashSet<Var>, negative: bool) -> Op {
        let mut slots: Vec<Slot> = Vec::with_capacity(atom.args.len());
        let mut seen: Vec<(Var, usize)> = Vec::new();
        let mut asked: Vec<usize> = Vec::new();
        let mut outputs: Vec<Var> = Vec::new();
        // For the merge without a filter: which columns of its results are key and which are new.
        let mut whole_key: Vec<Known> = Vec::new();
        let mut whole_columns: Vec<usize> = Vec::new();
        let mut whole_outputs: Vec<usize> = Vec::new();
        let mut whole_width = 0;
        for (place, arg) in atom.args.iter().enumerate() {
            let slot = match arg {
                Arg::Const(symbol) => Slot::Const(*symbol),
                Arg::Var(v) => match seen.iter().find(|(w, _)| w == v) {
                    Some((_, earlier)) => Slot::Same(*earlier),
                    None => {
                        seen.push((*v, place));
                        if let Some(column) = self.columns[*v as usize] {
                            asked.push(column);
                            whole_key.push(Known::Column(column));
                            whole_columns.push(whole_width);
                            whole_width += 1;
                            Slot::Bound
                        } else if needed.contains(v) {
                            outputs.push(*v);
                            whole_outputs.push(whole_width);
                            whole_width += 1;
                            Slot::Free
                        } else {
                            Slot::Ignored
                        }
                    }
                },
            };
            slots.push(slot);
        }
        let kind = self.kind(negative, !asked.is_empty(), !outputs.is_empty());
        let condition = Condition {
            relation: atom.relation,
            slots: slots.into(),
        };
        let whole_node = self.host.node(condition.unfiltered());
        let source = Source::Node(whole_node);
        let columns: Vec<usize> = outputs.iter().map(|v| self.column(*v)).collect();
        let whole = Merge {
            kind,
            source,
            access: self.host.access(source, &whole_columns),
            key: Key::new(&whole_key),
            same: Box::default(),
            outputs: whole_outputs
                .into_iter()
                .zip(columns.iter().copied())
                .collect(),
        };
        if asked.is_empty() || !self.filters {
            return Op::Merge(whole);
        }
        let node = self.host.node(condition);
        Op::Filtered(Box::new(Filtered {
            kind,
            node,
            asked: asked.into(),
            outputs: columns.into_iter().enumerate().collect(),
            site: self.host.site(node, whole_node),
            whole,
        }))
    }

    fn term(
        &mut self,
        whole: Arg,
        functor: Symbol,
        parts: &[Arg],
        needed: &FxHashSet<Var>,
        ops: &mut Vec<Op>,
    ) -> Option<()> {
        if let Some(whole) = self.known(whole) {
            let mut done = Vec::with_capacity(parts.len());
            let mut seen: Vec<(Var, usize)> = Vec::new();
            for (place, part) in parts.iter().enumerate() {
                done.push(match (self.known(*part), part) {
                    (Some(known), _)
                        if !part
                            .var()
                            .is_some_and(|v| seen.iter().any(|(w, _)| *w == v)) =>
                    {
                        Part::Equal(known)
                    }
                    (_, Arg::Var(v)) => match seen.iter().find(|(w, _)| w == v) {
                        Some((_, earlier)) => Part::Earlier(*earlier),
                        None => {
                            seen.push((*v, place));
                            if needed.contains(v) {
                                Part::Column(self.column(*v))
                            } else {
                                Part::Ignored
                            }
                        }
                    },
                    (_, Arg::Const(symbol)) => Part::Equal(Known::Const(*symbol)),
                });
            }
            ops.push(Op::Decompose(whole, functor, done.into()));
            return Some(());
        }
        let parts: Option<Box<[Known]>> = parts.iter().map(|part| self.known(*part)).collect();
        let column = self.column(whole.var()?);
        ops.push(Op::Compose(functor, parts?, column));
        Some(())
    }
}
