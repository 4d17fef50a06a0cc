//! Removes forbidden dependencies: `legal`, `goal` and `terminal` must not depend on `does`, nor
//! `init` on `true` (Love et al. 2008, restrictions on the game relations).
//!
//! A few published sheets violate this. Their meaning in practice is clear: there are no moves (no
//! state) when the query is evaluated, so conditions on them fail. The query gets copies of the
//! relations that it depends on, in which these conditions are resolved to false.

use rustc_hash::FxHashMap;

use crate::rule::{Atom, Literal, RelationId};
use crate::rules::{Rules, intern_relation};

/// Redefines `query` for empty `hidden` relations. Its original definition is kept under the name
/// `query#full`, for rules that use it where the hidden facts are known.
pub(crate) fn restrict_query(rules: &mut Rules, query: RelationId, hidden: &[RelationId]) {
    let reaching = reaching(rules, query, hidden);
    let mut copies: FxHashMap<RelationId, RelationId> = FxHashMap::default();
    for id in reaching {
        let relation = rules.relation(id);
        let arity = relation.arity;
        let suffix = if id == query { "full" } else { "restricted" };
        let name = format!("{}#{suffix}", rules.relation_name(id));
        let symbol = rules.terms.symbols.intern(&name);
        let copy = intern_relation(&mut rules.relations, symbol, arity);
        rules.relations[copy.index()].is_helper = true;
        copies.insert(id, copy);
    }
    for (original, copy) in &copies {
        for number in rules.relation(*original).rules.clone() {
            let mut rule = rules.rules[number].clone();
            rule.head.relation = *copy;
            let needs_hidden = |literal: &Literal| matches!(literal, Literal::Positive(atom) if hidden.contains(&atom.relation));
            if rule.body.iter().any(needs_hidden) {
                continue;
            }
            rule.body.retain(|literal| {
                literal
                    .atom()
                    .is_none_or(|atom| !hidden.contains(&atom.relation))
            });
            for literal in &mut rule.body {
                if let Literal::Positive(Atom { relation, .. })
                | Literal::Negative(Atom { relation, .. }) = literal
                    && let Some(copy) = copies.get(relation)
                {
                    *relation = *copy;
                }
            }
            rules.rules.push(rule);
        }
        for number in rules.relation(*original).facts.clone() {
            let mut fact = rules.facts[number].clone();
            fact.relation = *copy;
            rules.facts.push(fact);
        }
    }
    // The restricted copy takes over the name of the query.
    if let Some(copy) = copies.get(&query) {
        let swap = |id: &mut RelationId| {
            if *id == query {
                *id = *copy;
            } else if id == copy {
                *id = query;
            }
        };
        for rule in &mut rules.rules {
            swap(&mut rule.head.relation);
            for literal in &mut rule.body {
                if let Literal::Positive(atom) | Literal::Negative(atom) = literal {
                    swap(&mut atom.relation);
                }
            }
        }
        for fact in &mut rules.facts {
            swap(&mut fact.relation);
        }
    }
    rules.index();
}

/// The relations that `query` depends on and that depend on a hidden relation.
fn reaching(rules: &Rules, query: RelationId, hidden: &[RelationId]) -> Vec<RelationId> {
    let mut below = vec![query];
    let mut seen = vec![false; rules.relations.len()];
    let mut readers: FxHashMap<RelationId, Vec<RelationId>> = FxHashMap::default();
    let mut at = 0;
    seen[query.index()] = true;
    while at < below.len() {
        let id = below[at];
        at += 1;
        for atom in rules
            .rules_of(id)
            .flat_map(|rule| rule.body.iter().filter_map(Literal::atom))
        {
            readers.entry(atom.relation).or_default().push(id);
            if !std::mem::replace(&mut seen[atom.relation.index()], true) {
                below.push(atom.relation);
            }
        }
    }
    let mut todo: Vec<RelationId> = hidden.to_vec();
    let mut reaching = Vec::new();
    while let Some(id) = todo.pop() {
        for reader in readers.remove(&id).unwrap_or_default() {
            if !reaching.contains(&reader) {
                reaching.push(reader);
                todo.push(reader);
            }
        }
    }
    reaching
}
