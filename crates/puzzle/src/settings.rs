//! What can be set about the search of puzzles.

use ludorum_player::OptionValues;

/// What is known of a move: section 4.2.1 of the thesis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SelectionValue {
    /// The best value of a line through it (Equation 4.1).
    Max,
    /// The mean (Equation 2.1).
    Mean,
}

/// How playouts of the tree choose moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PlayoutMode {
    /// One of the six variants of Exploration, or at random.
    Mixed,
    /// One of the six variants.
    Explore,
    /// At random.
    Random,
}

/// How positions come by in several ways are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TranspositionKind {
    /// By Zobrist keys.
    Zobrist,
    /// By the nested tables of section 4.2.3.
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

/// The options of `solo`, read.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) exploration: f64,
    pub(crate) score: SelectionValue,
    pub(crate) playouts: PlayoutMode,
    pub(crate) table: TranspositionKind,
    pub(crate) uses: TechniqueSelection,
    /// The most playouts and positions; 0 for no bound.
    pub(crate) simulations: u64,
    /// A playout is cut after so many steps.
    pub(crate) max_steps: usize,
    /// The most bytes of everything that is kept.
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
