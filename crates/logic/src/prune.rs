//! Removes relations that no keyword relation depends on.

use crate::rule::{Atom, Literal, RelationId};
use crate::rules::{RelationTable, Rules};

/// Keeps the keyword relations and what they depend on, renumbering relations densely.
pub(crate) fn prune(rules: &mut Rules) {
    rules.index();
    let keywords = &mut rules.keywords;
    let mut todo = vec![keywords.role, keywords.init];
    todo.extend(keywords.per_state());
    let mut reached = vec![false; rules.relations.len()];
    while let Some(id) = todo.pop() {
        if std::mem::replace(&mut reached[id.index()], true) {
            continue;
        }
        for rule in &rules.relations[id.index()].rules {
            let atoms = rules.rules[*rule].body.iter().filter_map(Literal::atom);
            todo.extend(atoms.map(|atom| atom.relation));
        }
    }
    let mut relations = RelationTable::default();
    let mut renumbered = vec![RelationId(u32::MAX); reached.len()];
    for (i, (key, relation)) in std::mem::take(&mut rules.relations).into_iter().enumerate() {
        if reached[i] {
            renumbered[i] = RelationId(relations.len() as u32);
            relations.insert(key, relation);
        }
    }
    rules.relations = relations;
    let renumber = |id: &mut RelationId| *id = renumbered[id.index()];
    for id in [
        &mut keywords.role,
        &mut keywords.init,
        &mut keywords.true_,
        &mut keywords.does,
        &mut keywords.next,
        &mut keywords.legal,
        &mut keywords.goal,
        &mut keywords.terminal,
    ] {
        renumber(id);
    }
    rules.facts.retain(|fact| reached[fact.relation.index()]);
    for fact in &mut rules.facts {
        renumber(&mut fact.relation);
    }
    rules
        .rules
        .retain(|rule| reached[rule.head.relation.index()]);
    for rule in &mut rules.rules {
        renumber(&mut rule.head.relation);
        for literal in &mut rule.body {
            if let Literal::Positive(Atom { relation, .. })
            | Literal::Negative(Atom { relation, .. }) = literal
            {
                renumber(relation);
            }
        }
    }
}
