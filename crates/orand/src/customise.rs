//! Conditions, and the customisation of rules for them (Świechowski 2015, appendix A.4).
//!
//! A condition says for each column of a relation: a constant, a value restricted by a filter, an
//! output, any value, or the value of an earlier column. Constants and equalities are substituted
//! into the rules of the relation. Rules that contradict them are dropped.

use rustc_hash::FxHashSet;

use super::flat::{Arg, FlatLiteral, FlatRelationId, FlatRule, Var};

/// The role of a column in a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum ColumnSlot {
    Const(u32),
    /// Bound by a filter.
    Bound,
    /// An output.
    Free,
    /// Any value.
    Ignored,
    /// The value of an earlier column.
    Same(usize),
}

/// The condition that an OR node proves.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Condition {
    pub(super) relation: FlatRelationId,
    pub(super) slots: Box<[ColumnSlot]>,
}

impl Condition {
    /// The condition with all columns as outputs.
    pub(super) fn all(relation: FlatRelationId, width: usize) -> Self {
        Self {
            relation,
            slots: vec![ColumnSlot::Free; width].into(),
        }
    }

    fn places(&self, slot: ColumnSlot) -> impl Iterator<Item = usize> {
        let places = self.slots.iter().enumerate();
        places.filter(move |(_, s)| **s == slot).map(|(i, _)| i)
    }

    pub(super) fn bound(&self) -> impl Iterator<Item = usize> {
        self.places(ColumnSlot::Bound)
    }

    pub(super) fn free(&self) -> impl Iterator<Item = usize> {
        self.places(ColumnSlot::Free)
    }

    /// The same condition without its filter.
    pub(super) fn unfiltered(&self) -> Self {
        let open = |slot: &ColumnSlot| match slot {
            ColumnSlot::Bound => ColumnSlot::Free,
            other => *other,
        };
        Self {
            relation: self.relation,
            slots: self.slots.iter().map(open).collect(),
        }
    }
}

/// A substitution of variables.
struct Substitution(Vec<Option<Arg>>);

impl Substitution {
    fn of(&self, mut arg: Arg) -> Arg {
        while let Arg::Var(v) = arg {
            match self.0[v as usize] {
                Some(next) => arg = next,
                None => break,
            }
        }
        arg
    }

    /// Unifies two arguments. Returns false if they differ.
    fn unify(&mut self, a: Arg, b: Arg) -> bool {
        match (self.of(a), self.of(b)) {
            (Arg::Const(a), Arg::Const(b)) => a == b,
            (Arg::Var(a), Arg::Var(b)) if a == b => true,
            (Arg::Var(v), other) | (other, Arg::Var(v)) => {
                self.0[v as usize] = Some(other);
                true
            }
        }
    }
}

/// The rule customised for a condition. `None` if it contradicts the condition.
pub(super) fn customise(rule: &FlatRule, condition: &Condition) -> Option<FlatRule> {
    let mut values = Substitution(vec![None; rule.vars]);
    for (place, slot) in condition.slots.iter().enumerate() {
        let arg = rule.head.args[place];
        let fits = match slot {
            ColumnSlot::Const(symbol) => values.unify(arg, Arg::Const(*symbol)),
            ColumnSlot::Same(earlier) => values.unify(arg, rule.head.args[*earlier]),
            ColumnSlot::Bound | ColumnSlot::Free | ColumnSlot::Ignored => true,
        };
        if !fits {
            return None;
        }
    }
    let mut head = rule.head.clone();
    for arg in &mut head.args {
        *arg = values.of(*arg);
    }
    let body = conditions(&rule.body, &values)?;
    let branches = rule.fork.iter().filter_map(|b| conditions(b, &values));
    let fork: Vec<Vec<FlatLiteral>> = branches.collect();
    if fork.is_empty() && !rule.fork.is_empty() {
        return None;
    }
    Some(FlatRule {
        head,
        body,
        fork,
        vars: rule.vars,
    })
}

/// Number of conditions up to which a linear search is faster than hashing.
const MAX_LINEAR_SEARCH: usize = 16;

/// Applies a substitution to conditions. Returns `None` if one is always false, and drops those
/// that are always true.
fn conditions(body: &[FlatLiteral], values: &Substitution) -> Option<Vec<FlatLiteral>> {
    let mut done = Vec::with_capacity(body.len());
    let mut seen: FxHashSet<FlatLiteral> = FxHashSet::default();
    for lit in body {
        let lit = lit.map(|arg| values.of(arg));
        let FlatLiteral::Distinct(pairs) = lit else {
            let known = if body.len() <= MAX_LINEAR_SEARCH {
                done.contains(&lit)
            } else {
                !seen.insert(lit.clone())
            };
            if !known {
                done.push(lit);
            }
            continue;
        };
        let decided = |pair: &(Arg, Arg)| matches!(pair, (Arg::Const(a), Arg::Const(b)) if a != b);
        if pairs.iter().any(decided) {
            continue;
        }
        let open: Vec<(Arg, Arg)> = pairs.into_iter().filter(|(a, b)| a != b).collect();
        if open.is_empty() {
            return None;
        }
        done.push(FlatLiteral::Distinct(open));
    }
    Some(done)
}

/// Calls `visit` for every variable occurrence of some conditions.
pub(super) fn variables<'a>(
    lits: impl IntoIterator<Item = &'a FlatLiteral>,
    mut visit: impl FnMut(Var),
) {
    for lit in lits {
        lit.for_each_arg(|arg| {
            if let Arg::Var(v) = arg {
                visit(v);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::flat::Atom;
    use super::*;

    /// `(km ?u ?v ?u ?y)` with `(adjacent ?v ?y) (coordinate ?u)`, an example of Świechowski and
    /// Mańdziuk 2014, section III.A.
    fn rule() -> FlatRule {
        let atom = |relation, vars: &[Var]| Atom {
            relation,
            args: vars.iter().map(|v| Arg::Var(*v)).collect(),
        };
        FlatRule {
            head: atom(0, &[0, 1, 0, 2]),
            body: vec![
                FlatLiteral::Pos(atom(1, &[1, 2])),
                FlatLiteral::Pos(atom(2, &[0])),
            ],
            fork: Vec::new(),
            vars: 3,
        }
    }

    fn condition(slots: &[ColumnSlot]) -> Condition {
        Condition {
            relation: 0,
            slots: slots.into(),
        }
    }

    #[test]
    fn constants_and_equalities_go_into_the_rule() {
        let condition = condition(&[
            ColumnSlot::Const(7),
            ColumnSlot::Const(8),
            ColumnSlot::Free,
            ColumnSlot::Same(2),
        ]);
        let made = customise(&rule(), &condition).unwrap();
        assert_eq!(made.head.args, [7, 8, 7, 7].map(Arg::Const));
        let FlatLiteral::Pos(atom) = &made.body[0] else {
            panic!("the first condition is positive");
        };
        assert_eq!(atom.args, [8, 7].map(Arg::Const));
    }

    #[test]
    fn a_contradiction_removes_the_rule() {
        let condition = condition(&[
            ColumnSlot::Const(7),
            ColumnSlot::Free,
            ColumnSlot::Const(8),
            ColumnSlot::Free,
        ]);
        assert!(customise(&rule(), &condition).is_none());
    }

    #[test]
    fn distinct_is_evaluated_when_its_sides_are_constants() {
        let mut rule = rule();
        rule.body
            .push(FlatLiteral::Distinct(vec![(Arg::Var(0), Arg::Const(7))]));
        let with = |symbol| {
            customise(
                &rule,
                &condition(&[
                    ColumnSlot::Const(symbol),
                    ColumnSlot::Free,
                    ColumnSlot::Free,
                    ColumnSlot::Free,
                ]),
            )
        };
        assert!(with(7).is_none());
        assert_eq!(with(6).unwrap().body.len(), 2);
    }
}
