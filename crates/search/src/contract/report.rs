//! What a player tells about its thoughts.

use serde::Serialize;

/// What was thought about a position.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Report {
    /// How many playouts were made for this move, or positions looked at by players that make none.
    pub simulations: u64,
    /// How long was thought.
    pub seconds: f64,
    /// The longest line from the position, in moves.
    pub depth: u32,
    /// Positions kept in memory.
    pub nodes: u64,
    /// The memory they take, in bytes.
    pub bytes: u64,
    /// The role's moves, the best first; players that compare none leave this empty.
    pub moves: Vec<MoveReport>,
    /// Moves that are missing there because an answer was due before all of thousands were named.
    #[serde(skip_serializing_if = "Untold::is_nothing")]
    pub untold: Untold,
    /// For each role what it can expect, 0 to 100.
    pub values: Vec<f64>,
    /// What is likely to be played, a text for each role in each step.
    pub line: Vec<Vec<String>>,
    /// Whether the move is known to be as good as any.
    pub proven: bool,
    /// Whether it was the only legal move.
    pub forced: bool,
    /// What each strategy of playing has earned for each role since the match began, for players
    /// that have several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub strategies: Vec<StrategyReport>,
    /// Why the move was not thought about, if it was not.
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

/// Moves that a report leaves out: the least promising.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Untold {
    /// How many there are.
    pub moves: u64,
    /// How often the search went through them.
    pub visits: u64,
}

impl Untold {
    #[allow(clippy::trivially_copy_pass_by_ref)] // for serde
    fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

/// What a strategy of playing has earned for a role: the role followed it in simulations, whatever
/// the others followed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StrategyReport {
    /// The role.
    pub role: String,
    /// The strategy.
    pub strategy: &'static str,
    /// In how many simulations the role followed it.
    pub simulations: u64,
    /// The part of all simulations that these are, 0 to 1.
    pub share: f64,
    /// What the role got in them on average, 0 to 100.
    pub value: f64,
}

/// What was found out about a move.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MoveReport {
    /// The move in KIF.
    pub text: String,
    /// How often the search went through it. Where play soon ends that needs no playout, so these
    /// may be far more than the simulations.
    pub visits: u64,
    /// What the role can expect of it, 0 to 100; none if it was never tried.
    pub value: Option<f64>,
    /// The least and the most that the role can get with it, where that is proven to be less than
    /// everything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bounds: Option<(u8, u8)>,
    /// For each role what it can expect of it, 0 to 100; empty where the move alone does not tell
    /// what happens.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<f64>,
    /// What is likely to be played after it, a text for each role in each step; told for the best
    /// moves.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub line: Vec<Vec<String>>,
}
