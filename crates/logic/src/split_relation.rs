//! Splits a relation by the constants of one argument, to remove a negative literal from a cycle.
//!
//! Many sheets have rules such as `(<= (goal ?r 0) (not (goal ?r 100)))`. The dependency graph of
//! relations then has a negative cycle at `goal`, although the rules are locally stratified: no
//! ground atom depends on its own negation. Splitting `goal` into a relation for 100 and one for 0
//! makes the rules stratified.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use crate::rule::{Atom, Literal, Pattern, RelationId, Rule};
use crate::rules::{Rules, intern_relation};
use crate::term::TermId;

/// Splits one relation of a component; false if none can be split. Every split reduces an arity, so
/// repeated splitting terminates.
pub(crate) fn split(rules: &mut Rules, component: &[RelationId]) -> bool {
    for id in component {
        for place in 0..rules.relation(*id).arity {
            if let Some(constants) = constants_at(rules, component, *id, place) {
                apply(rules, component, *id, place, &constants);
                return true;
            }
        }
    }
    false
}

/// The terms at one argument of a relation, if all its heads, and all its uses within the
/// component, are ground there.
fn constants_at(
    rules: &Rules,
    component: &[RelationId],
    id: RelationId,
    place: usize,
) -> Option<IndexSet<TermId, FxBuildHasher>> {
    let mut constants = IndexSet::default();
    for fact in rules.facts_of(id) {
        constants.insert(fact.args[place]);
    }
    for rule in rules.rules_of(id) {
        match rule.head.args[place] {
            Pattern::Ground(term) => constants.insert(term),
            _ => return None,
        };
    }
    let uses_are_ground = component
        .iter()
        .flat_map(|member| rules.rules_of(*member))
        .flat_map(|rule| rule.body.iter().filter_map(Literal::atom))
        .all(|atom| atom.relation != id || atom.args[place].is_ground());
    (uses_are_ground && constants.len() > 1).then_some(constants)
}

fn apply(
    rules: &mut Rules,
    component: &[RelationId],
    id: RelationId,
    place: usize,
    constants: &IndexSet<TermId, FxBuildHasher>,
) {
    let arity = rules.relation(id).arity;
    let base = rules.relation_name(id).to_owned();
    let parts: Vec<RelationId> = constants
        .iter()
        .map(|term| {
            let name = format!("{base}#{place}={}", rules.terms.text(*term));
            let symbol = rules.terms.symbols.intern(&name);
            let part = intern_relation(&mut rules.relations, symbol, arity - 1);
            rules.relations[part.index()].is_helper = true;
            part
        })
        .collect();
    let part_of = |term: &TermId| constants.get_index_of(term).map(|i| parts[i]);

    for fact in &mut rules.facts {
        if fact.relation == id
            && let Some(part) = part_of(&fact.args[place])
        {
            fact.args.remove(place);
            fact.relation = part;
        }
    }
    let move_to_part = |atom: &mut Atom| {
        if atom.relation == id
            && let Pattern::Ground(term) = atom.args[place]
            && let Some(part) = part_of(&term)
        {
            atom.args.remove(place);
            atom.relation = part;
        }
    };
    for rule in &mut rules.rules {
        let inside = component.contains(&rule.head.relation);
        move_to_part(&mut rule.head);
        if inside {
            for literal in &mut rule.body {
                if let Literal::Positive(atom) | Literal::Negative(atom) = literal {
                    move_to_part(atom);
                }
            }
        }
    }
    // Rules outside the component use the union of the parts under the original name.
    for (term, part) in constants.iter().zip(&parts) {
        let variables: Vec<Pattern> = (0..arity as u32 - 1).map(Pattern::Variable).collect();
        let mut args = variables.clone();
        args.insert(place, Pattern::Ground(*term));
        let names = (0..arity - 1)
            .map(|i| rules.terms.symbols.intern(&format!("x{i}")))
            .collect();
        let head = Atom { relation: id, args };
        rules.rules.push(Rule {
            head,
            body: vec![Literal::Positive(Atom {
                relation: *part,
                args: variables,
            })],
            variables: names,
            clause: u32::MAX,
        });
    }
    rules.index();
}
