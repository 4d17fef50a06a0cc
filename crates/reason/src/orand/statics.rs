//! Conditions on facts that share variables, proved together once: three steps of `succ` in a row are one condition on the rows of four.
//!
//! ('Prolog versus specialized logic inference engine', II.4: static queries on constant facts are computed beforehand.) Two conditions become one if
//! each row of either goes with at most one row of the other, or if one of them only tests what the other finds, or if nobody else looks at what
//! connects them; else the new condition would have rows that
//! other conditions would rule out earlier (checkers lost nearly half its speed that way). The new one may be joined with a third in turn.

use std::sync::Arc;

use ludorum_logic::Class;
use rustc_hash::{FxHashMap, FxHashSet};

use super::cell::Cell;
use super::customise::{Condition, variables};
use super::flat::{Arg, Atom, FlatRelation, FlatRule, Kind, Lit, RelId, Var};
use super::machine::Machine;
use super::plan::Host as _;
use super::rows::Rows;
use crate::contract::ReasonError;

/// The most work for one join, and how many are tried.
const MAX_WORK: u64 = 1 << 17;
const MAX_TRIES: usize = 4_000;

/// Two conditions, and which of their variables are used elsewhere, with variables numbered in order of occurrence.
type Signature = (Vec<Lit>, Vec<Var>);

/// Joins conditions on facts in all rules.
pub(super) fn join<C: Cell>(machine: &mut Machine<C>) -> Result<(), ReasonError> {
    let mut known: FxHashMap<Signature, Option<RelId>> = FxHashMap::default();
    for number in 0..machine.flat.rules.len() {
        let rule = &machine.flat.rules[number];
        if machine.flat.relations[rule.head.relation].kind != Kind::Derived {
            continue;
        }
        let mut rule = rule.clone();
        let mut changed = false;
        while known.len() < MAX_TRIES && join_two(machine, &mut rule, &mut known)? {
            changed = true;
        }
        if changed {
            Arc::make_mut(&mut machine.flat).rules[number] = rule;
        }
    }
    machine.forget_nodes();
    Ok(())
}

/// Joins the first two conditions of a rule that can be; false if there are none.
fn join_two<C: Cell>(
    machine: &mut Machine<C>,
    rule: &mut FlatRule,
    known: &mut FxHashMap<Signature, Option<RelId>>,
) -> Result<bool, ReasonError> {
    let facts: Vec<usize> = (0..rule.body.len())
        .filter(|i| match &rule.body[*i] {
            Lit::Pos(atom) => machine.flat.relations[atom.relation].kind == Kind::Facts,
            _ => false,
        })
        .collect();
    for (n, i) in facts.iter().enumerate() {
        for j in &facts[n + 1..] {
            let mut first = FxHashSet::default();
            variables([&rule.body[*i]], |v| {
                first.insert(v);
            });
            let mut shared = false;
            let mut both = first.clone();
            variables([&rule.body[*j]], |v| {
                shared |= first.contains(&v);
                both.insert(v);
            });
            if !shared {
                continue;
            }
            let inside = |lit: &Lit| {
                let mut inside = matches!(lit, Lit::Distinct(_));
                variables([lit], |v| inside &= both.contains(&v));
                inside
            };
            let taken: Vec<usize> = (0..rule.body.len())
                .filter(|k| k == i || k == j || inside(&rule.body[*k]))
                .collect();
            if let Some(lit) = joined(machine, rule, &taken, known)? {
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

/// The one condition for several, if it is no larger than they are.
fn joined<C: Cell>(
    machine: &mut Machine<C>,
    rule: &FlatRule,
    taken: &[usize],
    known: &mut FxHashMap<Signature, Option<RelId>>,
) -> Result<Option<Lit>, ReasonError> {
    let mut elsewhere: FxHashSet<Var> = rule.head.args.iter().filter_map(|arg| arg.var()).collect();
    let others = (0..rule.body.len()).filter(|k| !taken.contains(k));
    let others = others
        .map(|k| &rule.body[k])
        .chain(rule.fork.iter().flatten());
    variables(others, |v| {
        elsewhere.insert(v);
    });
    let mut numbers: Vec<Var> = Vec::new();
    let lits: Vec<Lit> = taken
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
        .filter(|v| elsewhere.contains(&numbers[*v as usize]))
        .collect();
    let signature = (lits, wanted);
    let relation = if let Some(relation) = known.get(&signature) {
        *relation
    } else {
        let relation = prove(machine, &signature, numbers.len())?;
        known.insert(signature.clone(), relation);
        relation
    };
    Ok(relation.map(|relation| {
        let args = signature.1.iter().map(|v| Arg::Var(numbers[*v as usize]));
        Lit::Pos(Atom {
            relation,
            args: args.collect(),
        })
    }))
}

/// Makes a relation of the rows of several conditions; `None` if they do not go together one to one.
fn prove<C: Cell>(
    machine: &mut Machine<C>,
    signature: &Signature,
    vars: usize,
) -> Result<Option<RelId>, ReasonError> {
    let (lits, wanted) = signature;
    let relation = machine.flat.relations.len();
    let number = machine.flat.rules.len();
    let flat = Arc::make_mut(&mut machine.flat);
    flat.relations.push(FlatRelation {
        name: "facts together".to_owned(),
        width: vars,
        kind: Kind::Derived,
        class: Class::Rigid,
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
    machine
        .leaves
        .push(Rows::new(wanted.len(), machine.settings));
    let node = machine.node(Condition::all(relation, vars));
    let outcome = machine
        .begin(Some(MAX_WORK))
        .and_then(|()| machine.prove_all(node));
    let rows = machine.tables[node].answers.clone();
    machine.forget_nodes();
    Arc::make_mut(&mut machine.flat).rules.pop();
    if outcome.is_ok() && (goes_together(lits, &rows) || shrinks(machine, lits, wanted, &rows)) {
        let together = &mut Arc::make_mut(&mut machine.flat).relations[relation];
        together.kind = Kind::Facts;
        together.width = wanted.len();
        together.rules.clear();
        let wanted: Vec<usize> = wanted.iter().map(|v| *v as usize).collect();
        let mut seen = FxHashSet::default();
        for i in 0..rows.len {
            let row: Vec<C> = wanted.iter().map(|v| rows.row(i)[*v]).collect();
            if seen.insert(row.clone()) {
                machine.leaves[relation].push(&row);
            }
        }
        machine.statistics.note(relation, &machine.leaves[relation]);
        return Ok(Some(relation));
    }
    Arc::make_mut(&mut machine.flat).relations.pop();
    machine.leaves.pop();
    match outcome {
        Err(ReasonError::Late) => Err(ReasonError::Late),
        Err(_) => {
            machine.reset();
            Ok(None)
        }
        Ok(()) => Ok(None),
    }
}

/// Whether what connects two conditions is of no interest to others, and there are no more rows without it than the larger condition has.
fn shrinks<C: Cell>(machine: &Machine<C>, lits: &[Lit], wanted: &[Var], rows: &Rows<C>) -> bool {
    let mut counts = vec![0; rows.width];
    let mut most = 0;
    for lit in lits {
        if let Lit::Pos(atom) = lit {
            most = most.max(machine.leaves[atom.relation].len);
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

/// Whether the rows of two conditions go together one to one, or one condition only tests the other's rows.
fn goes_together<C: Cell>(lits: &[Lit], rows: &Rows<C>) -> bool {
    let columns = |lit: &Lit| {
        let mut columns: Vec<usize> = Vec::new();
        variables([lit], |v| columns.push(v as usize));
        columns.sort_unstable();
        columns.dedup();
        columns
    };
    let atoms = lits.iter().filter(|lit| matches!(lit, Lit::Pos(_)));
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
