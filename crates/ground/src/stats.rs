//! Figures of a grounding, for people and for programs.

use std::time::Duration;

use serde::{Serialize, Serializer};

/// Writes a duration as seconds.
pub(crate) fn seconds<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(time.as_secs_f64())
}

/// Figures of one relation of the ground program.
#[derive(Clone, Debug, Serialize)]
pub struct RelationStats {
    /// Its name.
    pub name: String,
    /// Atoms.
    pub atoms: usize,
    /// Rules with such a head.
    pub rules: usize,
    /// Literals in these rules.
    pub literals: usize,
}

/// A component of mutually dependent predicates, as it was computed.
#[derive(Clone, Debug, Serialize)]
pub struct ComponentStats {
    /// The relations, as far as they have names of their own.
    pub relations: Vec<String>,
    /// Rules, helpers included.
    pub rules: usize,
    /// Rounds until nothing was new.
    pub rounds: u32,
    /// Atoms found.
    pub atoms: u64,
    /// Time taken.
    #[serde(serialize_with = "seconds")]
    pub time: Duration,
}

/// Time of each phase.
#[derive(Clone, Debug, Default, Serialize)]
pub struct PhaseTimes {
    /// Bringing rules into flat form.
    #[serde(serialize_with = "seconds")]
    pub flatten: Duration,
    /// Relations that never change.
    #[serde(serialize_with = "seconds")]
    pub rigid: Duration,
    /// Atoms that may ever hold.
    #[serde(serialize_with = "seconds")]
    pub atoms: Duration,
    /// Ground rules.
    #[serde(serialize_with = "seconds")]
    pub rules: Duration,
    /// Simplifying, numbering, components.
    #[serde(serialize_with = "seconds")]
    pub finish: Duration,
    /// All of it.
    #[serde(serialize_with = "seconds")]
    pub total: Duration,
}

/// Figures of a grounding.
#[derive(Clone, Debug, Default, Serialize)]
pub struct GroundStats {
    /// Atoms of the program.
    pub atoms: usize,
    /// Ground rules of the program.
    pub rules: usize,
    /// Literals in these rules.
    pub literals: usize,
    /// Rows of relations that never change.
    pub rigid_rows: u64,
    /// Instances made before duplicates and what never matters were dropped.
    pub instances: u64,
    /// Helper relations that rule splitting made.
    pub helpers: usize,
    /// Components with a positive cycle among ground atoms.
    pub cyclic_components: usize,
    /// Bytes of the grounder's tables at the end, and of the program.
    pub table_bytes: u64,
    /// Bytes of the program.
    pub program_bytes: u64,
    /// By relation.
    pub relations: Vec<RelationStats>,
    /// By component of mutually dependent relations, in the order they were computed.
    pub components: Vec<ComponentStats>,
    /// By phase.
    pub times: PhaseTimes,
}
