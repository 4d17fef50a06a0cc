//! All players meet each other once in each round.

use super::{Pairing, Round};
use crate::tournament::plan::TournamentPlan;

pub(super) fn next(plan: &TournamentPlan, rounds: &[Round]) -> Option<Round> {
    let number = rounds.len() as u32 + 1;
    if number > plan.rounds {
        return None;
    }
    let players = plan.players.len();
    let pairs = (0..players).flat_map(|a| (a + 1..players).map(move |b| Pairing::new(a, b)));
    Some(Round {
        number,
        encounters: pairs.collect(),
        byes: Vec::new(),
    })
}
