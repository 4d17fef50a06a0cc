//! Who takes which role when two players meet.

use ludorum_reasoner::Rng;

/// Up to so many roles all ways to mix two players are played; with more, random halves and their
/// opposites.
pub(super) const LISTED: usize = 10;

/// How many such halves there are, opposites included.
const DRAWN: usize = 64;

/// How many ways there are to give some roles to two players so that both have one (5.1 of
/// 'Optimizing Propositional Networks': of the 2^r assignments the two with one player only are
/// left out).
pub(super) fn ways(roles: usize) -> usize {
    match roles {
        0 | 1 => 1,
        roles if roles <= LISTED => (1 << roles) - 2,
        _ => DRAWN,
    }
}

/// Which roles the second of two players has in a way, by its number. A way and its opposite follow
/// each other.
pub(super) fn second_has(roles: usize, way: usize, seed: u64) -> Vec<bool> {
    let (pair, flip) = (way / 2, way % 2 == 1);
    let mut second: Vec<bool> = if roles <= LISTED {
        // The last role is always with the second here, so that no opposite comes twice.
        (0..roles).map(|role| (pair + 1) >> role & 1 == 0).collect()
    } else {
        let mut rng = Rng::new(seed.wrapping_add(pair as u64));
        let mut second = vec![true; roles];
        second[..roles / 2].fill(false);
        for last in (1..roles).rev() {
            second.swap(last, rng.below(last + 1));
        }
        second
    };
    if flip {
        for has in &mut second {
            *has = !*has;
        }
    }
    second
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_mixed_assignment_comes_exactly_once() {
        for roles in 2..=LISTED {
            let all: BTreeSet<Vec<bool>> = (0..ways(roles))
                .map(|way| second_has(roles, way, 1))
                .collect();
            assert_eq!(all.len(), (1 << roles) - 2);
            let mixed = |way: &Vec<bool>| way.contains(&true) && way.contains(&false);
            assert!(all.iter().all(mixed));
        }
    }

    #[test]
    fn with_two_roles_the_first_player_begins_with_the_first() {
        assert_eq!(second_has(2, 0, 1), [false, true]);
        assert_eq!(second_has(2, 1, 1), [true, false]);
    }

    #[test]
    fn with_many_roles_halves_are_drawn_and_then_swapped() {
        let (first, second) = (second_has(31, 0, 1), second_has(31, 1, 1));
        assert_eq!(first.iter().filter(|has| **has).count(), 16);
        assert!(first.iter().zip(&second).all(|(one, other)| one != other));
        assert_ne!(second_has(31, 2, 1), first);
        assert_eq!(ways(31), 64);
    }
}
