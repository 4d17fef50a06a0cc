//! Recursion that ends: what bounds a term is asked before the term is asked about.
//!
//! A rule may speak of its own relation only about terms that its head or a condition outside the
//! recursion has (the restriction of the language). `(<= (ok ?x) (ok (s ?x)) (known (s ?x)))` ends
//! if `known` is asked first; the other way round, for a given `?x`, ever larger terms would be
//! asked about. A term that the head has, where nobody gave it, is not put together before the
//! recursive condition: that one tells which there are.

use rustc_hash::FxHashSet;

use super::flat::{Arg, Atom, FlatLiteral, FlatRule, FlatRules, Var};

/// The terms of a rule that recursion could make grow.
#[derive(Clone, Debug, Default)]
pub(super) struct RecursionGuard {
    /// The component of the head.
    component: Option<u32>,
    /// Variables that stand for whole terms.
    terms: FxHashSet<Var>,
    /// Those of them that are arguments of the head.
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

    /// Whether a condition should wait for one of the others.
    pub(super) fn waits<'l>(
        &self,
        lit: &FlatLiteral,
        others: &(impl Iterator<Item = &'l FlatLiteral> + Clone),
        is_known: impl Fn(Arg) -> bool,
        flat: &FlatRules,
    ) -> bool {
        if self.terms.is_empty() {
            return false;
        }
        let speaks = |recursive: bool, of: Var| {
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
                terms.any(|v| self.terms.contains(&v) && speaks(false, v))
            }
            FlatLiteral::Term(Arg::Var(v), ..) if !is_known(Arg::Var(*v)) => {
                self.of_head.contains(v) && speaks(true, *v) && !speaks(false, *v)
            }
            _ => false,
        }
    }
}
