//! Resolves what is always true or always false, until nothing changes.

use rustc_hash::FxHashSet;

use crate::rule::{Atom, Fact, Literal, Pattern, Rule};
use crate::rules::Rules;
use crate::term::TermId;
use crate::unify::may_be_equal;

/// What a look at a literal tells.
enum Verdict {
    /// It always holds.
    True,
    /// It never holds.
    False,
    /// It depends.
    Open,
}

/// Drops literals that always hold, rules that never fire and rules that say nothing new; rules
/// left without conditions become facts.
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

/// Resolves the literals of a rule; false if it can never fire or derives only what it presupposes.
fn resolve(rule: &mut Rule, rules: &Rules, facts: &FxHashSet<Fact>) -> bool {
    let mut possible = true;
    let mut seen = FxHashSet::default();
    let head = &rule.head;
    rule.body
        .retain(|literal| match verdict(literal, rules, facts) {
            Verdict::True => false,
            Verdict::False => {
                possible = false;
                true
            }
            Verdict::Open => {
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

fn verdict(literal: &Literal, rules: &Rules, facts: &FxHashSet<Fact>) -> Verdict {
    let (atom, positive) = match literal {
        Literal::Positive(atom) => (atom, true),
        Literal::Negative(atom) => (atom, false),
        Literal::Distinct(left, right) => {
            return if left == right {
                Verdict::False
            } else if may_be_equal(left, right, &rules.terms) {
                Verdict::Open
            } else {
                Verdict::True
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
        None => Verdict::Open,
        Some(holds) if holds == positive => Verdict::True,
        Some(_) => Verdict::False,
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
