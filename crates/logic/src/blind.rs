//! Queries that are asked before something is known see none of it.
//!
//! The language forbids `legal`, `goal` and `terminal` to look at `does`, and `init` to look at
//! `true`. A few sheets do it all the same, and their meaning in practice is plain: when the query
//! is asked there are no moves (no state), so such conditions fail. The query then gets copies of
//! the relations it needs, with those conditions resolved.

use rustc_hash::FxHashMap;

use crate::rule::{Atom, Literal, RelationId};
use crate::rules::{Rules, intern_relation};

/// Makes `query` see no fact of the `hidden` relations. What it was before goes on under another
/// name, for rules that use it where those facts are known.
pub(crate) fn blind(rules: &mut Rules, query: RelationId, hidden: &[RelationId]) {
    let reaching = reaching(rules, query, hidden);
    let mut copies: FxHashMap<RelationId, RelationId> = FxHashMap::default();
    for id in reaching {
        let relation = rules.relation(id);
        let arity = relation.arity;
        let suffix = if id == query { "seeing" } else { "blind" };
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
            let sees = |literal: &Literal| matches!(literal, Literal::Positive(atom) if hidden.contains(&atom.relation));
            if rule.body.iter().any(sees) {
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
    // The blind copy takes the query's own name.
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

/// The relations on which `query` depends and which depend on a hidden one.
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
