//! Removes arguments that only keep a recursion from visiting a node twice.
//!
//! Sheets search for a path with a list of the nodes that were visited: `(path ?x ?y ?list)` adds
//! `?x` to the list, which fails if it is there already, and goes on from a neighbour. Such a
//! relation has an atom for every list, more than any budget on a board of 25 cells. But a shortest
//! path visits no node twice, so its list never stops it: the relation holds with the empty list
//! if and only if it holds without the argument.
//!
//! The argument is removed where all of this is proved:
//!
//! - The recursion is linear. One of its relations, the *node relation*, has arguments that never
//!   change, the list, and arguments that one *element* of the list determines (its key). So two
//!   visits with one element are visits of one node, and the path between them can be cut out.
//! - The conditions on the list depend on nothing but the list and the element. They treat all
//!   elements alike: swapping two of them changes neither the rules nor the facts that these
//!   conditions depend on.
//! - Adding the elements one after another, starting with the lists of all uses, satisfies the
//!   conditions of every rule at every length ([`simulation`]). By the symmetry, this holds for
//!   every sequence of different elements.

mod analysis;
mod query;
mod simulation;

use crate::domain::Domains;
use crate::graph::DependencyGraph;
use crate::prune;
use crate::rule::{Literal, Pattern, RelationId};
use crate::rules::{Rules, intern_relation};
use crate::term::TermId;

use self::analysis::Recursion;

/// The largest number of elements. Known boards have at most 100 cells; lists of every length are
/// tested.
const MAX_ELEMENTS: usize = 200;

/// The rules without arguments that list visited nodes; `None` if there are none.
pub fn without_visited_lists(rules: &Rules) -> Option<Rules> {
    let components = analysis::recursive_components(rules);
    if components.is_empty() || !has_compound_terms(rules) {
        return None;
    }
    let domains = Domains::new(rules);
    let proved: Vec<Recursion<'_>> = components
        .iter()
        .filter_map(|members| Recursion::new(rules, &domains, members))
        .filter_map(with_elements)
        .filter(|recursion| recursion.treats_elements_alike(&domains))
        .filter(simulation::never_fails)
        .collect();
    if proved.is_empty() {
        return None;
    }
    let mut changed = rules.clone();
    for recursion in &proved {
        remove(&mut changed, recursion);
    }
    prune::prune(&mut changed);
    changed.index();
    DependencyGraph::new(&changed).classify(&mut changed);
    Some(changed)
}

/// The recursion with its elements; `None` if there are too many or they are nested.
fn with_elements(mut recursion: Recursion<'_>) -> Option<Recursion<'_>> {
    if let Some(places) = &recursion.element_arguments {
        // The nodes are those of the rules without the conditions on the list, which must not
        // restrict them.
        let mut rules = recursion.rules.clone();
        let short = remove(&mut rules, &recursion);
        let (_, list, node) = short.into_iter().find(|(old, ..)| *old == recursion.node)?;
        let domains = Domains::new(&rules);
        let mut elements: Vec<Vec<TermId>> = vec![Vec::new()];
        for place in places {
            let domain = domains.argument(node, place - usize::from(list < *place));
            if domains.functions(domain).next().is_some() {
                return None;
            }
            let constants = domains.constants(domain);
            let constants: Vec<TermId> = constants
                .filter_map(|name| recursion.terms.get(name, &[]))
                .collect();
            if elements.len() * constants.len() > MAX_ELEMENTS {
                return None;
            }
            let longer = elements
                .iter()
                .flat_map(|parts| constants.iter().map(|last| [&parts[..], &[*last]].concat()));
            elements = longer.collect();
        }
        recursion.elements = elements
            .into_iter()
            .map(|parts| match recursion.functor {
                Some(functor) => recursion.terms.intern(functor, &parts),
                None => parts[0],
            })
            .collect();
    }
    (recursion.elements.len() <= MAX_ELEMENTS).then_some(recursion)
}

/// Whether a relation other than a keyword has compound terms in its rules, which lists need.
fn has_compound_terms(rules: &Rules) -> bool {
    let keywords = rules.keywords.per_state();
    let compound = |pattern: &Pattern| match pattern {
        Pattern::Compound(..) => true,
        Pattern::Ground(term) => !rules.terms.args(*term).is_empty(),
        Pattern::Variable(_) => false,
    };
    rules.rules.iter().any(|rule| {
        let atoms = rule.body.iter().filter_map(Literal::atom);
        let mut atoms = atoms.chain([&rule.head]);
        atoms.any(|atom| {
            !keywords.contains(&atom.relation)
                && atom.relation != rules.keywords.init
                && atom.args.iter().any(compound)
        })
    })
}

/// Replaces the relations of a recursion by relations without the list. Returns the relations with
/// the place of the list and what replaces them.
fn remove(rules: &mut Rules, recursion: &Recursion<'_>) -> Vec<(RelationId, usize, RelationId)> {
    let mut short: Vec<(RelationId, usize, RelationId)> = Vec::new();
    for (relation, place) in &recursion.lists {
        let name = format!("{}#unlisted", rules.relation_name(*relation));
        let symbol = rules.terms.symbols.intern(&name);
        let arity = rules.relation(*relation).arity - 1;
        let other = intern_relation(&mut rules.relations, symbol, arity);
        rules.relations[other.index()].is_helper = true;
        short.push((*relation, *place, other));
    }
    for step in &recursion.steps {
        let mut at = 0;
        rules.rules[step.number].body.retain(|_| {
            at += 1;
            !step.conditions.contains(&(at - 1))
        });
    }
    for rule in &mut rules.rules {
        let body = rule.body.iter_mut().filter_map(|literal| match literal {
            Literal::Positive(atom) | Literal::Negative(atom) => Some(atom),
            Literal::Distinct(..) => None,
        });
        for atom in body.chain([&mut rule.head]) {
            let known = short.iter().find(|(old, ..)| *old == atom.relation);
            if let Some((_, place, other)) = known {
                atom.args.remove(*place);
                atom.relation = *other;
            }
        }
        rule.compact();
    }
    short
}
