//! Rigid relations that are too large to be written out: their rules are followed when somebody
//! asks.
//!
//! A relation over nine cells can have a hundred million rows, and a rule asks for one of them at a
//! time. Such a relation keeps its rules. For every set of columns that is known when it is asked,
//! there is an order of conditions for each rule ([`RuleOrders`]), made when the rule that asks is made.
//! Answers of relations that depend on themselves are collected in a [`Table`]: every query that
//! comes up on the way has its answers there, and all are asked again until there is nothing new.

use ludorum_logic::rule::Pattern;
use rustc_hash::FxHashMap;

use super::clause::Condition;
use super::extension::ColumnSet;
use super::join_step::JoinStep;

/// A rule of a relation that is not written out.
#[derive(Debug)]
pub(super) struct TopDownRule {
    pub(super) head: Vec<Pattern>,
    pub(super) body: Vec<Condition>,
    pub(super) variables: usize,
}

/// The conditions of each rule in an order.
pub(super) type RuleOrders = Vec<Vec<JoinStep>>;

/// A relation that is not written out; its facts are.
#[derive(Debug)]
pub(super) struct TopDownRelation {
    pub(super) rules: Vec<TopDownRule>,
    pub(super) component: u32,
    /// Whether it depends on itself.
    pub(super) is_recursive: bool,
    /// By the columns that are known.
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
