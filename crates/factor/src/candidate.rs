//! Conditions bound to the candidate.
//!
//! Let exactly one tuple `V` satisfy `cand(V)`. Then `∃V cand(V) ∧ l(V) ∧ m(V)` equals
//! `(∃V cand(V) ∧ l(V)) ∧ (∃V cand(V) ∧ m(V))`, and a negative condition may be taken apart in the
//! same way. A condition therefore needs no wire for every move: `l(V, Z)` becomes a relation of `Z`
//! alone, its *bound* form. Its rules are those of `l` with their own conditions bound in turn. In a
//! recursion an argument that is handed on unchanged disappears from it; one that advances stays, and
//! the recursion is joined with the candidate outside. This is the specialisation of magic sets
//! (Beeri and Ramakrishnan 1991, 'On the power of magic') for a query of which the bound argument has
//! one value only.

use indexmap::IndexMap;
use ludorum_gdl::Symbol;
use ludorum_logic::rule::{Pattern, Variable};
use rustc_hash::FxBuildHasher;

use crate::error::NotApplicable;
use crate::groups::Group;
use crate::moves::Tables;
use crate::program::{Atom, Clause, Literal, Program, RelationKey};
use crate::unify::Bindings;

/// The largest number of bound relations.
const MAX_RELATIONS: usize = 3_000;

/// A group, by number.
pub(crate) type GroupId = usize;

/// A condition that the candidate has some values in a group.
#[derive(Clone, Debug)]
pub(crate) struct CandidateAtom {
    pub(crate) group: GroupId,
    /// A pattern for each argument of the group.
    pub(crate) args: Vec<Pattern>,
}

/// What a bound relation is made from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Source {
    /// A relation.
    Relation(RelationKey),
    /// A functor of fluents.
    Fluent(Symbol, usize),
}

/// An argument that is bound: its place, the group and the place within the group.
type BoundPlace = (usize, GroupId, usize);

/// A bound relation: the source and its bound arguments.
type BoundKey = (Source, Vec<BoundPlace>);

/// A projection of a group, or the test that two values are the same.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum ValueKey {
    /// The values of some arguments of a group.
    Some(GroupId, Vec<usize>),
    /// Whether two arguments have the same value.
    Same((GroupId, usize), (GroupId, usize)),
}

/// Binds conditions to the candidate.
pub(crate) struct Binder<'a> {
    pub(crate) program: &'a mut Program,
    pub(crate) groups: &'a [Group],
    pub(crate) tables: &'a Tables,
    /// The candidate atoms of clauses of the program that ask for the move.
    bound: IndexMap<BoundKey, Symbol, FxBuildHasher>,
    values: IndexMap<ValueKey, Symbol, FxBuildHasher>,
    /// How many bound relations have their clauses.
    defined: usize,
}

impl<'a> Binder<'a> {
    pub(crate) fn new(program: &'a mut Program, groups: &'a [Group], tables: &'a Tables) -> Self {
        Self {
            program,
            groups,
            tables,
            bound: IndexMap::default(),
            values: IndexMap::default(),
            defined: 0,
        }
    }

    /// Adds a clause with its conditions bound to candidates.
    pub(crate) fn add(&mut self, clause: Clause, candidates: Vec<CandidateAtom>) {
        if let Some(clause) = self.bind(clause, candidates) {
            self.program.add(clause);
        }
    }

    /// Adds the clauses of all bound relations.
    pub(crate) fn finish(&mut self) -> Result<(), NotApplicable> {
        while self.defined < self.bound.len() {
            if self.bound.len() > MAX_RELATIONS {
                return Err(NotApplicable::TooManyRelations {
                    limit: MAX_RELATIONS,
                });
            }
            let (key, name) = self
                .bound
                .get_index(self.defined)
                .expect("below the length");
            let (key, name) = (key.clone(), *name);
            self.defined += 1;
            self.define(&key, name);
        }
        let values: Vec<(ValueKey, Symbol)> = self
            .values
            .iter()
            .map(|(key, name)| (key.clone(), *name))
            .collect();
        for (key, name) in values {
            self.define_value(&key, name);
        }
        Ok(())
    }

    /// Binds the conditions of a clause. `None` if it can never fire.
    fn bind(&mut self, mut clause: Clause, candidates: Vec<CandidateAtom>) -> Option<Clause> {
        let candidates = self.merge(&mut clause, candidates)?;
        let mut extra: Vec<Literal> = Vec::new();
        // The place of each bound variable: its group and its place within the group.
        let mut places: IndexMap<Variable, (GroupId, usize), FxBuildHasher> = IndexMap::default();
        // The arguments of each group whose values must be shown.
        let mut shown: Vec<(GroupId, Vec<(usize, Pattern)>)> = Vec::new();
        for candidate in &candidates {
            let mut show = Vec::new();
            for (i, arg) in candidate.args.iter().enumerate() {
                let Pattern::Variable(variable) = arg else {
                    show.push((i, arg.clone()));
                    continue;
                };
                match places.get(variable) {
                    Some(other) => {
                        let same = self.same(*other, (candidate.group, i));
                        extra.push(same);
                    }
                    None => {
                        places.insert(*variable, (candidate.group, i));
                        if self.is_open(&clause, *variable) {
                            show.push((i, arg.clone()));
                        }
                    }
                }
            }
            shown.push((candidate.group, show));
        }
        // A variable of a compound argument may be a value of another argument as well.
        let compound_variables: Vec<Variable> = shown
            .iter()
            .flat_map(|(_, show)| show.iter())
            .filter(|(_, arg)| matches!(arg, Pattern::Compound(..)))
            .flat_map(|(_, arg)| {
                let mut found = Vec::new();
                arg.for_each_variable(&mut |v| found.push(v));
                found
            })
            .collect();
        for v in compound_variables {
            if let Some((group, i)) = places.get(&v).copied() {
                let list = shown.iter_mut().find(|(g, _)| *g == group);
                if let Some((_, show)) = list
                    && !show.iter().any(|(at, _)| *at == i)
                {
                    show.push((i, Pattern::Variable(v)));
                    show.sort_by_key(|(at, _)| *at);
                }
            }
        }
        let mut body: Vec<Literal> = Vec::new();
        for (group, show) in shown {
            if show.is_empty() {
                continue;
            }
            let (at, args): (Vec<usize>, Vec<Pattern>) = show.into_iter().unzip();
            let name = self.some(group, at);
            body.push(Literal::Holds(Atom { name, args }));
        }
        body.append(&mut extra);
        for literal in &clause.body {
            let literal = self.bound_literal(literal, &places);
            if !body.contains(&literal) {
                body.push(literal);
            }
        }
        clause.body = body;
        Some(clause)
    }

    /// Joins candidate atoms of the same group: they have the same values.
    fn merge(
        &mut self,
        clause: &mut Clause,
        candidates: Vec<CandidateAtom>,
    ) -> Option<Vec<CandidateAtom>> {
        let mut merged: Vec<CandidateAtom> = Vec::new();
        let mut bindings = Bindings::new(clause.variables);
        for candidate in candidates {
            match merged.iter().find(|one| one.group == candidate.group) {
                Some(first) => {
                    for (a, b) in first.args.iter().zip(&candidate.args) {
                        if !bindings.unify(&self.program.terms, a, b) {
                            return None;
                        }
                    }
                }
                None => merged.push(candidate),
            }
        }
        let terms = &mut self.program.terms;
        *clause = bindings.apply_to(terms, clause);
        for candidate in &mut merged {
            for arg in &mut candidate.args {
                *arg = bindings.apply(terms, arg);
            }
        }
        Some(merged)
    }

    /// Whether the value of a variable is needed by something that cannot be bound: the head, or an
    /// argument within a compound term.
    fn is_open(&self, clause: &Clause, variable: Variable) -> bool {
        let within = |pattern: &Pattern| {
            matches!(pattern, Pattern::Compound(..)) && pattern.mentions(variable)
        };
        if clause.head.args.iter().any(|arg| arg.mentions(variable)) {
            return true;
        }
        clause.body.iter().any(|literal| match literal {
            Literal::Distinct(a, b) => within(a) || within(b),
            Literal::Holds(atom) | Literal::Fails(atom) => {
                if atom.name == self.program.names.true_ {
                    match &atom.args[0] {
                        Pattern::Compound(_, args) => args.iter().any(within),
                        other => other.mentions(variable),
                    }
                } else {
                    atom.args.iter().any(within)
                }
            }
        })
    }

    /// A condition with its bound arguments dropped.
    fn bound_literal(
        &mut self,
        literal: &Literal,
        places: &IndexMap<Variable, (GroupId, usize), FxBuildHasher>,
    ) -> Literal {
        let place_of = |arg: &Pattern| match arg {
            Pattern::Variable(v) => places.get(v).copied(),
            _ => None,
        };
        let (atom, positive) = match literal {
            Literal::Distinct(left, right) => {
                let (bound, other) = match (place_of(left), place_of(right)) {
                    (Some(a), Some(b)) => {
                        let Literal::Holds(same) = self.same(a, b) else {
                            return literal.clone();
                        };
                        return Literal::Fails(same);
                    }
                    (Some(a), None) => (a, right),
                    (None, Some(b)) => (b, left),
                    (None, None) => return literal.clone(),
                };
                let name = self.some(bound.0, vec![bound.1]);
                return Literal::Fails(Atom {
                    name,
                    args: vec![other.clone()],
                });
            }
            Literal::Holds(atom) => (atom, true),
            Literal::Fails(atom) => (atom, false),
        };
        let (source, args) = if atom.name == self.program.names.true_ {
            match &atom.args[0] {
                Pattern::Compound(functor, args) => {
                    (Source::Fluent(*functor, args.len()), args.to_vec())
                }
                _ => return literal.clone(),
            }
        } else {
            (Source::Relation(atom.key()), atom.args.clone())
        };
        let mut bound = Vec::new();
        let mut rest = Vec::new();
        for (i, arg) in args.iter().enumerate() {
            match place_of(arg) {
                Some((group, at)) => bound.push((i, group, at)),
                None => rest.push(arg.clone()),
            }
        }
        if bound.is_empty() {
            return literal.clone();
        }
        let name = self.relation((source, bound));
        let atom = Atom { name, args: rest };
        if positive {
            Literal::Holds(atom)
        } else {
            Literal::Fails(atom)
        }
    }

    fn relation(&mut self, key: BoundKey) -> Symbol {
        if let Some(name) = self.bound.get(&key) {
            return *name;
        }
        let base = match key.0 {
            Source::Relation((name, _)) | Source::Fluent(name, _) => name,
        };
        let base = self.program.terms.symbols.name(base).to_owned();
        let name = self.program.name(&format!("{base}_of"));
        self.bound.insert(key, name);
        name
    }

    fn some(&mut self, group: GroupId, places: Vec<usize>) -> Symbol {
        if places.len() == self.groups[group].places.len() {
            return self.groups[group].relation;
        }
        self.value(ValueKey::Some(group, places))
    }

    fn same(&mut self, a: (GroupId, usize), b: (GroupId, usize)) -> Literal {
        let name = self.value(ValueKey::Same(a.min(b), a.max(b)));
        Literal::Holds(Atom {
            name,
            args: Vec::new(),
        })
    }

    fn value(&mut self, key: ValueKey) -> Symbol {
        if let Some(name) = self.values.get(&key) {
            return *name;
        }
        let group = match key {
            ValueKey::Some(group, _) | ValueKey::Same((group, _), _) => group,
        };
        let base = self.groups[group].relation;
        let base = self.program.terms.symbols.name(base).to_owned();
        let name = match key {
            ValueKey::Some(..) => self.program.name(&format!("{base}_part")),
            ValueKey::Same(..) => self.program.name(&format!("{base}_same")),
        };
        self.values.insert(key, name);
        name
    }

    fn define_value(&mut self, key: &ValueKey, name: Symbol) {
        let (args, body, variables) = match key {
            ValueKey::Some(group, places) => {
                let group = &self.groups[*group];
                let all = variables(0, group.places.len());
                let args = places.iter().map(|place| all[*place].clone()).collect();
                let whole = Atom {
                    name: group.relation,
                    args: all,
                };
                (args, vec![Literal::Holds(whole)], group.places.len())
            }
            ValueKey::Same((a, i), (b, j)) => {
                let mut body = Vec::new();
                for (group, place) in [(*a, *i), (*b, *j)] {
                    let first = self.some(group, vec![place]);
                    body.push(Literal::Holds(Atom {
                        name: first,
                        args: vec![Pattern::Variable(0)],
                    }));
                    // The projection may be new.
                    let key = ValueKey::Some(group, vec![place]);
                    if self.values.contains_key(&key) && self.program.clauses((first, 1)).is_empty()
                    {
                        self.define_value(&key, first);
                    }
                }
                (Vec::new(), body, 1)
            }
        };
        let head = Atom { name, args };
        if self.program.clauses(head.key()).is_empty() {
            self.program.add(Clause {
                head,
                body,
                variables: variables as u32,
            });
        }
    }

    /// Adds the clauses of a bound relation.
    fn define(&mut self, (source, bound): &BoundKey, name: Symbol) {
        let arity = match source {
            Source::Relation((_, arity)) | Source::Fluent(_, arity) => *arity,
        };
        let clauses = match source {
            Source::Relation(key)
                if !self.tables.contains(*key) && !self.program.is_table(*key) =>
            {
                self.program.clauses(*key).to_vec()
            }
            _ => {
                self.define_join(source, bound, name, arity);
                return;
            }
        };
        for clause in clauses {
            let mut clause = clause;
            let mut candidates: Vec<CandidateAtom> = Vec::new();
            for (place, group, at) in bound {
                let value = clause.head.args[*place].clone();
                match candidates.iter_mut().find(|one| {
                    one.group == *group && {
                        let old = &one.args[*at];
                        *old == value || matches!(old, Pattern::Variable(v) if *v >= FRESH)
                    }
                }) {
                    Some(one) => one.args[*at] = value,
                    None => {
                        let size = self.groups[*group].places.len();
                        let mut args = variables(FRESH, size);
                        args[*at] = value;
                        candidates.push(CandidateAtom {
                            group: *group,
                            args,
                        });
                    }
                }
            }
            // Variables that stand for nothing yet become new ones of the clause.
            for candidate in &mut candidates {
                for arg in &mut candidate.args {
                    if matches!(arg, Pattern::Variable(v) if *v >= FRESH) {
                        *arg = clause.fresh();
                    }
                }
            }
            let rest = (0..arity).filter(|i| !bound.iter().any(|(place, ..)| place == i));
            clause.head = Atom {
                name,
                args: rest.map(|i| clause.head.args[i].clone()).collect(),
            };
            if let Source::Relation(key) = source
                && joins_its_arguments(&clause, *key, &candidates)
            {
                self.add_recursion(clause, *key, bound, name, candidates);
            } else {
                self.add(clause, candidates);
            }
        }
    }

    /// Adds a recursive clause of a bound relation in which the values of the candidate connect the
    /// arguments that are left. Without them the relation would have every combination of arguments.
    /// The values are shown, and only the recursion is bound.
    fn add_recursion(
        &mut self,
        mut clause: Clause,
        source: RelationKey,
        bound: &[BoundPlace],
        name: Symbol,
        candidates: Vec<CandidateAtom>,
    ) {
        let Some(candidates) = self.merge(&mut clause, candidates) else {
            return;
        };
        let mut body: Vec<Literal> = Vec::new();
        for candidate in &candidates {
            body.push(Literal::Holds(Atom {
                name: self.groups[candidate.group].relation,
                args: candidate.args.clone(),
            }));
        }
        let value = |group: GroupId, at: usize| {
            let found = candidates.iter().find(|one| one.group == group);
            found.map(|one| one.args[at].clone())
        };
        for literal in clause.body.drain(..) {
            let bound_form = |atom: &Atom| {
                let is_bound = atom.key() == source
                    && bound
                        .iter()
                        .all(|(place, g, at)| value(*g, *at).as_ref() == Some(&atom.args[*place]));
                is_bound.then(|| {
                    let rest = (0..atom.args.len())
                        .filter(|i| !bound.iter().any(|(place, ..)| place == i));
                    Atom {
                        name,
                        args: rest.map(|i| atom.args[i].clone()).collect(),
                    }
                })
            };
            body.push(match &literal {
                Literal::Holds(atom) => bound_form(atom).map_or(literal, Literal::Holds),
                Literal::Fails(atom) => bound_form(atom).map_or(literal, Literal::Fails),
                Literal::Distinct(..) => literal,
            });
        }
        clause.body = body;
        self.program.add(clause);
    }

    /// Adds the clause that joins a table or a fluent with the candidate.
    fn define_join(&mut self, source: &Source, bound: &[BoundPlace], name: Symbol, arity: usize) {
        let mut args = variables(0, arity);
        let mut next = arity as u32;
        let mut body = Vec::new();
        let mut done: Vec<GroupId> = Vec::new();
        for (_, group, _) in bound {
            if done.contains(group) {
                continue;
            }
            done.push(*group);
            let mut at: Vec<usize> = Vec::new();
            let mut values: Vec<Pattern> = Vec::new();
            let mut of_group: Vec<&BoundPlace> = bound.iter().filter(|b| b.1 == *group).collect();
            of_group.sort_by_key(|b| b.2);
            for (place, _, i) in of_group {
                match at.iter().position(|known| known == i) {
                    // Two arguments with the same value.
                    Some(known) => args[*place] = values[known].clone(),
                    None => {
                        at.push(*i);
                        values.push(args[*place].clone());
                    }
                }
            }
            next += 1;
            let relation = self.some(*group, at);
            body.push(Literal::Holds(Atom {
                name: relation,
                args: values,
            }));
        }
        let head = Atom {
            name,
            args: (0..arity)
                .filter(|i| !bound.iter().any(|(place, ..)| place == i))
                .map(|i| args[i].clone())
                .collect(),
        };
        let condition = match source {
            Source::Relation((relation, _)) => Literal::Holds(Atom {
                name: *relation,
                args,
            }),
            Source::Fluent(functor, _) => {
                let fluent = self.program.compound(*functor, args);
                self.program.fluent(fluent)
            }
        };
        body.push(condition);
        self.program.add(Clause {
            head,
            body,
            variables: next,
        });
    }
}

/// Numbers of variables that are not of the clause.
const FRESH: Variable = 1 << 30;

fn variables(first: Variable, count: usize) -> Vec<Pattern> {
    (first..first + count as u32)
        .map(Pattern::Variable)
        .collect()
}

/// Whether a recursive clause connects the arguments of its head through the values of the
/// candidate alone.
fn joins_its_arguments(clause: &Clause, source: RelationKey, candidates: &[CandidateAtom]) -> bool {
    let is_recursive = |literal: &&Literal| literal.atom().is_some_and(|atom| atom.key() == source);
    if !clause.body.iter().any(|literal| is_recursive(&literal)) {
        return false;
    }
    let mut of_candidate: Vec<Variable> = Vec::new();
    for arg in candidates.iter().flat_map(|one| &one.args) {
        arg.for_each_variable(&mut |v| of_candidate.push(v));
    }
    let mut of_head: Vec<Variable> = Vec::new();
    clause.head.for_each_variable(&mut |v| of_head.push(v));
    let Some(first) = of_head.first() else {
        return false;
    };
    let connected = |without: &[Variable]| {
        let mut reached = vec![*first];
        loop {
            let before = reached.len();
            for literal in &clause.body {
                let mut variables = literal.variables();
                variables.retain(|v| !without.contains(v) || of_head.contains(v));
                if variables.iter().any(|v| reached.contains(v)) {
                    variables.retain(|v| !reached.contains(v));
                    reached.extend(variables);
                }
            }
            if reached.len() == before {
                return of_head.iter().all(|v| reached.contains(v));
            }
        }
    };
    !connected(&of_candidate) && connected(&[])
}
