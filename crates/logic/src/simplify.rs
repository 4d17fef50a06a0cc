//! Partial evaluation: removes literals that are always true and rules that never fire, until a
//! fixpoint is reached.

use rustc_hash::FxHashSet;

use crate::rule::{Atom, Fact, Literal, Pattern, Rule};
use crate::rules::Rules;
use crate::term::TermId;
use crate::unify::may_be_equal;

/// The statically known truth value of a literal.
enum LiteralValue {
    /// Holds in every state.
    True,
    /// Holds in no state.
    False,
    /// Depends on the state or is not known.
    Unknown,
}

/// Removes literals that always hold, rules that never fire, and duplicate or redundant rules.
/// Rules without conditions become facts.
pub(crate) fn simplify(rules: &mut Rules) {
    let mut facts: FxHashSet<Fact> = rules.facts.iter().cloned().collect();
    loop {
        rules.index();
        let mut changed = false;
        let mut kept = Vec::with_capacity(rules.rules.len());
        let mut seen = FxHashSet::default();
        for mut rule in std::mem::take(&mut rules.rules) {
            let before = rule.body.len();
            if !resolve(&mut rule, rules, &facts) {
                changed = true;
                continue;
            }
            changed |= rule.body.len() != before;
            rule.compact();
            let ground_head = ground(&rule.head);
            if let Some(args) = ground_head {
                let fact = Fact {
                    relation: rule.head.relation,
                    args,
                };
                if facts.contains(&fact) {
                    changed = true;
                    continue;
                }
                if rule.body.is_empty() {
                    facts.insert(fact.clone());
                    rules.facts.push(fact);
                    changed = true;
                    continue;
                }
            }
            if seen.insert((rule.head.clone(), rule.body.clone())) {
                kept.push(rule);
            }
        }
        rules.rules = kept;
        if !changed {
            break;
        }
    }
    rules.index();
}

/// Resolves the literals of a rule. Returns false if the rule can never fire or has its head among
/// its conditions.
fn resolve(rule: &mut Rule, rules: &Rules, facts: &FxHashSet<Fact>) -> bool {
    let mut possible = true;
    let mut seen = FxHashSet::default();
    let head = &rule.head;
    rule.body
        .retain(|literal| match value_of(literal, rules, facts) {
            LiteralValue::True => false,
            LiteralValue::False => {
                possible = false;
                true
            }
            LiteralValue::Unknown => {
                possible &= !matches!(literal, Literal::Positive(atom) if atom == head);
                seen.insert(literal.clone())
            }
        });
    possible
        && !rule.body.iter().any(|literal| match literal {
            Literal::Negative(atom) => seen.contains(&Literal::Positive(atom.clone())),
            _ => false,
        })
}

fn value_of(literal: &Literal, rules: &Rules, facts: &FxHashSet<Fact>) -> LiteralValue {
    let (atom, positive) = match literal {
        Literal::Positive(atom) => (atom, true),
        Literal::Negative(atom) => (atom, false),
        Literal::Distinct(left, right) => {
            return if left == right {
                LiteralValue::False
            } else if may_be_equal(left, right, &rules.terms) {
                LiteralValue::Unknown
            } else {
                LiteralValue::True
            };
        }
    };
    let holds = if rules.is_empty_relation(atom.relation) {
        Some(false)
    } else if let Some(args) = ground(atom) {
        let relation = atom.relation;
        if facts.contains(&Fact { relation, args }) {
            Some(true)
        } else if rules.relation(relation).rules.is_empty()
            && relation != rules.keywords.true_
            && relation != rules.keywords.does
        {
            Some(false)
        } else {
            None
        }
    } else {
        None
    };
    match holds {
        None => LiteralValue::Unknown,
        Some(holds) if holds == positive => LiteralValue::True,
        Some(_) => LiteralValue::False,
    }
}

fn ground(atom: &Atom) -> Option<Vec<TermId>> {
    atom.args
        .iter()
        .map(|arg| match arg {
            Pattern::Ground(id) => Some(*id),
            _ => None,
        })
        .collect()
}
