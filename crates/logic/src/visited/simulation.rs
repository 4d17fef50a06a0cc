//! Tests the conditions on a list by adding the elements one after another.

use rustc_hash::FxHashSet;

use crate::rule::{Atom, Literal, Pattern, RelationId};
use crate::term::TermId;

use super::analysis::{Owner, Recursion};
use super::query::{Bindings, GivenUp, Queries, matches};

/// The number of lists after which the test is given up.
const MAX_LISTS: usize = 20_000;

/// A list that arises, with the relation that has it and the number of nodes visited.
type State = (RelationId, usize, TermId);

/// Whether the conditions of every rule hold for the lists of any number of different elements.
pub(super) fn never_fails(recursion: &Recursion<'_>) -> bool {
    simulate(recursion).is_ok_and(|holds| holds)
}

fn simulate(recursion: &Recursion<'_>) -> Result<bool, GivenUp> {
    let mut queries = Queries::new(recursion.rules, recursion.terms.clone());
    for entry in &recursion.entries {
        if !simulate_entry(recursion, entry, &mut queries)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The same for the lists that grow from one use.
fn simulate_entry(
    recursion: &Recursion<'_>,
    entry: &Atom,
    queries: &mut Queries<'_>,
) -> Result<bool, GivenUp> {
    let mut variables = 0;
    entry.for_each_variable(&mut |v| variables = variables.max(v as usize + 1));
    let mut bindings: Bindings = vec![None; variables];
    let mut elements = recursion.elements.clone();
    if let Some(own) = recursion.element_of(entry) {
        // Any order of the elements will do: the node that is asked for comes first.
        if let Pattern::Ground(first) = own {
            let at = elements.iter().position(|element| *element == first);
            elements.swap(0, at.ok_or(GivenUp)?);
        }
        let first = elements.first().ok_or(GivenUp)?;
        if !matches(&queries.terms, &own, *first, &mut bindings) {
            return Err(GivenUp);
        }
    }
    let list = &entry.args[recursion.lists[&entry.relation]];
    let list = queries.value(list, &bindings).ok_or(GivenUp)?;
    let visited = usize::from(entry.relation == recursion.node);
    let mut seen: FxHashSet<State> = FxHashSet::default();
    let mut todo: Vec<State> = vec![(entry.relation, visited, list)];
    while let Some(state) = todo.pop() {
        if !seen.insert(state) {
            continue;
        }
        if seen.len() > MAX_LISTS {
            return Err(GivenUp);
        }
        let (relation, visited, list) = state;
        for step in &recursion.steps {
            if step.rule.head.relation != relation {
                continue;
            }
            let callee = step.callee_atom();
            let enters = callee.is_some_and(|atom| atom.relation == recursion.node);
            let after = visited + usize::from(enters);
            if after > elements.len() {
                // All nodes have been visited.
                continue;
            }
            let mut bindings: Bindings = vec![None; step.rule.variables.len()];
            if let Some((element, owner)) = &step.element {
                let count = match owner {
                    Owner::Head => visited,
                    Owner::Callee => after,
                };
                let Some(number) = count.checked_sub(1) else {
                    return Ok(false);
                };
                if !matches(&queries.terms, element, elements[number], &mut bindings) {
                    return Ok(false);
                }
            }
            let list_of_head = &step.rule.head.args[recursion.lists[&relation]];
            if !matches(&queries.terms, list_of_head, list, &mut bindings) {
                return Ok(false);
            }
            let conditions: Vec<&Literal> = step
                .conditions
                .iter()
                .map(|at| &step.rule.body[*at])
                .collect();
            let solutions = queries.conjunction(&conditions, bindings, 0)?;
            let Some(solution) = solutions.first() else {
                return Ok(false);
            };
            if let Some(callee) = callee {
                let pattern: &Pattern = &callee.args[recursion.lists[&callee.relation]];
                let list = queries.value(pattern, solution).ok_or(GivenUp)?;
                todo.push((callee.relation, after, list));
            }
        }
    }
    Ok(true)
}
