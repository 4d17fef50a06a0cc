//! Rule groups: which rules each query needs.

use ludorum_logic::rule::{Literal, RelationId};
use ludorum_logic::{RelationClass, Rules};

/// A query about a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Query {
    Terminal = 0,
    Legal = 1,
    Goal = 2,
    /// The rules below `next` that do not depend on the moves.
    Next = 3,
}

/// Number of queries.
pub(super) const QUERIES: usize = 4;

/// All queries, by number.
pub(super) const ALL_QUERIES: [Query; QUERIES] =
    [Query::Terminal, Query::Legal, Query::Goal, Query::Next];

/// A bit set of queries. A group holds the rules that exactly these queries need.
pub(super) type Group = usize;

/// Number of groups that do not depend on the moves.
pub(super) const GROUPS: usize = 1 << QUERIES;

/// The group of the rules that depend on the moves.
pub(super) const ACTION: Group = GROUPS;

/// The group of each relation; `None` for relations that no query needs.
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

/// The groups of a query in evaluation order. A group only depends on groups of at least the same
/// queries, so groups with more queries come first.
pub(super) fn groups_of(query: Query) -> Vec<Group> {
    let mut groups: Vec<Group> = (1..GROUPS)
        .filter(|group| group >> query as usize & 1 == 1)
        .collect();
    groups.sort_by_key(|group| std::cmp::Reverse(group.count_ones()));
    groups
}
