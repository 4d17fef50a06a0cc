//! Who takes which role in which game.

use ludorum_reasoner::Rng;

use super::Side;

/// Up to so many roles all ways to mix the sides are played; with more, random ones and their
/// opposites.
const LISTED: usize = 10;

/// The order in which the ways to give roles to sides come.
#[derive(Debug)]
pub(super) struct Plan {
    roles: usize,
    seed: u64,
}

impl Plan {
    pub(super) fn new(roles: usize, seed: u64) -> Self {
        Self { roles, seed }
    }

    /// How many games it takes until every way has come once: all that give both sides a role (5.1
    /// of 'Optimizing Propositional Networks').
    pub(super) fn round(&self) -> usize {
        match self.roles {
            0 | 1 => 1,
            roles if roles <= LISTED => (1 << roles) - 2,
            _ => 2,
        }
    }

    /// The least number of games in whole rounds.
    pub(super) fn games(&self, wanted: usize) -> usize {
        let rounds = wanted.max(1).div_ceil(self.round());
        rounds.saturating_mul(self.round())
    }

    /// Who plays each role in a game; none where there is one role, which both sides play alone.
    pub(super) fn sides(&self, number: usize) -> Option<Vec<Side>> {
        if self.roles < 2 {
            return None;
        }
        // A way and its opposite follow each other.
        let (pair, flip) = (number / 2, number % 2 == 1);
        let mut sides: Vec<Side> = if self.roles <= LISTED {
            let way = pair % (self.round() / 2) + 1;
            // The last role is always with B here, so that no opposite comes twice.
            let roles = 0..self.roles;
            roles
                .map(|role| {
                    if way >> role & 1 == 1 {
                        Side::A
                    } else {
                        Side::B
                    }
                })
                .collect()
        } else {
            self.drawn(pair)
        };
        if flip {
            for side in &mut sides {
                *side = match side {
                    Side::A => Side::B,
                    Side::B => Side::A,
                };
            }
        }
        Some(sides)
    }

    /// Half of the roles, drawn by lot.
    fn drawn(&self, pair: usize) -> Vec<Side> {
        let mut rng = Rng::new(self.seed.wrapping_add(pair as u64));
        let mut sides = vec![Side::B; self.roles];
        sides[..self.roles / 2].fill(Side::A);
        for last in (1..self.roles).rev() {
            sides.swap(last, rng.below(last + 1));
        }
        sides
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

    fn text(sides: &[Side]) -> String {
        let letter = |side: &Side| if *side == Side::A { 'A' } else { 'B' };
        sides.iter().map(letter).collect()
    }

    #[test]
    fn every_mixed_assignment_comes_once_in_a_round() {
        for roles in 2..=6 {
            let plan = Plan::new(roles, 1);
            let round: BTreeSet<String> = (0..plan.round())
                .map(|number| text(&plan.sides(number).unwrap()))
                .collect();
            assert_eq!(round.len(), (1 << roles) - 2);
            assert!(
                round
                    .iter()
                    .all(|way| way.contains('A') && way.contains('B'))
            );
            assert_eq!(plan.sides(0), plan.sides(plan.round()));
        }
    }

    #[test]
    fn games_come_in_whole_rounds() {
        assert_eq!(Plan::new(1, 1).games(7), 7);
        assert_eq!(Plan::new(2, 1).games(7), 8);
        assert_eq!(Plan::new(3, 1).games(7), 12);
        assert_eq!(Plan::new(2, 1).games(0), 2);
    }

    #[test]
    fn with_many_roles_half_of_them_are_drawn_and_then_swapped() {
        let plan = Plan::new(30, 1);
        let (first, second) = (plan.sides(0).unwrap(), plan.sides(1).unwrap());
        assert_eq!(first.iter().filter(|side| **side == Side::A).count(), 15);
        assert!(first.iter().zip(&second).all(|(one, other)| one != other));
        assert_ne!(plan.sides(2).unwrap(), first);
    }

    #[test]
    fn every_player_of_every_game_has_a_seed_of_its_own() {
        let plan = Plan::new(2, 1);
        let seeds: BTreeSet<u64> = (0..100)
            .flat_map(|number| [plan.seed(number, 0), plan.seed(number, 1)])
            .collect();
        assert_eq!(seeds.len(), 200);
    }
}
