//! The optional optimisations, each with a switch, and the bound on memory.

/// How rows with given symbols are found in a rowset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RowLookup {
    /// Nothing is prepared: rows are looked through one by one.
    Scan,
    /// The first and the last row of every symbol in every column (appendix B.1 of the thesis).
    Spans,
    /// Hash chains for every combination of columns that is asked for.
    HashChains,
}

/// The switches of the interpreter. The default has everything on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(clippy::struct_excessive_bools)] // switches
pub struct OrandSettings {
    /// Restrict what is computed for a condition to what its rule can use (section 6.5).
    pub filters: bool,
    /// How rows are found (B.1).
    pub row_lookup: RowLookup,
    /// Stop using filters that turn out not to pay after 200 visits, and use them again where they
    /// are missed (B.2). The thesis asks whether a filter has taken anything away; here it is asked
    /// which way takes less work.
    pub remove_filters: bool,
    /// Start looking where the last row was found, when rows are looked through one by one (B.3).
    /// The thesis looks up and down from there in turns; here the search goes up and around. Hash
    /// chains leave nothing to look through.
    pub filtering_order: bool,
    /// Share the nodes of recurrent conditions instead of making one for every path (B.4). Without
    /// it there are up to 4,000 nodes for single paths, and beyond that they are shared all the
    /// same.
    pub table_recurrent: bool,
    /// Keep results as long as nothing they depend on changes (B.5).
    pub reuse_results: bool,
    /// Take the results of a condition from those of a more general one if they are there (B.5);
    /// only where results are kept.
    pub reuse_supersets: bool,
    /// Prove the common part of an `or`'s alternatives once (section 6.4.4).
    pub or_forks: bool,
    /// Join conditions on facts beforehand.
    pub join_facts: bool,
    /// The most bytes that all sets of rows may take together, about. A question that needs more
    /// ends with an error.
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
