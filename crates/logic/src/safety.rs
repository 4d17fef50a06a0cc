//! Safety: every variable of a head, a negative literal or a `distinct` must occur in a positive
//! literal of the body (Love et al. 2008, definition of safety).

use rustc_hash::FxHashMap;

use crate::rule::{Atom, Literal, Pattern, Rule, Variable};
use crate::rules::{Rules, intern_relation};

/// The first variable that no positive literal binds, if the rule is unsafe.
pub(crate) fn unbound_variable(rule: &Rule) -> Option<Variable> {
    let mut bound = vec![false; rule.variables.len()];
    for literal in &rule.body {
        if let Literal::Positive(atom) = literal {
            atom.for_each_variable(&mut |v| bound[v as usize] = true);
        }
    }
    let mut unbound = None;
    let mut look = |v: Variable| {
        if !bound[v as usize] && unbound.is_none() {
            unbound = Some(v);
        }
    };
    rule.head.for_each_variable(&mut look);
    for literal in &rule.body {
        literal.for_each_variable(&mut look);
    }
    unbound
}

/// Interprets `(not (p ?x))`, where `?x` occurs nowhere else, as "there is no `?x` with `(p ?x)`":
/// the negative literal refers to a projection of `p` that leaves `?x` out. Such rules are unsafe
/// by definition, but their meaning is clear and some authors write them.
pub(crate) fn project_local_negations(rule: &mut Rule, rules: &mut Rules) {
    let mut uses: FxHashMap<Variable, usize> = FxHashMap::default();
    count_uses(&rule.head, &mut uses);
    for literal in &rule.body {
        match literal {
            Literal::Positive(atom) | Literal::Negative(atom) => count_uses(atom, &mut uses),
            Literal::Distinct(left, right) => {
                // `distinct` needs bound variables, so they never count as local.
                left.for_each_variable(&mut |v| *uses.entry(v).or_default() += 2);
                right.for_each_variable(&mut |v| *uses.entry(v).or_default() += 2);
            }
        }
    }
    for literal in &mut rule.body {
        let Literal::Negative(atom) = literal else {
            continue;
        };
        let mut kept: Vec<Variable> = Vec::new();
        let mut has_local = false;
        atom.for_each_variable(&mut |v| {
            if uses[&v] == 1 {
                has_local = true;
            } else if !kept.contains(&v) {
                kept.push(v);
            }
        });
        if !has_local {
            continue;
        }
        let number = rules.relations.values().filter(|r| r.is_helper).count();
        let base = rules.relation_name(atom.relation).to_owned();
        let name = rules.terms.symbols.intern(&format!("{base}#any{number}"));
        let relation = intern_relation(&mut rules.relations, name, kept.len());
        rules.relations[relation.index()].is_helper = true;
        let head = Atom {
            relation,
            args: kept.into_iter().map(Pattern::Variable).collect(),
        };
        let mut projection = Rule {
            head: head.clone(),
            body: vec![Literal::Positive(atom.clone())],
            variables: rule.variables.clone(),
            clause: rule.clause,
        };
        projection.compact();
        rules.rules.push(projection);
        *atom = head;
    }
}

/// Adds one use for every variable of the atom, repeated occurrences counted once.
fn count_uses(atom: &Atom, uses: &mut FxHashMap<Variable, usize>) {
    let mut seen = Vec::new();
    atom.for_each_variable(&mut |v| {
        if !seen.contains(&v) {
            seen.push(v);
        }
    });
    for v in seen {
        *uses.entry(v).or_default() += 1;
    }
}
