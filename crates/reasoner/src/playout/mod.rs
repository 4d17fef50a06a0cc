//! The types of playouts: games from a state to the end.
//!
//! Random playouts choose moves uniformly. The types of playouts under a policy are in `guided`.

mod guided;

pub use guided::{GuidedRequest, GuidedResult, MoveHistory, MovePair, MoveTotals, PlayoutPolicy};

use smallvec::SmallVec;

use crate::goal::Goal;
use crate::ids::{MoveId, Role};

/// Why a playout ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PlayoutEnd {
    /// The last state is terminal.
    Terminal,
    /// The step limit was reached.
    Limit,
    /// A role had no legal move in a state that is not terminal: an error of the rule sheet.
    Stuck,
}

/// The result of a playout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Playout {
    /// The goal of each role in the last state.
    pub goals: Vec<Goal>,
    /// The number of joint moves made.
    pub steps: u32,
    /// Why it ended.
    pub end: PlayoutEnd,
}

/// A playout with its moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayoutRecord {
    /// The joint moves, from the first step on.
    pub moves: Vec<Vec<MoveId>>,
    /// The result.
    pub playout: Playout,
}

/// A number for each role. Stored inline in games with up to two roles.
pub type PerRole = SmallVec<[u64; 2]>;

/// The results of many playouts from one state, summed up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlayoutTotals {
    /// The number of playouts.
    pub playouts: u64,
    /// The number of joint moves made.
    pub steps: u64,
    /// For each role the sum of its goal values.
    pub points: PerRole,
    /// For each role the number of playouts that gave it a goal value.
    pub scored: PerRole,
    /// The number of playouts that were cut at the step limit.
    pub limited: u64,
    /// The number of playouts that ended because a role had no legal move.
    pub stuck: u64,
}

impl PlayoutTotals {
    /// Totals of no playouts, for a game with so many roles.
    pub fn new(roles: usize) -> Self {
        Self {
            points: SmallVec::from_elem(0, roles),
            scored: SmallVec::from_elem(0, roles),
            ..Self::default()
        }
    }

    /// Adds a playout.
    pub fn add(&mut self, playout: &Playout) {
        self.add_times(playout, 1);
    }

    /// Adds a result that `times` playouts had.
    pub fn add_times(&mut self, playout: &Playout, times: u64) {
        self.playouts += times;
        self.steps += times * u64::from(playout.steps);
        for (role, goal) in playout.goals.iter().enumerate() {
            if let Some(value) = goal.value() {
                self.points[role] += times * u64::from(value);
                self.scored[role] += times;
            }
        }
        match playout.end {
            PlayoutEnd::Terminal => {}
            PlayoutEnd::Limit => self.limited += times,
            PlayoutEnd::Stuck => self.stuck += times,
        }
    }

    /// Adds other totals of the same game.
    pub fn merge(&mut self, other: &Self) {
        self.playouts += other.playouts;
        self.steps += other.steps;
        for (sum, more) in self.points.iter_mut().zip(&other.points) {
            *sum += more;
        }
        for (sum, more) in self.scored.iter_mut().zip(&other.scored) {
            *sum += more;
        }
        self.limited += other.limited;
        self.stuck += other.stuck;
    }

    /// The mean goal value of a role; `None` if no playout gave it one.
    #[allow(clippy::cast_precision_loss)] // sums far below 2^52
    pub fn mean(&self, role: Role) -> Option<f64> {
        match self.scored.get(role) {
            Some(0) | None => None,
            Some(scored) => Some(self.points[role] as f64 / *scored as f64),
        }
    }
}
