//! Settings: a switch for each optional optimisation, and the memory limit.

/// How rows are looked up in a rowset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RowLookup {
    /// Linear search, without preparation.
    Scan,
    /// The first and last row of every symbol in every column (Świechowski 2015, section B.1).
    Spans,
    /// Hash chains for every combination of columns that is looked up.
    HashChains,
}

/// The settings of the interpreter. All optimisations are on by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(clippy::struct_excessive_bools)] // independent switches
pub struct OrandSettings {
    /// Filters: prove only what the requesting rule can use (Świechowski 2015, section 6.5).
    pub filters: bool,
    /// Row lookup (section B.1).
    pub row_lookup: RowLookup,
    /// Remove filters that do not pay after 200 visits, and restore them where they are missed
    /// (section B.2). Świechowski 2015 removes filters that never filtered out a row; here total
    /// work decides.
    pub remove_filters: bool,
    /// Linear searches start at the last match (section B.3). Świechowski 2015 alternates upwards
    /// and downwards from there; here the search goes up and wraps around. It has no effect with
    /// hash chains.
    pub filtering_order: bool,
    /// Share the nodes of recurrent conditions instead of creating one for every path (section
    /// B.4). Without it, nodes are shared only beyond 4,000 unshared ones.
    pub table_recurrent: bool,
    /// Keep results until data they depend on changes (section B.5).
    pub reuse_results: bool,
    /// Take the results of a condition from a more general one if those exist (section B.5).
    /// Requires `reuse_results`.
    pub reuse_supersets: bool,
    /// Prove the common conditions of an `or`'s alternatives once (section 6.4.4).
    pub or_forks: bool,
    /// Join conditions on constant facts beforehand.
    pub join_facts: bool,
    /// Approximate maximum bytes of all rowsets. A query that needs more fails.
    pub max_bytes: usize,
}

impl Default for OrandSettings {
    fn default() -> Self {
        Self {
            filters: true,
            row_lookup: RowLookup::HashChains,
            remove_filters: true,
            filtering_order: true,
            table_recurrent: true,
            reuse_results: true,
            reuse_supersets: true,
            or_forks: true,
            join_facts: true,
            max_bytes: 1 << 30,
        }
    }
}
