//! Statistics of a grounding.

use std::time::Duration;

use serde::{Serialize, Serializer};

/// Serializes a duration as seconds.
pub(crate) fn seconds<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(time.as_secs_f64())
}

/// Statistics of one relation of the ground program.
#[derive(Clone, Debug, Serialize)]
pub struct RelationStats {
    /// Its name.
    pub name: String,
    /// Number of atoms.
    pub atoms: usize,
    /// Number of rules with such a head.
    pub rules: usize,
    /// Number of literals in these rules.
    pub literals: usize,
}

/// Statistics of evaluating one component of mutually dependent predicates.
#[derive(Clone, Debug, Serialize)]
pub struct ComponentStats {
    /// Names of its relations.
    pub relations: Vec<String>,
    /// Number of clauses, including helpers.
    pub rules: usize,
    /// Number of semi-naive rounds.
    pub rounds: u32,
    /// Number of atoms found.
    pub atoms: u64,
    /// Elapsed time.
    #[serde(serialize_with = "seconds")]
    pub time: Duration,
}

/// Elapsed time of each phase.
#[derive(Clone, Debug, Default, Serialize)]
pub struct PhaseTimes {
    /// Flattening the rules.
    #[serde(serialize_with = "seconds")]
    pub flatten: Duration,
    /// Computing rigid relations.
    #[serde(serialize_with = "seconds")]
    pub rigid: Duration,
    /// Finding possible atoms.
    #[serde(serialize_with = "seconds")]
    pub atoms: Duration,
    /// Instantiating the rules.
    #[serde(serialize_with = "seconds")]
    pub rules: Duration,
    /// Simplifying, numbering, finding components.
    #[serde(serialize_with = "seconds")]
    pub finish: Duration,
    /// Total time.
    #[serde(serialize_with = "seconds")]
    pub total: Duration,
}

/// Statistics of a grounding.
#[derive(Clone, Debug, Default, Serialize)]
pub struct GroundStats {
    /// Number of atoms of the program.
    pub atoms: usize,
    /// Number of ground rules of the program.
    pub rules: usize,
    /// Number of literals of these rules.
    pub literals: usize,
    /// Number of rows of rigid relations.
    pub rigid_rows: u64,
    /// Number of instances before simplification and deduplication.
    pub instances: u64,
    /// Number of helper relations.
    pub helpers: usize,
    /// Number of components with a positive cycle among ground atoms.
    pub cyclic_components: usize,
    /// Bytes of the grounder's tables at the end.
    pub table_bytes: u64,
    /// Bytes of the program.
    pub program_bytes: u64,
    /// By relation.
    pub relations: Vec<RelationStats>,
    /// By component of mutually dependent relations, in evaluation order.
    pub components: Vec<ComponentStats>,
    /// By phase.
    pub times: PhaseTimes,
}
