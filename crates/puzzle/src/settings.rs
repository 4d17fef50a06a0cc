//! Settings of the puzzle search, read from options.

use ludorum_player::OptionValues;

/// The value of a move in the UCT formula (Świechowski 2015, section 4.2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SelectionValue {
    /// The best value of a line through it (equation 4.1).
    Max,
    /// The mean (equation 2.1).
    Mean,
}

/// How playouts of the tree choose moves (Świechowski 2015, section 4.2.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PlayoutMode {
    /// One of the six Exploration variants of table 4.1, or at random.
    Mixed,
    /// One of the six Exploration variants.
    Explore,
    /// At random.
    Random,
}

/// How the tree recognises transpositions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TranspositionKind {
    /// By Zobrist keys (Zobrist 1970).
    Zobrist,
    /// By the nested tables of Świechowski 2015, section 4.2.3.
    Nested,
    /// Not at all.
    Off,
}

/// Which techniques are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TechniqueSelection {
    /// All of them.
    All,
    /// Only this one.
    Only(crate::best_line::SolveMethod),
}

/// The settings of `solo`.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// The exploration constant C of equation 4.1.
    pub(crate) exploration: f64,
    pub(crate) score: SelectionValue,
    pub(crate) playouts: PlayoutMode,
    pub(crate) table: TranspositionKind,
    pub(crate) uses: TechniqueSelection,
    /// Maximal number of playouts and positions; 0 for no limit.
    pub(crate) simulations: u64,
    /// Maximal length of a playout.
    pub(crate) max_steps: usize,
    /// Maximal bytes of everything that is kept.
    pub(crate) bytes: usize,
    pub(crate) threads: usize,
    pub(crate) seed: u64,
}

impl Settings {
    pub(crate) fn new(options: &OptionValues) -> Self {
        use crate::best_line::SolveMethod;
        let count = |name| usize::try_from(options.count(name)).unwrap_or(usize::MAX);
        Self {
            exploration: options.number("c"),
            score: match options.word("score") {
                "mean" => SelectionValue::Mean,
                _ => SelectionValue::Max,
            },
            playouts: match options.word("playouts") {
                "explore" => PlayoutMode::Explore,
                "random" => PlayoutMode::Random,
                _ => PlayoutMode::Mixed,
            },
            table: match options.word("table") {
                "nested" => TranspositionKind::Nested,
                "off" => TranspositionKind::Off,
                _ => TranspositionKind::Zobrist,
            },
            uses: match options.word("uses") {
                "factors" => TechniqueSelection::Only(SolveMethod::Factors),
                "breadth" => TechniqueSelection::Only(SolveMethod::Breadth),
                "depth" => TechniqueSelection::Only(SolveMethod::Depth),
                "tree" => TechniqueSelection::Only(SolveMethod::Tree),
                "nested" => TechniqueSelection::Only(SolveMethod::Nested),
                _ => TechniqueSelection::All,
            },
            simulations: options.count("simulations"),
            max_steps: count("limit"),
            bytes: count("memory").saturating_mul(1 << 20),
            threads: count("threads").max(1),
            seed: options.count("seed"),
        }
    }
}
