//! How many role assignments a pairing plays.

use ludorum_players::role_assignment::assignment_count;

/// Role assignments of a game with too many roles to list all of them, complements included.
const RANDOM_ASSIGNMENTS: usize = 64;

/// The number of role assignments of a game: all in which both players have a role, up to
/// [`RANDOM_ASSIGNMENTS`] random halves in games of many roles.
pub(super) fn count(roles: usize) -> usize {
    assignment_count(roles).unwrap_or(RANDOM_ASSIGNMENTS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_games_play_all_assignments_and_large_ones_a_fixed_number() {
        assert_eq!([1, 2, 3, 31].map(count), [1, 2, 6, 64]);
    }
}
