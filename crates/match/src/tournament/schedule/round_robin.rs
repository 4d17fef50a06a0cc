//! Everybody meets everybody else once in each round.

use super::{Encounter, Round};
use crate::tournament::plan::Plan;

pub(super) fn next(plan: &Plan, rounds: &[Round]) -> Option<Round> {
    let number = rounds.len() as u32 + 1;
    if number > plan.rounds {
        return None;
    }
    let players = plan.players.len();
    let pairs = (0..players).flat_map(|a| (a + 1..players).map(move |b| Encounter::new(a, b)));
    Some(Round {
        number,
        encounters: pairs.collect(),
        byes: Vec::new(),
    })
}
