//! What can be set about the search of puzzles.

use ludorum_player::OptionValues;

/// What is known of a move: section 4.2.1 of the thesis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Score {
    /// The best value of a line through it (Equation 4.1).
    Max,
    /// The mean (Equation 2.1).
    Mean,
}

/// How playouts of the tree choose moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Playouts {
    /// One of the six variants of Exploration, or at random.
    Mixed,
    /// One of the six variants.
    Explore,
    /// At random.
    Random,
}

/// How positions come by in several ways are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TableKind {
    /// By Zobrist keys.
    Zobrist,
    /// By the nested tables of section 4.2.3.
    Nested,
    /// Not at all.
    Off,
}

/// Which techniques are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// All of them.
    All,
    /// Only this one.
    Only(super::best::Method),
}

/// The options of `solo`, read.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub(super) c: f64,
    pub(super) score: Score,
    pub(super) playouts: Playouts,
    pub(super) table: TableKind,
    pub(super) uses: Use,
    /// The most playouts and positions; 0 for no bound.
    pub(super) simulations: u64,
    /// A playout is cut after so many steps.
    pub(super) limit: usize,
    /// The most bytes of everything that is kept.
    pub(super) bytes: usize,
    pub(super) threads: usize,
    pub(super) seed: u64,
}

impl Settings {
    pub(super) fn new(options: &OptionValues) -> Self {
        use super::best::Method;
        let count = |name| usize::try_from(options.count(name)).unwrap_or(usize::MAX);
        Self {
            c: options.number("c"),
            score: match options.word("score") {
                "mean" => Score::Mean,
                _ => Score::Max,
            },
            playouts: match options.word("playouts") {
                "explore" => Playouts::Explore,
                "random" => Playouts::Random,
                _ => Playouts::Mixed,
            },
            table: match options.word("table") {
                "nested" => TableKind::Nested,
                "off" => TableKind::Off,
                _ => TableKind::Zobrist,
            },
            uses: match options.word("uses") {
                "factors" => Use::Only(Method::Factors),
                "breadth" => Use::Only(Method::Breadth),
                "depth" => Use::Only(Method::Depth),
                "tree" => Use::Only(Method::Tree),
                "nested" => Use::Only(Method::Nested),
                _ => Use::All,
            },
            simulations: options.count("simulations"),
            limit: count("limit"),
            bytes: count("memory").saturating_mul(1 << 20),
            threads: count("threads").max(1),
            seed: options.count("seed"),
        }
    }
}
