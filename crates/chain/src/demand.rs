//! Which rules an answer needs: groups of relations by the questions that depend on them.

use ludorum_logic::rule::{Literal, RelationId};
use ludorum_logic::{RelationClass, Rules};

/// A question about a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Question {
    Terminal = 0,
    Legal = 1,
    Goal = 2,
    /// What the next state needs that does not depend on the moves.
    Next = 3,
}

pub(super) const QUESTIONS: usize = 4;

/// All questions, by number.
pub(super) const ALL_QUESTIONS: [Question; QUESTIONS] = [
    Question::Terminal,
    Question::Legal,
    Question::Goal,
    Question::Next,
];

/// A set of questions, a bit each. The groups are these sets: what is needed for exactly these
/// questions.
pub(super) type Group = usize;

pub(super) const GROUPS: usize = 1 << QUESTIONS;

/// The group of what depends on the moves.
pub(super) const ACTION: Group = GROUPS;

/// For each relation its group; `None` for what nobody needs.
pub(super) fn groups(rules: &Rules) -> Vec<Option<Group>> {
    let keywords = rules.keywords;
    let mut needed = vec![0usize; rules.relations().len()];
    let roots = [
        (keywords.terminal, Question::Terminal),
        (keywords.legal, Question::Legal),
        (keywords.goal, Question::Goal),
        (keywords.next, Question::Next),
    ];
    for (root, question) in roots {
        let bit = 1 << question as usize;
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

/// The groups that a question needs, in an order in which each comes after those it depends on:
/// what several questions need depends only on what at least all of these need.
pub(super) fn groups_of(question: Question) -> Vec<Group> {
    let mut groups: Vec<Group> = (1..GROUPS)
        .filter(|group| group >> question as usize & 1 == 1)
        .collect();
    groups.sort_by_key(|group| std::cmp::Reverse(group.count_ones()));
    groups
}
