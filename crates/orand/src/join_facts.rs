//! Joins conditions on constant facts beforehand: three consecutive `succ` conditions become one
//! condition over rows of four values.
//!
//! Świechowski and Mańdziuk 2014, section II.4, suggest to pre-compute static queries on constant
//! facts. Two conditions are joined if each row of one matches at most one row of the other, if one
//! only tests the rows of the other, or if no other condition uses the shared variables. Otherwise
//! the joined relation would have rows that other conditions exclude earlier; checkers lost nearly
//! half its speed that way. A joined condition may be joined again.

use std::sync::Arc;

use ludorum_logic::RelationClass;
use rustc_hash::{FxHashMap, FxHashSet};

use super::and_plan::PlanHost as _;
use super::cell::Cell;
use super::customise::{Condition, variables};
use super::flat::{
    Arg, Atom, FlatLiteral, FlatRelation, FlatRelationId, FlatRule, RelationKind, Var,
};
use super::interpreter::Interpreter;
use super::rowset::Rowset;
use ludorum_reasoner::ReasonError;

/// Work limit of one join.
const MAX_WORK: u64 = 1 << 17;

/// Maximum number of joins tried.
const MAX_TRIES: usize = 4_000;

/// Maximum number of condition pairs tried for one rule. A rule of a thousand conditions has half a
/// million pairs.
const MAX_PAIRS: u64 = 1 << 14;

/// Maximum number of condition pairs tried for all rules.
const MAX_PAIRS_IN_ALL: u64 = 1 << 20;

/// Two conditions, and which of their variables are used elsewhere. Variables are numbered in order
/// of occurrence.
type Signature = (Vec<FlatLiteral>, Vec<Var>);

/// Joins conditions on facts in all rules.
pub(super) fn join<C: Cell>(interpreter: &mut Interpreter<C>) -> Result<(), ReasonError> {
    let mut known: FxHashMap<Signature, Option<FlatRelationId>> = FxHashMap::default();
    let mut all_left = MAX_PAIRS_IN_ALL;
    for number in 0..interpreter.flat.rules.len() {
        let rule = &interpreter.flat.rules[number];
        if interpreter.flat.relations[rule.head.relation].kind != RelationKind::Derived {
            continue;
        }
        let mut rule = rule.clone();
        let mut changed = false;
        let most = MAX_PAIRS.min(all_left);
        let mut left = most;
        while known.len() < MAX_TRIES && join_two(interpreter, &mut rule, &mut known, &mut left)? {
            changed = true;
        }
        all_left -= most - left;
        if changed {
            Arc::make_mut(&mut interpreter.flat).rules[number] = rule;
        }
    }
    interpreter.forget_nodes();
    Ok(())
}

/// Variable occurrences of a rule, to find joinable pairs quickly.
struct Occurrences {
    /// The distinct variables of each condition.
    of: Vec<Vec<Var>>,
    /// Number of conditions with each variable; the head and the alternatives of a fork count as
    /// conditions.
    counts: FxHashMap<Var, usize>,
    /// Conditions on facts by variable; `distinct` are the positions of `distinct` conditions.
    facts: FxHashMap<Var, Vec<usize>>,
    distinct: Vec<usize>,
}

impl Occurrences {
    fn new<C: Cell>(interpreter: &Interpreter<C>, rule: &FlatRule) -> Self {
        let each_once = |lit: &FlatLiteral| {
            let mut own: Vec<Var> = Vec::new();
            variables([lit], |v| own.push(v));
            own.sort_unstable();
            own.dedup();
            own
        };
        let of: Vec<Vec<Var>> = rule.body.iter().map(each_once).collect();
        let mut counts: FxHashMap<Var, usize> = FxHashMap::default();
        let elsewhere = rule.fork.iter().flatten().flat_map(each_once);
        let head = rule.head.args.iter().filter_map(|arg| arg.var());
        for v in of.iter().flatten().copied().chain(elsewhere).chain(head) {
            *counts.entry(v).or_default() += 1;
        }
        let mut facts: FxHashMap<Var, Vec<usize>> = FxHashMap::default();
        let mut distinct = Vec::new();
        for (i, lit) in rule.body.iter().enumerate() {
            match lit {
                FlatLiteral::Pos(atom)
                    if interpreter.flat.relations[atom.relation].kind == RelationKind::Facts =>
                {
                    for v in &of[i] {
                        facts.entry(*v).or_default().push(i);
                    }
                }
                FlatLiteral::Distinct(_) => distinct.push(i),
                _ => {}
            }
        }
        Self {
            of,
            counts,
            facts,
            distinct,
        }
    }

    /// Later conditions on facts that share a variable with condition `i`, in order.
    fn partners(&self, i: usize) -> Vec<usize> {
        let lists = self.of[i].iter().filter_map(|v| self.facts.get(v));
        let mut partners: Vec<usize> = lists.flatten().copied().filter(|j| *j > i).collect();
        partners.sort_unstable();
        partners.dedup();
        partners
    }

    /// Two conditions, with the `distinct` conditions over their variables.
    fn with_distinct(&self, i: usize, j: usize) -> Vec<usize> {
        let mut taken = vec![i, j];
        let inside = |k: &&usize| {
            let mut own = self.of[**k].iter();
            own.all(|v| self.of[i].contains(v) || self.of[j].contains(v))
        };
        taken.extend(self.distinct.iter().filter(inside));
        taken.sort_unstable();
        taken
    }

    /// Whether a variable occurs outside of some conditions.
    fn is_elsewhere(&self, v: Var, taken: &[usize]) -> bool {
        let inside = taken.iter().filter(|k| self.of[**k].contains(&v)).count();
        self.counts.get(&v).is_some_and(|count| *count > inside)
    }
}

/// Joins the first joinable pair of conditions of a rule. Returns false if there is none or the
/// limit is reached.
fn join_two<C: Cell>(
    interpreter: &mut Interpreter<C>,
    rule: &mut FlatRule,
    known: &mut FxHashMap<Signature, Option<FlatRelationId>>,
    left: &mut u64,
) -> Result<bool, ReasonError> {
    let occurrences = Occurrences::new(interpreter, rule);
    for i in 0..rule.body.len() {
        let is_fact = |v: &Var| {
            let with = occurrences.facts.get(v);
            with.is_some_and(|list| list.binary_search(&i).is_ok())
        };
        if !occurrences.of[i].iter().any(is_fact) {
            continue;
        }
        for j in occurrences.partners(i) {
            let cost = 1 + occurrences.distinct.len() as u64;
            if *left < cost {
                return Ok(false);
            }
            *left -= cost;
            interpreter.meter.check_clock()?;
            let taken = occurrences.with_distinct(i, j);
            if let Some(lit) = joined(interpreter, rule, &taken, &occurrences, known)? {
                let mut k = 0;
                rule.body.retain(|_| {
                    k += 1;
                    !taken.contains(&(k - 1))
                });
                rule.body.push(lit);
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// The joined condition, if it has no more rows than its parts allow.
fn joined<C: Cell>(
    interpreter: &mut Interpreter<C>,
    rule: &FlatRule,
    taken: &[usize],
    occurrences: &Occurrences,
    known: &mut FxHashMap<Signature, Option<FlatRelationId>>,
) -> Result<Option<FlatLiteral>, ReasonError> {
    let mut numbers: Vec<Var> = Vec::new();
    let lits: Vec<FlatLiteral> = taken
        .iter()
        .map(|k| {
            rule.body[*k].map(|arg| match arg {
                Arg::Const(_) => arg,
                Arg::Var(v) => {
                    let place = numbers.iter().position(|w| *w == v).unwrap_or_else(|| {
                        numbers.push(v);
                        numbers.len() - 1
                    });
                    Arg::Var(place as Var)
                }
            })
        })
        .collect();
    let wanted: Vec<Var> = (0..numbers.len() as Var)
        .filter(|v| occurrences.is_elsewhere(numbers[*v as usize], taken))
        .collect();
    let signature = (lits, wanted);
    let relation = if let Some(relation) = known.get(&signature) {
        *relation
    } else {
        let relation = join_relation(interpreter, &signature, numbers.len())?;
        known.insert(signature.clone(), relation);
        relation
    };
    Ok(relation.map(|relation| {
        let args = signature.1.iter().map(|v| Arg::Var(numbers[*v as usize]));
        FlatLiteral::Pos(Atom {
            relation,
            args: args.collect(),
        })
    }))
}

/// Makes a relation of the joined rows. `None` if the join is not worthwhile.
fn join_relation<C: Cell>(
    interpreter: &mut Interpreter<C>,
    signature: &Signature,
    vars: usize,
) -> Result<Option<FlatRelationId>, ReasonError> {
    let (lits, wanted) = signature;
    let relation = interpreter.flat.relations.len();
    let number = interpreter.flat.rules.len();
    let flat = Arc::make_mut(&mut interpreter.flat);
    flat.relations.push(FlatRelation {
        name: "joined facts".to_owned(),
        width: vars,
        kind: RelationKind::Derived,
        class: RelationClass::Rigid,
        component: None,
        order: 0,
        facts: Vec::new(),
        fact_count: 0,
        rules: vec![number],
    });
    flat.rules.push(FlatRule {
        head: Atom {
            relation,
            args: (0..vars as Var).map(Arg::Var).collect(),
        },
        body: lits.clone(),
        fork: Vec::new(),
        vars,
    });
    interpreter
        .leaves
        .push(Rowset::new(wanted.len(), interpreter.settings));
    let node = interpreter.node(Condition::all(relation, vars));
    let outcome = interpreter
        .begin(Some(MAX_WORK))
        .and_then(|()| interpreter.prove_all(node));
    let rows = interpreter.tables[node].results.clone();
    interpreter.forget_nodes();
    Arc::make_mut(&mut interpreter.flat).rules.pop();
    if outcome.is_ok()
        && (matches_one_to_one(lits, &rows)
            || projection_is_smaller(interpreter, lits, wanted, &rows))
    {
        let together = &mut Arc::make_mut(&mut interpreter.flat).relations[relation];
        together.kind = RelationKind::Facts;
        together.width = wanted.len();
        together.rules.clear();
        let wanted: Vec<usize> = wanted.iter().map(|v| *v as usize).collect();
        let mut seen = FxHashSet::default();
        for i in 0..rows.len {
            let row: Vec<C> = wanted.iter().map(|v| rows.row(i)[*v]).collect();
            if seen.insert(row.clone()) {
                interpreter.leaves[relation].push(&row);
            }
        }
        interpreter
            .statistics
            .note(relation, &interpreter.leaves[relation]);
        return Ok(Some(relation));
    }
    Arc::make_mut(&mut interpreter.flat).relations.pop();
    interpreter.leaves.pop();
    match outcome {
        Err(ReasonError::Stopped) => Err(ReasonError::Stopped),
        Err(_) => {
            interpreter.reset();
            Ok(None)
        }
        Ok(()) => Ok(None),
    }
}

/// Whether a shared variable is not used elsewhere, and the projection without it has no more rows
/// than the larger condition.
fn projection_is_smaller<C: Cell>(
    interpreter: &Interpreter<C>,
    lits: &[FlatLiteral],
    wanted: &[Var],
    rows: &Rowset<C>,
) -> bool {
    let mut counts = vec![0; rows.width];
    let mut most = 0;
    for lit in lits {
        if let FlatLiteral::Pos(atom) = lit {
            most = most.max(interpreter.leaves[atom.relation].len);
            let mut own = FxHashSet::default();
            variables([lit], |v| {
                own.insert(v);
            });
            for v in own {
                counts[v as usize] += 1;
            }
        }
    }
    let inner = (0..rows.width).any(|v| counts[v] > 1 && !wanted.contains(&(v as Var)));
    let of = |i| wanted.iter().map(|v| rows.row(i)[*v as usize]).collect();
    let different: FxHashSet<Vec<C>> = (0..rows.len).map(of).collect();
    inner && different.len() <= most
}

/// Whether the rows of two conditions match one to one, or one condition only tests rows of the
/// other.
fn matches_one_to_one<C: Cell>(lits: &[FlatLiteral], rows: &Rowset<C>) -> bool {
    let columns = |lit: &FlatLiteral| {
        let mut columns: Vec<usize> = Vec::new();
        variables([lit], |v| columns.push(v as usize));
        columns.sort_unstable();
        columns.dedup();
        columns
    };
    let atoms = lits.iter().filter(|lit| matches!(lit, FlatLiteral::Pos(_)));
    let parts: Vec<Vec<usize>> = atoms.map(columns).collect();
    let [a, b] = &parts[..] else {
        return false;
    };
    let within = |a: &[usize], b: &[usize]| a.iter().all(|column| b.contains(column));
    let different = |part: &[usize]| {
        let of = |i| part.iter().map(|column| rows.row(i)[*column]).collect();
        (0..rows.len).map(of).collect::<FxHashSet<Vec<C>>>().len()
    };
    within(a, b) || within(b, a) || (different(a) == rows.len && different(b) == rows.len)
}
