//! The schedule of a duel: who plays which role in which game, and with which seed.

use ludorum_reasoner::Rng;

use super::Side;
use crate::role_assignment::{assignment_count, second_side_roles};

/// The games of a duel in rounds, in which both sides have the same roles equally often.
#[derive(Debug)]
pub(super) struct DuelSchedule {
    roles: usize,
    seed: u64,
}

impl DuelSchedule {
    pub(super) fn new(roles: usize, seed: u64) -> Self {
        Self { roles, seed }
    }

    /// The games of a round: all role assignments, or one and its complement where there are too
    /// many to list.
    pub(super) fn round(&self) -> usize {
        assignment_count(self.roles).unwrap_or(2)
    }

    /// The number of games, rounded up to whole rounds.
    pub(super) fn games(&self, wanted: usize) -> usize {
        let rounds = wanted.max(1).div_ceil(self.round());
        rounds.saturating_mul(self.round())
    }

    /// The side of each role in a game; none where there is one role, which both sides play alone.
    pub(super) fn sides(&self, number: usize) -> Option<Vec<Side>> {
        if self.roles < 2 {
            return None;
        }
        let second = second_side_roles(self.roles, number, self.seed);
        let side = |is_second| if is_second { Side::B } else { Side::A };
        Some(second.into_iter().map(side).collect())
    }

    /// The seed of a player in a game.
    pub(super) fn seed(&self, number: usize, player: usize) -> u64 {
        let mut rng = Rng::new(self.seed ^ (number as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let mut seed = rng.next_u64();
        for _ in 0..player {
            seed = rng.next_u64();
        }
        seed
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn games_come_in_whole_rounds() {
        assert_eq!(DuelSchedule::new(1, 1).games(7), 7);
        assert_eq!(DuelSchedule::new(2, 1).games(7), 8);
        assert_eq!(DuelSchedule::new(3, 1).games(7), 12);
        assert_eq!(DuelSchedule::new(2, 1).games(0), 2);
        assert_eq!(DuelSchedule::new(30, 1).games(3), 4);
    }

    #[test]
    fn the_first_side_begins_with_the_first_role() {
        assert_eq!(
            DuelSchedule::new(2, 1).sides(0).unwrap(),
            [Side::A, Side::B]
        );
        assert_eq!(DuelSchedule::new(1, 1).sides(0), None);
    }

    #[test]
    fn every_player_of_every_game_has_a_seed_of_its_own() {
        let schedule = DuelSchedule::new(2, 1);
        let seeds: BTreeSet<u64> = (0..100)
            .flat_map(|number| [schedule.seed(number, 0), schedule.seed(number, 1)])
            .collect();
        assert_eq!(seeds.len(), 200);
    }
}
