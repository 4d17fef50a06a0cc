//! Tests the conditions on a list by adding the elements one after another.

use rustc_hash::FxHashSet;

use crate::rule::{Literal, Pattern, RelationId};
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
    let mut queries = Queries::new(recursion.rules);
    let mut seen: FxHashSet<State> = FxHashSet::default();
    let mut todo: Vec<State> = Vec::new();
    for entry in &recursion.entries {
        let visited = usize::from(entry.relation == recursion.node);
        let mut variables = 0;
        entry
            .list
            .for_each_variable(&mut |v| variables = variables.max(v as usize + 1));
        let bindings: Bindings = vec![recursion.elements.first().copied(); variables];
        let list = queries.value(entry.list, &bindings).ok_or(GivenUp)?;
        todo.push((entry.relation, visited, list));
    }
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
            if after > recursion.elements.len() {
                // All nodes have been visited.
                continue;
            }
            let mut bindings: Bindings = vec![None; step.rule.variables.len()];
            if let Some((variable, owner)) = step.element {
                let count = match owner {
                    Owner::Head => visited,
                    Owner::Callee => after,
                };
                let Some(number) = count.checked_sub(1) else {
                    return Ok(false);
                };
                bindings[variable as usize] = Some(recursion.elements[number]);
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
