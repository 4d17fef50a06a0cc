//! What came of the matches of a tournament: [`Results`].

use std::collections::BTreeMap;

use super::scheduled_match::ScheduledMatch;
use crate::record::MatchRecord;

/// Results by the names of matches.
pub type Results = BTreeMap<String, MatchResult>;

/// What came of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchResult {
    /// Whether a terminal state was reached.
    pub completed: bool,
    /// The goal of each role; none where there is none.
    pub goals: Vec<Option<u8>>,
    /// The roles that lost because of their errors.
    pub forfeited: Vec<usize>,
    /// How many errors each role made.
    pub errors: Vec<u32>,
}

impl MatchResult {
    /// The result of a match; none if it is not over.
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

    /// The mean goal of a player's roles, from 0 to 100; a missing one counts nothing.
    #[allow(clippy::cast_precision_loss)] // numbers of roles
    pub fn goal(&self, fixture: &ScheduledMatch, player: usize) -> f64 {
        let roles = fixture.role_players.iter().zip(&self.goals);
        let own = roles.filter(|(seat, _)| **seat == player);
        let (mut sum, mut count) = (0.0, 0.0);
        for (_, goal) in own {
            sum += f64::from(goal.unwrap_or(0));
            count += 1.0;
        }
        if count == 0.0 { 0.0 } else { sum / count }
    }

    /// Whether a player lost a role because of its errors.
    pub fn has_forfeited(&self, fixture: &ScheduledMatch, player: usize) -> bool {
        let seats = &fixture.role_players;
        self.forfeited
            .iter()
            .any(|role| seats.get(*role) == Some(&player))
    }

    /// How many errors a player made.
    pub fn errors_of(&self, fixture: &ScheduledMatch, player: usize) -> u32 {
        let roles = fixture.role_players.iter().zip(&self.errors);
        let own = roles.filter(|(seat, _)| **seat == player);
        own.map(|(_, errors)| *errors).sum()
    }

    /// The share of the points that the first of two players takes. Who forfeits gets nothing; a
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

/// The first one's share of two goals: 1 for 100 to 0, 0.75 for 75 to 25, a half for any draw, 0 to
/// 0 included.
pub fn share(a: f64, b: f64) -> f64 {
    if a + b > 0.0 { a / (a + b) } else { 0.5 }
}
