//! Compiled rules in evaluation order, with or without reference tables.

use ludorum_logic::rule::Pattern;

use super::clause::PredicateId;
use super::join_step::JoinStep;
use super::table_rule::TableRule;

/// A rule without tables: a join over terms.
#[derive(Debug)]
pub(super) struct JoinRule {
    pub(super) predicate: PredicateId,
    pub(super) head: Vec<Pattern>,
    pub(super) steps: Vec<JoinStep>,
    pub(super) variables: usize,
}

/// A compiled rule.
#[derive(Debug)]
pub(super) enum CompiledRule {
    Tables(TableRule),
    Join(JoinRule),
}

/// Rules that are evaluated together.
#[derive(Debug)]
pub(super) enum RuleUnit {
    Once(CompiledRule),
    /// Mutually recursive rules. Those of `repeat` are semi-naive variants: each reads the new
    /// entries of one predicate's list, until all lists are exhausted.
    Loop {
        once: Vec<CompiledRule>,
        repeat: Vec<(PredicateId, CompiledRule)>,
    },
}

impl CompiledRule {
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Tables(program) => program.bytes(),
            Self::Join(_) => 0,
        }
    }
}

impl RuleUnit {
    pub(super) fn compiled_rules(&self) -> impl Iterator<Item = &CompiledRule> {
        let (once, repeat) = match self {
            Self::Once(rule) => (std::slice::from_ref(rule), &[][..]),
            Self::Loop { once, repeat } => (&once[..], &repeat[..]),
        };
        once.iter().chain(repeat.iter().map(|(_, rule)| rule))
    }
}
