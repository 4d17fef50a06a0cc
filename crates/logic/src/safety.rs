//! Safety: every variable that is tested must first get a value.

use rustc_hash::FxHashMap;

use crate::rule::{Atom, Literal, Pattern, Rule, Variable};
use crate::rules::{Rules, intern_relation};

/// A variable of the head, of a negation or of a `distinct` that no positive literal binds.
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

/// Reads `(not (p ?x))`, where `?x` stands nowhere else, as "no `?x` has `p`": the negation then
/// looks at a helper relation that leaves `?x` out. The language definition calls such rules
/// unsafe, yet their meaning is plain and some authors write them.
pub(crate) fn project_local_negations(rule: &mut Rule, rules: &mut Rules) {
    let mut uses: FxHashMap<Variable, usize> = FxHashMap::default();
    count_uses(&rule.head, &mut uses);
    for literal in &rule.body {
        match literal {
            Literal::Positive(atom) | Literal::Negative(atom) => count_uses(atom, &mut uses),
            Literal::Distinct(left, right) => {
                // A comparison needs a value: its variables never count as local.
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

/// Counts an atom once for every variable in it.
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
