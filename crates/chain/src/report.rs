//! Build times and sizes of a compiled game.

use std::time::Duration;

use serde::Serialize;

/// Build times and sizes, as in table 1 of Schofield and Saffidine 2013.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ChainReport {
    /// Time for rigid relations, domains and predicates ("reading" in section 7.2).
    pub rigid_time: Duration,
    /// Time for statistics and condition orders ("optimising" in section 7.2).
    pub ordering_time: Duration,
    /// Time for the reference tables ("grounding" in section 7.2).
    pub table_time: Duration,
    /// Bytes of the reference tables.
    pub table_bytes: usize,
    /// Bytes of the knowledge base.
    pub knowledge_bytes: usize,
    /// Approximate bytes of the rigid relations.
    pub rigid_bytes: usize,
    /// Number of relations evaluated top-down because they are too large to materialise.
    pub top_down_relations: usize,
    /// Number of compiled rules; each semi-naive variant counts.
    pub rules: usize,
    /// Number of compiled rules that run as joins over terms, without reference tables.
    pub rules_without_tables: usize,
    /// Whether rules are restricted to demanded values (magic sets).
    pub magic_sets: bool,
}
