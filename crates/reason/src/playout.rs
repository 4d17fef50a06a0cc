//! Random games from a state to the end.

use crate::contract::{Goal, MoveId, ReasonError, Reasoner};
use crate::dice::Dice;

/// Why a playout stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum End {
    /// The game ended.
    Terminal,
    /// The step limit was reached first.
    Limit,
    /// A role had no legal move in a state that is not terminal: a fault of the sheet.
    Stuck,
}

/// What came out of a playout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Playout {
    /// The goal of each role in the last state.
    pub goals: Vec<Goal>,
    /// How many joint moves were made.
    pub steps: u32,
    /// Why it stopped.
    pub end: End,
}

/// A playout by the four questions alone; every engine can do this.
pub fn random<R: Reasoner>(
    reasoner: &mut R,
    state: &R::State,
    dice: &mut Dice,
    limit: u32,
) -> Result<Playout, ReasonError> {
    let roles = reasoner.roles().len();
    let mut state = state.clone();
    let mut legal: Vec<MoveId> = Vec::new();
    let mut joint: Vec<MoveId> = Vec::with_capacity(roles);
    let mut steps = 0;
    let end = 'game: loop {
        if reasoner.is_terminal(&state)? {
            break End::Terminal;
        }
        if steps >= limit {
            break End::Limit;
        }
        joint.clear();
        for role in 0..roles {
            reasoner.legal_moves(&state, role, &mut legal)?;
            if legal.is_empty() {
                break 'game End::Stuck;
            }
            joint.push(legal[dice.below(legal.len())]);
        }
        state = reasoner.next(&state, &joint)?;
        steps += 1;
    };
    let goals = (0..roles)
        .map(|role| reasoner.goal(&state, role))
        .collect::<Result<_, _>>()?;
    Ok(Playout { goals, steps, end })
}
