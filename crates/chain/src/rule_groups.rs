//! Which rules an answer needs: groups of relations by the questions that depend on them.

use ludorum_logic::rule::{Literal, RelationId};
use ludorum_logic::{RelationClass, Rules};

/// A query about a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Query {
    Terminal = 0,
    Legal = 1,
    Goal = 2,
    /// What the next state needs that does not depend on the moves.
    Next = 3,
}

pub(super) const QUERIES: usize = 4;

/// All questions, by number.
pub(super) const ALL_QUERIES: [Query; QUERIES] =
    [Query::Terminal, Query::Legal, Query::Goal, Query::Next];

/// A set of questions, a bit each. The groups are these sets: what is needed for exactly these
/// questions.
pub(super) type Group = usize;

pub(super) const GROUPS: usize = 1 << QUERIES;

/// The group of what depends on the moves.
pub(super) const ACTION: Group = GROUPS;

/// For each relation its group; `None` for what nobody needs.
pub(super) fn groups(rules: &Rules) -> Vec<Option<Group>> {
    let keywords = rules.keywords;
    let mut needed = vec![0usize; rules.relations().len()];
    let roots = [
        (keywords.terminal, Query::Terminal),
        (keywords.legal, Query::Legal),
        (keywords.goal, Query::Goal),
        (keywords.next, Query::Next),
    ];
    for (root, query) in roots {
        let bit = 1 << query as usize;
        let mut todo: Vec<RelationId> = vec![root];
        while let Some(relation) = todo.pop() {
            if needed[relation.index()] & bit != 0 {
                continue;
            }
            needed[relation.index()] |= bit;
            for rule in rules.rules_of(relation) {
                let atoms = rule.body.iter().filter_map(Literal::atom);
                todo.extend(atoms.map(|atom| atom.relation));
            }
        }
    }
    let group = |(id, relation): (RelationId, &ludorum_logic::rules::Relation)| {
        if relation.class == RelationClass::Action {
            return Some(ACTION);
        }
        let questions = needed[id.index()];
        (questions != 0 && id != keywords.true_ && id != keywords.does).then_some(questions)
    };
    rules.relations().map(group).collect()
}

/// The groups that a query needs, in an order in which each comes after those it depends on:
/// what several questions need depends only on what at least all of these need.
pub(super) fn groups_of(query: Query) -> Vec<Group> {
    let mut groups: Vec<Group> = (1..GROUPS)
        .filter(|group| group >> query as usize & 1 == 1)
        .collect();
    groups.sort_by_key(|group| std::cmp::Reverse(group.count_ones()));
    groups
}
