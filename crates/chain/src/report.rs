//! What making the engine took.

use std::time::Duration;

use serde::Serialize;

/// Times and sizes, as in Table 1 of the paper.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ChainReport {
    /// For what never changes, domains and predicates.
    pub read: Duration,
    /// For statistics and orders.
    pub ordering: Duration,
    /// For the tables.
    pub grounding: Duration,
    /// What the reference tables take.
    pub table_bytes: usize,
    /// What the knowledge base takes.
    pub knowledge_bytes: usize,
    /// About what the relations that never change take.
    pub rigid_bytes: usize,
    /// How many of them are too large to be written out.
    pub deferred: usize,
    /// How many rules there are, each variant counted.
    pub rules: usize,
    /// How many of them run without tables.
    pub bare: usize,
    /// Whether rules are held to what is looked for.
    pub restricted: bool,
}
