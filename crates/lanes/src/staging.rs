//! Staged games: one step of the original game is made in several steps, the *stages*.
//!
//! In the first stage, the *draw*, every role draws a candidate for a part of its move, from a
//! superset of what is legal. In the other stages the full conditions are evaluated for this
//! candidate only, and the role plays the rest of the move, or `fail`. If no role fails, the step of
//! the original game is made. Otherwise the state stays what it was, and the lane draws again
//! (rejection sampling). That is worth while where the legal moves are many and their conditions
//! costly.

use std::error::Error;
use std::fmt;

use ludorum_propnet::circuit::{ALWAYS, Circuit, Edge, NEVER};
use ludorum_propnet::network::Network;
use ludorum_propnet::pass::specialise::specialise;

/// How often a step that can be made in one way only is expected to be drawn before a lane is taken
/// to have none: missing it that often has a probability of e^-40.
const EXPECTED_DRAWS: u64 = 40;
/// The least number of draws without a step after which playouts are abandoned.
const MIN_DRAWS: u64 = 1 << 10;
/// The largest number of these draws. Where fewer are accepted, playing in stages does not pay.
const MAX_DRAWS: u64 = 1 << 17;

/// How playouts of a staged game are made.
///
/// The game has to keep what is written here, which is not checked unless it says so:
/// - Exactly one of the stages holds in every state, and each is followed by the next one, whatever
///   is played ([checked](StagingError)).
/// - No state of a stage that tests candidates is terminal, and in these every role has a legal
///   move.
/// - `moved` holds in a state if the step of the original game was made in the stage before it, and
///   only then.
/// - The bounds are right. Playouts are not uniform otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Staging {
    /// The fluents of the stages, in the order in which they follow each other. Starts are states of
    /// the first.
    pub stages: Vec<u32>,
    /// The fluent that holds after a stage in which the step of the original game was made.
    pub moved: u32,
    /// The bounded draws, at most one for each role.
    pub draws: Vec<BoundedDraw>,
    /// The number of draws without a step after which a lane is taken to be in a state in which no
    /// candidate is ever accepted. Playouts are abandoned then. If `None`, it is estimated from the
    /// number of candidates of all roles together, which is too large where roles take turns.
    pub max_draws: Option<u32>,
}

/// A draw of a role among a fixed number of slots, so that all its moves are equally likely,
/// however many are legal: wherever `fail` is legal, each other legal move has the probability
/// 1 / `bound`. Where it is not, because the role waits for others, say, the role draws among its
/// legal moves as in any game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoundedDraw {
    /// The role.
    pub role: usize,
    /// The move that makes the step fail, numbered within the role.
    pub fail: u32,
    /// The number of slots: where `fail` is legal, at most this many other moves are. The caller has
    /// proved that.
    pub bound: u32,
}

/// Why a game cannot be played in stages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StagingError {
    /// There are fewer than two stages, or a stage occurs twice.
    NoCycle,
    /// A fluent, role or move does not exist, a role has several draws, or a draw has no slot.
    OutOfRange(String),
    /// The stage with this index is not followed by the next one in every state.
    UncertainStage(usize),
}

impl fmt::Display for StagingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoCycle => write!(f, "a staged game needs at least two different stages"),
            Self::OutOfRange(what) => write!(f, "the description of the stages has {what}"),
            Self::UncertainStage(stage) => write!(
                f,
                "stage {stage} is not followed by the next stage whatever is played"
            ),
        }
    }
}

impl Error for StagingError {}

/// A staged game with the circuit of each stage.
#[derive(Clone, Debug)]
pub(super) struct StagedGame {
    pub(super) staging: Staging,
    pub(super) circuits: Vec<Circuit>,
}

impl StagedGame {
    /// Specialises a network by stage, and checks what can be checked.
    pub(super) fn new(network: &Network, staging: &Staging) -> Result<Self, StagingError> {
        check_ranges(network, staging)?;
        let stages = &staging.stages;
        let specialised = |stage: usize| {
            let fluents = stages.iter().enumerate();
            let values: Vec<(u32, bool)> =
                fluents.map(|(i, fluent)| (*fluent, i == stage)).collect();
            Circuit::new(&specialise(network, &values))
        };
        let circuits: Vec<Circuit> = (0..stages.len()).map(specialised).collect();
        for (stage, circuit) in circuits.iter().enumerate() {
            let next = (stage + 1) % stages.len();
            let is_certain = |(i, fluent): (usize, &u32)| {
                let value: Edge = if i == next { ALWAYS } else { NEVER };
                circuit.next[*fluent as usize] == value
            };
            if !stages.iter().enumerate().all(is_certain) {
                return Err(StagingError::UncertainStage(stage));
            }
        }
        Ok(Self {
            staging: staging.clone(),
            circuits,
        })
    }

    /// The bounded draw of a role.
    pub(super) fn draw_of(&self, role: usize) -> Option<BoundedDraw> {
        let draws = self.staging.draws.iter();
        draws.copied().find(|draw| draw.role == role)
    }

    /// The number of draws without a step after which playouts are abandoned.
    pub(super) fn max_draws(&self) -> u64 {
        let wanted = self.staging.max_draws.map(u64::from);
        wanted.unwrap_or_else(|| {
            let draws = self.combinations().saturating_mul(EXPECTED_DRAWS);
            draws.clamp(MIN_DRAWS, MAX_DRAWS)
        })
    }

    /// The number of combinations of candidates and slots: on average the number of draws before a
    /// step that can be made in one way only.
    fn combinations(&self) -> u64 {
        let candidates = &self.circuits[0];
        let roles = candidates.role_moves.iter().enumerate();
        roles.fold(1, |product: u64, (role, moves)| {
            let possible = candidates.legal[moves.clone()].iter();
            let possible = possible.filter(|edge| **edge != NEVER).count() as u64;
            let slots = self.draw_of(role).map_or(1, |draw| u64::from(draw.bound));
            product.saturating_mul(possible.max(1).saturating_mul(slots))
        })
    }
}

/// Checks that everything that a description names exists.
fn check_ranges(network: &Network, staging: &Staging) -> Result<(), StagingError> {
    let game = &network.game;
    let mut stages = staging.stages.clone();
    stages.sort_unstable();
    stages.dedup();
    if stages.len() < 2 || stages.len() < staging.stages.len() {
        return Err(StagingError::NoCycle);
    }
    let fluents = stages.iter().chain([&staging.moved]);
    if let Some(fluent) = fluents
        .max()
        .filter(|most| **most as usize >= game.fluents.len())
    {
        return Err(StagingError::OutOfRange(format!("no fluent {fluent}")));
    }
    let mut drawn = vec![false; game.roles.len()];
    for BoundedDraw { role, fail, bound } in &staging.draws {
        let wrong = match drawn.get_mut(*role) {
            None => "an unknown role",
            Some(true) => "several draws of a role",
            Some(_) if *fail as usize >= game.moves_of(*role).len() => "an unknown move",
            Some(_) if *bound == 0 => "a draw without a slot",
            Some(drawn) => {
                *drawn = true;
                continue;
            }
        };
        return Err(StagingError::OutOfRange(wrong.to_owned()));
    }
    Ok(())
}
