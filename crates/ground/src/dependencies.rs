//! Functional dependencies: which arguments of a relation determine the others in every reachable
//! state.
//!
//! A dependency with the key `K` says that at most one atom of a predicate holds for each value of
//! the arguments `K`: one position of a car (no key), one place of each piece (key: the piece).
//! Dependencies of fluents are invariants of play. All are proved together: the candidates are
//! assumed of the present state, and every pair of derivations of the next is examined by the chase
//! (Aho et al. 1979). Two atoms with equal keys are assumed, the conditions of both
//! derivations are put together, and what known dependencies make equal is made equal. The atoms
//! must become equal, or the conditions contradict each other. Candidates that fail are dropped,
//! and the rest is examined again. For recursive relations this is an induction over the height of
//! both derivations.

use rustc_hash::FxHashMap;

use crate::clause::{Arg, Atom, Clause, Literal, PredicateId, PredicateView, Predicates};
use crate::substitution::Substitution;
use crate::tuple_table::{TableId, TupleTables};

/// The largest number of columns of a predicate that is examined.
const MAX_COLUMNS: usize = 6;
/// The largest number of columns of a key.
const MAX_KEY: u32 = 4;
/// Limits the pairs of literals that are compared.
const MAX_WORK: u64 = 4_000_000;
/// The largest number of rows of a table whose dependencies are looked for.
const MAX_ROWS: u32 = 200_000;

/// A set of columns, as bits.
pub(crate) type Columns = u32;

/// The proved dependencies: the keys of each predicate, without keys that contain another.
#[derive(Debug, Default)]
pub(crate) struct Dependencies {
    keys: FxHashMap<PredicateId, Vec<Columns>>,
}

impl Dependencies {
    /// The keys of a predicate, those with fewer columns first.
    pub(crate) fn keys(&self, predicate: PredicateId) -> &[Columns] {
        self.keys.get(&predicate).map_or(&[], |keys| &keys[..])
    }

    /// All predicates with keys.
    pub(crate) fn all(&self) -> impl Iterator<Item = (PredicateId, &[Columns])> {
        self.keys.iter().map(|(id, keys)| (*id, &keys[..]))
    }
}

/// The chase was given up: it takes too long.
struct GivenUp;

/// How two derivations are related.
#[derive(PartialEq, Eq)]
enum Outcome {
    /// They derive the same atom, or are never possible at once.
    Consistent,
    Open,
}

struct Prover<'a> {
    predicates: &'a Predicates,
    tables: &'a TupleTables,
    /// The clauses of each predicate. Those of `next` are listed under `true`.
    clauses: FxHashMap<PredicateId, Vec<&'a Clause>>,
    keys: FxHashMap<PredicateId, Vec<Columns>>,
    /// Whether columns of a rigid table determine another.
    rigid: FxHashMap<(TableId, Columns, usize), bool>,
    work: u64,
}

/// Finds the dependencies of dynamic predicates. Tables of rigid predicates are complete; tables of
/// fluents hold the initial state.
pub(crate) fn find(
    clauses: &[Clause],
    predicates: &Predicates,
    tables: &TupleTables,
) -> Dependencies {
    let mut prover = Prover {
        predicates,
        tables,
        clauses: FxHashMap::default(),
        keys: FxHashMap::default(),
        rigid: FxHashMap::default(),
        work: 0,
    };
    prover.collect(clauses);
    prover.propose();
    if prover.prove().is_err() {
        return Dependencies::default();
    }
    prover.keys.retain(|_, keys| {
        let all = keys.clone();
        keys.retain(|key| {
            !all.iter()
                .any(|other| other & key == *other && other != key)
        });
        keys.sort_by_key(|key| key.count_ones());
        !keys.is_empty()
    });
    Dependencies { keys: prover.keys }
}

impl<'a> Prover<'a> {
    fn collect(&mut self, clauses: &'a [Clause]) {
        for clause in clauses {
            let head = self.predicates.get(clause.head.predicate);
            if !head.is_dynamic() {
                continue;
            }
            let of = match head.view {
                PredicateView::Plain => Some(clause.head.predicate),
                PredicateView::Next => self.view_of(head.table, PredicateView::True),
                _ => None,
            };
            if let Some(of) = of {
                self.clauses.entry(of).or_default().push(clause);
            }
        }
    }

    fn view_of(&self, table: TableId, view: PredicateView) -> Option<PredicateId> {
        let mut all = self.predicates.all.iter();
        let at = all.position(|p| p.table == table && p.view == view)?;
        Some(PredicateId(at as u32))
    }

    /// Proposes all small keys that the initial state does not contradict.
    fn propose(&mut self) {
        for (at, predicate) in self.predicates.all.iter().enumerate() {
            let id = PredicateId(at as u32);
            let table = self.tables.get(predicate.table);
            let columns = table.arity;
            if !predicate.is_dynamic() || columns == 0 || columns > MAX_COLUMNS {
                continue;
            }
            let examined = match predicate.view {
                PredicateView::True => true,
                PredicateView::Plain => self.clauses.contains_key(&id),
                _ => false,
            };
            if !examined {
                continue;
            }
            let all: Columns = (1 << columns) - 1;
            let keys: Vec<Columns> = (0..all)
                .filter(|key| key.count_ones() <= MAX_KEY)
                .filter(|key| {
                    predicate.view == PredicateView::Plain
                        || (0..columns)
                            .all(|column| determines(self.tables, predicate.table, *key, column))
                })
                .collect();
            self.keys.insert(id, keys);
        }
    }

    /// Drops keys until all that are left follow from each other.
    fn prove(&mut self) -> Result<(), GivenUp> {
        loop {
            let mut failed: Vec<(PredicateId, Columns)> = Vec::new();
            let candidates: Vec<(PredicateId, Columns)> = self
                .keys
                .iter()
                .flat_map(|(id, keys)| keys.iter().map(|key| (*id, *key)))
                .collect();
            for (id, key) in candidates {
                if !self.holds(id, key)? {
                    failed.push((id, key));
                }
            }
            if failed.is_empty() {
                return Ok(());
            }
            for (id, key) in failed {
                if let Some(keys) = self.keys.get_mut(&id) {
                    keys.retain(|other| *other != key);
                }
            }
        }
    }

    /// Whether all pairs of derivations agree, assuming the keys that are left.
    fn holds(&mut self, id: PredicateId, key: Columns) -> Result<bool, GivenUp> {
        let clauses = self.clauses.get(&id).cloned().unwrap_or_default();
        for (at, first) in clauses.iter().enumerate() {
            for second in &clauses[at..] {
                if self.chase(first, second, key)? == Outcome::Open {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Compares a derivation by one clause with one by another whose atoms have the same key.
    fn chase(&mut self, first: &Clause, second: &Clause, key: Columns) -> Result<Outcome, GivenUp> {
        let offset = first.variables;
        let rename = |arg: &Arg| match arg {
            Arg::Variable(v) => Arg::Variable(v + offset),
            Arg::Term(_) => *arg,
        };
        let mut equal = Substitution::new(first.variables + second.variables);
        let heads: Vec<(Arg, Arg)> = first
            .head
            .args
            .iter()
            .zip(&second.head.args)
            .map(|(a, b)| (*a, rename(b)))
            .collect();
        for (column, (a, b)) in heads.iter().enumerate() {
            if key >> column & 1 == 1 && equal.unify(*a, *b).is_none() {
                return Ok(Outcome::Consistent);
            }
        }
        let mut body = first.body.clone();
        for literal in &second.body {
            let mut literal = literal.clone();
            literal.rename(&|v| v + offset);
            body.push(literal);
        }
        loop {
            let Some(changed) = self.equate(&body, &mut equal)? else {
                return Ok(Outcome::Consistent);
            };
            if heads.iter().all(|(a, b)| equal.arg(*a) == equal.arg(*b)) {
                return Ok(Outcome::Consistent);
            }
            if !changed {
                break;
            }
        }
        Ok(if self.contradicts(&body, &equal)? {
            Outcome::Consistent
        } else {
            Outcome::Open
        })
    }

    /// Makes equal what dependencies make equal. Returns whether anything changed; `None` if the
    /// literals contradict each other.
    fn equate(
        &mut self,
        body: &[Literal],
        equal: &mut Substitution,
    ) -> Result<Option<bool>, GivenUp> {
        let mut changed = false;
        for (at, one) in body.iter().enumerate() {
            for other in &body[at + 1..] {
                self.work += 1;
                if self.work > MAX_WORK {
                    return Err(GivenUp);
                }
                match (one, other) {
                    (Literal::Positive(a), Literal::Positive(b)) => {
                        if self.differ_in_move(a, b, equal) {
                            return Ok(None);
                        }
                        if a.predicate != b.predicate {
                            continue;
                        }
                        let Some(more) = self.equate_atoms(a, b, equal) else {
                            return Ok(None);
                        };
                        changed |= more;
                    }
                    (
                        Literal::Compose {
                            whole: a,
                            functor: f,
                            parts: of_a,
                        },
                        Literal::Compose {
                            whole: b,
                            functor: g,
                            parts: of_b,
                        },
                    ) => {
                        let (a, b) = (Arg::Variable(*a), Arg::Variable(*b));
                        let same = f == g && of_a.len() == of_b.len();
                        let wholes = equal.arg(a) == equal.arg(b);
                        let mut pairs = of_a.iter().zip(of_b);
                        let parts = same && pairs.all(|(a, b)| equal.arg(*a) == equal.arg(*b));
                        if wholes && !same {
                            return Ok(None);
                        }
                        if wholes != parts {
                            changed |= same && (wholes || parts);
                            let mut pairs = of_a.iter().zip(of_b);
                            let possible = if parts {
                                equal.unify(a, b).is_some()
                            } else {
                                !wholes || pairs.all(|(a, b)| equal.unify(*a, *b).is_some())
                            };
                            if !possible {
                                return Ok(None);
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
        Ok(Some(changed))
    }

    /// Whether two atoms say that a role plays moves of different functors.
    fn differ_in_move(&self, a: &Atom, b: &Atom, equal: &Substitution) -> bool {
        let is_move = |atom: &Atom| self.predicates.get(atom.predicate).view == PredicateView::Does;
        a.predicate != b.predicate
            && is_move(a)
            && is_move(b)
            && equal.arg(a.args[0]) == equal.arg(b.args[0])
            && self.predicates.get(a.predicate).shape != self.predicates.get(b.predicate).shape
    }

    /// Makes the arguments of two atoms of a predicate equal as far as dependencies do. Returns
    /// whether anything changed; `None` on a contradiction.
    fn equate_atoms(&mut self, a: &Atom, b: &Atom, equal: &mut Substitution) -> Option<bool> {
        let mut same: Columns = 0;
        for (column, (a, b)) in a.args.iter().zip(&b.args).enumerate().take(32) {
            if equal.arg(*a) == equal.arg(*b) {
                same |= 1 << column;
            }
        }
        let predicate = self.predicates.get(a.predicate);
        let mut changed = false;
        for (column, (left, right)) in a.args.iter().zip(&b.args).enumerate().take(32) {
            if same >> column & 1 == 1 {
                continue;
            }
            let follows = if predicate.rigid {
                self.rigid_determines(predicate.table, same, column)
            } else if predicate.view == PredicateView::Does {
                // A role plays one move.
                same & 1 == 1
            } else {
                let keys = self.keys.get(&a.predicate);
                keys.is_some_and(|keys| keys.iter().any(|key| key & same == *key))
            };
            if follows {
                equal.unify(*left, *right)?;
                changed = true;
            }
        }
        Some(changed)
    }

    fn rigid_determines(&mut self, table: TableId, key: Columns, column: usize) -> bool {
        let tables = self.tables;
        *self
            .rigid
            .entry((table, key, column))
            .or_insert_with(|| determines(tables, table, key, column))
    }

    /// Whether the conditions of two derivations exclude each other.
    fn contradicts(&mut self, body: &[Literal], equal: &Substitution) -> Result<bool, GivenUp> {
        for literal in body {
            match literal {
                Literal::Distinct(a, b) if equal.arg(*a) == equal.arg(*b) => return Ok(true),
                Literal::Negative(atom) => {
                    let args: Vec<Arg> = atom.args.iter().map(|arg| equal.arg(*arg)).collect();
                    if self.follows(atom.predicate, &args, body, equal)? {
                        return Ok(true);
                    }
                }
                _ => {}
            }
        }
        Ok(false)
    }

    /// Whether an atom follows from positive conditions: it is one of them, or the body of one of
    /// its clauses is among them.
    fn follows(
        &mut self,
        predicate: PredicateId,
        args: &[Arg],
        body: &[Literal],
        equal: &Substitution,
    ) -> Result<bool, GivenUp> {
        let is_it = |literal: &Literal| {
            matches!(literal, Literal::Positive(atom) if atom.predicate == predicate
                && atom.args.iter().zip(args).all(|(a, b)| equal.arg(*a) == *b))
        };
        if body.iter().any(is_it) {
            return Ok(true);
        }
        if self.predicates.get(predicate).view != PredicateView::Plain {
            return Ok(false);
        }
        let clauses = self.clauses.get(&predicate).cloned().unwrap_or_default();
        for clause in clauses {
            let mut values: Vec<Option<Arg>> = vec![None; clause.variables as usize];
            let mut pairs = clause.head.args.iter().zip(args);
            if pairs.all(|(pattern, arg)| bind(*pattern, *arg, &mut values))
                && self.contains(&clause.body, &mut values, body, equal)?
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether literals become members of `body` for some values of their variables.
    fn contains(
        &mut self,
        wanted: &[Literal],
        values: &mut Vec<Option<Arg>>,
        body: &[Literal],
        equal: &Substitution,
    ) -> Result<bool, GivenUp> {
        let Some((first, rest)) = wanted.split_first() else {
            return Ok(true);
        };
        for literal in body {
            self.work += 1;
            if self.work > MAX_WORK {
                return Err(GivenUp);
            }
            let ((Literal::Positive(pattern), Literal::Positive(atom))
            | (Literal::Negative(pattern), Literal::Negative(atom))) = (first, literal)
            else {
                continue;
            };
            if pattern.predicate != atom.predicate {
                continue;
            }
            let before = values.clone();
            let mut pairs = pattern.args.iter().zip(&atom.args);
            if pairs.all(|(pattern, arg)| bind(*pattern, equal.arg(*arg), values))
                && self.contains(rest, values, body, equal)?
            {
                return Ok(true);
            }
            *values = before;
        }
        Ok(false)
    }
}

/// Binds a variable of a pattern, or compares; false if the values differ.
fn bind(pattern: Arg, arg: Arg, values: &mut [Option<Arg>]) -> bool {
    match pattern {
        Arg::Term(_) => pattern == arg,
        Arg::Variable(v) => *values[v as usize].get_or_insert(arg) == arg,
    }
}

/// Whether the columns of a key determine a column in all rows of a table.
fn determines(tables: &TupleTables, table: TableId, key: Columns, column: usize) -> bool {
    if key >> column & 1 == 1 {
        return true;
    }
    let table = tables.get(table);
    if table.len() > MAX_ROWS {
        return false;
    }
    let mut values: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
    (0..table.len()).all(|row| {
        let row = table.row(row);
        let key: Vec<u32> = (0..row.len())
            .filter(|column| key >> column & 1 == 1)
            .map(|column| row[column])
            .collect();
        *values.entry(key).or_insert(row[column]) == row[column]
    })
}

/// The rows of each key of a predicate that have company: at most one of them holds.
pub(crate) fn groups(
    tables: &TupleTables,
    table: TableId,
    key: Columns,
) -> impl Iterator<Item = Vec<u32>> + use<> {
    let table = tables.get(table);
    let mut by_key: FxHashMap<Vec<u32>, Vec<u32>> = FxHashMap::default();
    for number in 0..table.len() {
        let row = table.row(number);
        let key: Vec<u32> = (0..row.len())
            .filter(|column| key >> column & 1 == 1)
            .map(|column| row[column])
            .collect();
        by_key.entry(key).or_default().push(number);
    }
    let mut groups: Vec<Vec<u32>> = by_key.into_values().filter(|rows| rows.len() > 1).collect();
    groups.sort_unstable();
    groups.into_iter()
}
