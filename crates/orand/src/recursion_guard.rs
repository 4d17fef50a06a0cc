//! Ordering constraints that keep recursion finite.
//!
//! By the recursion restriction of GDL (Love et al. 2008), a recursive condition may only contain
//! terms that are bounded by the head or by a condition outside the recursion. `(<= (ok ?x) (ok (s
//! ?x)) (known (s ?x)))` terminates if `known` is proved first. Otherwise, for a given `?x`, ever
//! larger terms would be requested. A term of the head that no request binds is not composed before
//! the recursive condition, which enumerates the existing terms.

use rustc_hash::FxHashSet;

use super::flat::{Arg, Atom, FlatLiteral, FlatRule, FlatRules, Var};

/// The terms of a rule that recursion could make grow.
#[derive(Clone, Debug, Default)]
pub(super) struct RecursionGuard {
    /// The component of the head.
    component: Option<u32>,
    /// Variables that stand for composed terms.
    terms: FxHashSet<Var>,
    /// Those that are arguments of the head.
    of_head: FxHashSet<Var>,
}

impl RecursionGuard {
    pub(super) fn new(rule: &FlatRule, flat: &FlatRules) -> Self {
        let component = flat.relations[rule.head.relation].component;
        if component.is_none() {
            return Self::default();
        }
        let whole = |lit: &FlatLiteral| match lit {
            FlatLiteral::Term(whole, ..) => whole.var(),
            _ => None,
        };
        let terms: FxHashSet<Var> = rule.literals().filter_map(whole).collect();
        let args = rule.head.args.iter().filter_map(|arg| arg.var());
        Self {
            component,
            of_head: args.filter(|v| terms.contains(v)).collect(),
            terms,
        }
    }

    fn is_recursive(&self, atom: &Atom, flat: &FlatRules) -> bool {
        flat.relations[atom.relation].component == self.component
    }

    /// Whether a condition has to wait for one of the others.
    pub(super) fn must_wait<'l>(
        &self,
        lit: &FlatLiteral,
        others: &(impl Iterator<Item = &'l FlatLiteral> + Clone),
        is_known: impl Fn(Arg) -> bool,
        flat: &FlatRules,
    ) -> bool {
        if self.terms.is_empty() {
            return false;
        }
        let occurs_in_condition = |recursive: bool, of: Var| {
            others.clone().any(|other| match other {
                FlatLiteral::Pos(atom) => {
                    self.is_recursive(atom, flat) == recursive
                        && atom.args.iter().any(|arg| arg.var() == Some(of))
                }
                _ => false,
            })
        };
        match lit {
            FlatLiteral::Pos(atom) if self.is_recursive(atom, flat) => {
                let mut terms = atom.args.iter().filter_map(|arg| arg.var());
                terms.any(|v| self.terms.contains(&v) && occurs_in_condition(false, v))
            }
            FlatLiteral::Term(Arg::Var(v), ..) if !is_known(Arg::Var(*v)) => {
                self.of_head.contains(v)
                    && occurs_in_condition(true, *v)
                    && !occurs_in_condition(false, *v)
            }
            _ => false,
        }
    }
}
