//! Relations that are evaluated top-down, because they are too large to materialise.
//!
//! A relation over nine cells can have a hundred million rows, while a rule needs one of them at a
//! time. Such a relation keeps its rules. For every binding pattern that occurs, each rule has an
//! order of conditions ([`RuleOrders`]), made when the calling rule is compiled. Answers of
//! recursive relations are memoised ([`AnswerTable`](super::tabling::AnswerTable)), and their calls
//! are repeated until no answer is new.

use ludorum_logic::rule::Pattern;
use rustc_hash::FxHashMap;

use super::clause::Condition;
use super::extension::ColumnSet;
use super::join_step::JoinStep;

/// A rule of a top-down relation.
#[derive(Debug)]
pub(super) struct TopDownRule {
    pub(super) head: Vec<Pattern>,
    pub(super) body: Vec<Condition>,
    pub(super) variables: usize,
}

/// The steps of each rule, for one binding pattern.
pub(super) type RuleOrders = Vec<Vec<JoinStep>>;

/// A relation that is evaluated top-down. Its facts are materialised.
#[derive(Debug)]
pub(super) struct TopDownRelation {
    pub(super) rules: Vec<TopDownRule>,
    pub(super) component: u32,
    /// Whether it depends on itself.
    pub(super) is_recursive: bool,
    /// By bound columns (the binding pattern).
    pub(super) orders: FxHashMap<ColumnSet, RuleOrders>,
}

impl TopDownRelation {
    pub(super) fn new(rules: Vec<TopDownRule>, component: u32, is_recursive: bool) -> Self {
        Self {
            rules,
            component,
            is_recursive,
            orders: FxHashMap::default(),
        }
    }
}
