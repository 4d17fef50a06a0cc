//! The report of a search, with moves as text.

use serde::Serialize;

/// What a search found out about a position.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Report {
    /// Playouts made for this move, or positions visited by searchers that make none.
    pub simulations: u64,
    /// The duration of the search.
    pub seconds: f64,
    /// The length of the longest line searched, in moves.
    pub depth: u32,
    /// Positions kept in memory.
    pub nodes: u64,
    /// The memory they take, in bytes.
    pub bytes: u64,
    /// The moves of the role, the best first; empty for players that compare none.
    pub moves: Vec<MoveReport>,
    /// Moves left out, because the answer was due before thousands of them were printed.
    #[serde(skip_serializing_if = "OmittedMoves::is_none")]
    pub omitted: OmittedMoves,
    /// The expected goal of each role, 0 to 100.
    pub values: Vec<f64>,
    /// The principal variation, a text for each role in each step.
    pub line: Vec<Vec<String>>,
    /// Whether no move is better.
    pub proven: bool,
    /// Whether it was the only legal move.
    pub forced: bool,
    /// The statistics of each simulation strategy for each role since the match began, for players
    /// that have several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub strategies: Vec<StrategyReport>,
    /// Why the move was not searched, if it was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
}

impl Report {
    /// Simulations per second; 0 if no time was taken.
    #[allow(clippy::cast_precision_loss)] // a rate for people
    pub fn rate(&self) -> f64 {
        if self.seconds > 0.0 {
            self.simulations as f64 / self.seconds
        } else {
            0.0
        }
    }
}

/// The least promising moves, which a report leaves out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct OmittedMoves {
    /// How many there are.
    pub moves: u64,
    /// The sum of their visits.
    pub visits: u64,
}

impl OmittedMoves {
    #[allow(clippy::trivially_copy_pass_by_ref)] // for serde
    fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

/// The statistics of a simulation strategy for a role: all simulations in which the role followed
/// it, whatever the other roles followed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StrategyReport {
    /// The role.
    pub role: String,
    /// The strategy.
    pub strategy: &'static str,
    /// How many simulations followed it.
    pub simulations: u64,
    /// Their share of all simulations, 0 to 1.
    pub share: f64,
    /// The mean goal of the role in them, 0 to 100.
    pub value: f64,
}

/// What a search found out about a move.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MoveReport {
    /// The move in KIF.
    pub text: String,
    /// How many times the search went through it. Terminal states inside the tree need no playout,
    /// so the visits may exceed the simulations.
    pub visits: u64,
    /// The expected goal of the role, 0 to 100; none if the move was never tried.
    pub value: Option<f64>,
    /// Proven bounds of the role's goal, where they are narrower than 0 to 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bounds: Option<(u8, u8)>,
    /// The expected goal of each role, 0 to 100; empty where the move alone does not determine the
    /// next state.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<f64>,
    /// The principal variation after the move, a text for each role in each step; given for the
    /// best moves.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub line: Vec<Vec<String>>,
}
