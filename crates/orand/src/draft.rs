//! Rules before flattening: alternatives of an `or` may be combined, and every functor has a
//! symbol.

use ludorum_gdl::Symbol;
use ludorum_logic::rule::{Atom as RuleAtom, Literal, Pattern};
use ludorum_logic::{Rules, Terms};

use super::shape::intern_name;

/// A rule before flattening.
pub(super) struct RuleDraft {
    pub(super) head: RuleAtom,
    pub(super) body: Vec<Literal>,
    /// The alternatives of an `or`; empty without an `or`.
    pub(super) fork: Vec<Vec<Literal>>,
    pub(super) names: Vec<Symbol>,
    pub(super) clause: u32,
}

/// Drafts of all rules. Terms for the names of their functors are interned.
pub(super) fn drafts(rules: &Rules, terms: &mut Terms) -> Vec<RuleDraft> {
    let mut drafts = Vec::with_capacity(rules.rules.len());
    for rule in &rules.rules {
        for arg in &rule.head.args {
            intern_functors(arg, terms);
        }
        for literal in &rule.body {
            match literal {
                Literal::Positive(atom) | Literal::Negative(atom) => {
                    for arg in &atom.args {
                        intern_functors(arg, terms);
                    }
                }
                Literal::Distinct(a, b) => {
                    intern_functors(a, terms);
                    intern_functors(b, terms);
                }
            }
        }
        drafts.push(RuleDraft {
            head: rule.head.clone(),
            body: rule.body.clone(),
            fork: Vec::new(),
            names: rule.variables.clone(),
            clause: rule.clause,
        });
    }
    drafts
}

fn intern_functors(pattern: &Pattern, terms: &mut Terms) {
    if let Pattern::Compound(functor, args) = pattern {
        intern_name(terms, *functor, args.len());
        args.iter().for_each(|arg| intern_functors(arg, terms));
    }
}
