//! Single elimination.
//!
//! Players are seeded in the order of the file: the first two can meet only in the final. With
//! fewer players than places in the first round, the first ones have a bye. A tied pairing is
//! replayed with other seeds up to `replays` times, and only the last attempt counts. If that is
//! tied too, the player that comes first in the file advances.

use super::{Pairing, Round};
use crate::tournament::plan::TournamentPlan;

pub(super) fn next(plan: &TournamentPlan, rounds: &[Round]) -> Option<Round> {
    let number = rounds.len() as u32 + 1;
    let places = match rounds.last() {
        None => bracket(plan.players.len()),
        Some(_) => survivors(plan.players.len(), rounds),
    };
    if places.len() < 2 {
        return None;
    }
    let mut encounters = Vec::new();
    let mut byes = Vec::new();
    for pair in places.chunks(2) {
        match *pair {
            [Some(a), Some(b)] => encounters.push(Pairing::new(a.min(b), a.max(b))),
            [Some(a), None] | [None, Some(a)] | [Some(a)] => byes.push(a),
            _ => {}
        }
    }
    Some(Round {
        number,
        encounters,
        byes,
    })
}

/// The first round of the bracket: in every group, the better half meets the worse half, best
/// against worst.
fn bracket(players: usize) -> Vec<Option<usize>> {
    let mut order = vec![0];
    while order.len() < players {
        let size = order.len() * 2;
        order = order.iter().flat_map(|p| [*p, size - 1 - p]).collect();
    }
    let place = |player: usize| (player < players).then_some(player);
    order.into_iter().map(place).collect()
}

/// The players that remain after the finished rounds, in the order of the bracket.
fn survivors(players: usize, rounds: &[Round]) -> Vec<Option<usize>> {
    let mut places = bracket(players);
    for round in rounds {
        let goes_on = |pair: &[Option<usize>]| match *pair {
            [Some(a), Some(b)] => {
                let (a, b) = (a.min(b), a.max(b));
                let met = round.encounters.iter().find(|e| (e.a, e.b) == (a, b));
                met.map(winner)
            }
            [Some(a), None] | [None, Some(a)] | [Some(a)] => Some(a),
            _ => None,
        };
        places = places.chunks(2).map(goes_on).collect();
    }
    places
}

/// The player with more points; after a tie, the first in the file.
pub(in crate::tournament) fn winner(encounter: &Pairing) -> usize {
    match encounter.points {
        Some(points) if !points.is_tied() && !points.is_won_by_a() => encounter.b,
        _ => encounter.a,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_two_best_players_are_in_different_halves() {
        let names = |n: usize| -> Vec<usize> { bracket(n).into_iter().flatten().collect() };
        assert_eq!(names(4), [0, 3, 1, 2]);
        assert_eq!(names(8), [0, 7, 3, 4, 1, 6, 2, 5]);
        assert_eq!(bracket(3), [Some(0), None, Some(1), Some(2)]);
    }
}
