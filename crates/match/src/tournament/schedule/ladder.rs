//! Players stand on a ladder, in the order of the file, and challenge the one above.
//!
//! In odd rounds the second place challenges the first, the fourth the third, and so on; in even
//! rounds the third place challenges the second, the fifth the fourth. A challenger with more
//! points changes places with whom it challenged; after a tie all stays as it is. As many rounds as
//! there are players are enough to sort them if the better one always wins (odd-even transposition
//! sort).

use super::{Pairing, Round};
use crate::tournament::plan::TournamentPlan;

pub(super) fn next(plan: &TournamentPlan, rounds: &[Round]) -> Option<Round> {
    let number = rounds.len() as u32 + 1;
    if number > plan.rounds {
        return None;
    }
    let places = places(plan.players.len(), rounds);
    let first = usize::from(number.is_multiple_of(2));
    let pairs = places[first..].chunks_exact(2);
    let encounters: Vec<Pairing> = pairs.map(|pair| Pairing::new(pair[0], pair[1])).collect();
    Some(Round {
        number,
        encounters,
        byes: Vec::new(),
    })
}

/// The players from the top of the ladder to its foot. The first of an encounter is the one above.
pub(in crate::tournament) fn places(players: usize, rounds: &[Round]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..players).collect();
    for encounter in rounds.iter().flat_map(|round| &round.encounters) {
        let Some(points) = encounter.points else {
            continue;
        };
        if points.is_tied() || points.is_won_by_a() {
            continue;
        }
        let above = places.iter().position(|p| *p == encounter.a);
        let below = places.iter().position(|p| *p == encounter.b);
        if let (Some(above), Some(below)) = (above, below) {
            places.swap(above, below);
        }
    }
    places
}
