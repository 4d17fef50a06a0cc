//! Results of the matches of a tournament: [`Results`].

use std::collections::BTreeMap;

use super::scheduled_match::ScheduledMatch;
use crate::record::MatchRecord;

/// Results by match id.
pub type Results = BTreeMap<String, MatchResult>;

/// The result of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchResult {
    /// Whether a terminal state was reached.
    pub completed: bool,
    /// The goal value of each role; none where it has none.
    pub goals: Vec<Option<u8>>,
    /// Roles that lost because of errors.
    pub forfeited: Vec<usize>,
    /// The number of errors of each role.
    pub errors: Vec<u32>,
}

impl MatchResult {
    /// The result of a match; none while it is running.
    pub fn of(record: &MatchRecord) -> Option<Self> {
        let outcome = record.outcome.as_ref()?;
        let mut errors = vec![0; record.roles.len()];
        let steps = record.steps.iter().flat_map(|step| &step.player_errors);
        for player_error in record.start_errors.iter().chain(steps) {
            if let Some(count) = errors.get_mut(player_error.role) {
                *count += 1;
            }
        }
        Some(Self {
            completed: outcome.completed,
            goals: outcome.goals.clone(),
            forfeited: outcome.forfeited.clone(),
            errors,
        })
    }

    /// The mean goal value of a player's roles, from 0 to 100; a missing value counts as 0.
    #[allow(clippy::cast_precision_loss)] // numbers of roles
    pub fn goal(&self, fixture: &ScheduledMatch, player: usize) -> f64 {
        let roles = fixture.role_players.iter().zip(&self.goals);
        let own = roles.filter(|(role_player, _)| **role_player == player);
        let (mut sum, mut count) = (0.0, 0.0);
        for (_, goal) in own {
            sum += f64::from(goal.unwrap_or(0));
            count += 1.0;
        }
        if count == 0.0 { 0.0 } else { sum / count }
    }

    /// Whether a player forfeited a role.
    pub fn has_forfeited(&self, fixture: &ScheduledMatch, player: usize) -> bool {
        let role_players = &fixture.role_players;
        self.forfeited
            .iter()
            .any(|role| role_players.get(*role) == Some(&player))
    }

    /// The number of errors of a player.
    pub fn errors_of(&self, fixture: &ScheduledMatch, player: usize) -> u32 {
        let roles = fixture.role_players.iter().zip(&self.errors);
        let own = roles.filter(|(role_player, _)| **role_player == player);
        own.map(|(_, errors)| *errors).sum()
    }

    /// The share of the points of the first of two players. A player that forfeits gets nothing; a
    /// match without an end is a draw.
    pub fn share(&self, fixture: &ScheduledMatch) -> f64 {
        let (a, b) = fixture.pair;
        match (
            self.has_forfeited(fixture, a),
            self.has_forfeited(fixture, b),
        ) {
            (true, false) => 0.0,
            (false, true) => 1.0,
            (false, false) if self.completed => share(self.goal(fixture, a), self.goal(fixture, b)),
            _ => 0.5,
        }
    }
}

/// The first player's share of two goal values: 1 for 100 to 0, 0.75 for 75 to 25, one half for any
/// draw including 0 to 0.
pub fn share(a: f64, b: f64) -> f64 {
    if a + b > 0.0 { a / (a + b) } else { 0.5 }
}
