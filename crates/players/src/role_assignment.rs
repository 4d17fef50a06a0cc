//! Which of two sides plays which roles in which match of a series.
//!
//! Sironi and Winands 2016, section 5.1: of the 2^r assignments of r roles to two sides, all but
//! the two that give every role to one side.

use ludorum_reasoner::Rng;

/// Up to this many roles all mixed assignments are played; with more roles, random halves and their
/// complements.
const MAX_LISTED_ROLES: usize = 10;

/// How many mixed assignments there are; none for more than [`MAX_LISTED_ROLES`] roles, where any
/// number of halves can be drawn. A game of one role has one assignment: each side plays it alone.
pub fn assignment_count(roles: usize) -> Option<usize> {
    match roles {
        0 | 1 => Some(1),
        roles if roles <= MAX_LISTED_ROLES => Some((1 << roles) - 2),
        _ => None,
    }
}

/// Whether the second side plays each role in a match of a series, by the number of the match. An
/// assignment and its complement follow each other; listed assignments repeat after
/// [`assignment_count`] matches, random halves depend on the seed.
pub fn second_side_roles(roles: usize, number: usize, seed: u64) -> Vec<bool> {
    let (pair, is_complement) = (number / 2, number % 2 == 1);
    let mut second: Vec<bool> = match assignment_count(roles) {
        Some(count) => {
            // The last role belongs to the second side here, so no complement comes twice.
            let bits = pair % (count / 2).max(1) + 1;
            (0..roles).map(|role| bits >> role & 1 == 0).collect()
        }
        None => random_half(roles, seed.wrapping_add(pair as u64)),
    };
    if is_complement {
        for is_second in &mut second {
            *is_second = !*is_second;
        }
    }
    second
}

/// A random half of the roles for the first side.
fn random_half(roles: usize, seed: u64) -> Vec<bool> {
    let mut rng = Rng::new(seed);
    let mut second = vec![true; roles];
    second[..roles / 2].fill(false);
    for last in (1..roles).rev() {
        second.swap(last, rng.below(last + 1));
    }
    second
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_mixed_assignment_comes_exactly_once_in_a_round() {
        for roles in 2..=MAX_LISTED_ROLES {
            let count = assignment_count(roles).unwrap();
            let all: BTreeSet<Vec<bool>> = (0..count)
                .map(|number| second_side_roles(roles, number, 1))
                .collect();
            assert_eq!(all.len(), (1 << roles) - 2);
            let is_mixed = |second: &Vec<bool>| second.contains(&true) && second.contains(&false);
            assert!(all.iter().all(is_mixed));
            let again = second_side_roles(roles, count, 1);
            assert_eq!(again, second_side_roles(roles, 0, 1));
        }
    }

    #[test]
    fn with_two_roles_the_first_side_begins_with_the_first_role() {
        assert_eq!(second_side_roles(2, 0, 1), [false, true]);
        assert_eq!(second_side_roles(2, 1, 1), [true, false]);
    }

    #[test]
    fn with_many_roles_random_halves_and_their_complements_are_played() {
        let at = |number| second_side_roles(31, number, 1);
        assert_eq!(at(0).iter().filter(|second| **second).count(), 16);
        assert!(at(0).iter().zip(&at(1)).all(|(one, other)| one != other));
        assert_ne!(at(2), at(0));
        assert_eq!(assignment_count(31), None);
    }
}
