//! A ladder in the order of the file, on which players challenge the one above them.
//!
//! In odd rounds the second place challenges the first, the fourth the third, and so on; in even
//! rounds the third challenges the second, the fifth the fourth. A challenger with more points
//! swaps places; a tie changes nothing. If the better player always wins, as many rounds as players
//! sort the ladder (odd-even transposition sort).

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

/// The players from the top of the ladder to its bottom. The first of a pairing is the one above.
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
