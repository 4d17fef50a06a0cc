//! What a searcher knows about a position. Moves are ids here; a report has them as text.

use ludorum_reasoner::{MoveId, Role};

/// The result of a search so far.
#[derive(Clone, Debug)]
pub struct SearchResult {
    /// The move that the searcher would play now.
    pub choice: MoveId,
    /// Whether the choice is an arbitrary legal move, because no simulation was finished.
    pub is_guess: bool,
    /// Playouts, or positions visited by searchers that make none.
    pub simulations: u64,
    /// The length of the longest line searched, in moves.
    pub depth: u32,
    /// Positions kept in memory.
    pub nodes: u64,
    /// The memory they take, in bytes.
    pub bytes: u64,
    /// The moves of the role, the best first; empty if the searcher compares none.
    pub moves: Vec<MoveResult>,
    /// The expected goal of each role, 0 to 100.
    pub values: Vec<f64>,
    /// The principal variation, as joint moves.
    pub line: Vec<Vec<MoveId>>,
    /// Whether no move is better than the choice.
    pub proven: bool,
    /// The statistics of each simulation strategy, for searchers that have several.
    pub strategies: Vec<StrategyResult>,
}

impl SearchResult {
    /// A result that consists of a move alone.
    pub fn of_move(choice: MoveId) -> Self {
        Self {
            choice,
            is_guess: false,
            simulations: 0,
            depth: 0,
            nodes: 0,
            bytes: 0,
            moves: Vec::new(),
            values: Vec::new(),
            line: Vec::new(),
            proven: false,
            strategies: Vec::new(),
        }
    }

    /// An arbitrary legal move, published before the first simulation.
    pub fn guess(choice: MoveId) -> Self {
        Self {
            is_guess: true,
            ..Self::of_move(choice)
        }
    }
}

/// The statistics of a simulation strategy for a role.
#[derive(Clone, Debug, PartialEq)]
pub struct StrategyResult {
    /// The role that followed the strategy.
    pub role: Role,
    /// The name of the strategy.
    pub strategy: &'static str,
    /// How many simulations followed it.
    pub simulations: u64,
    /// The sum of the role's goals in them, 0 to 100 each.
    pub points: f64,
}

/// The statistics of a move at the root.
#[derive(Clone, Debug, Default)]
pub struct MoveResult {
    /// The move.
    pub id: MoveId,
    /// How many simulations went through it.
    pub visits: u64,
    /// The expected goal of the role, 0 to 100.
    pub value: Option<f64>,
    /// Proven bounds of the role's goal.
    pub bounds: Option<(u8, u8)>,
    /// The expected goal of each role, 0 to 100; empty if unknown.
    pub values: Vec<f64>,
    /// The principal variation after the move, as joint moves.
    pub line: Vec<Vec<MoveId>>,
}
