//! Outcomes: how a match ends, and which roles have forfeited.

use super::match_run::MatchRun;
use crate::record::Outcome;

impl MatchRun<'_> {
    /// Roles with too many errors and roles that resigned.
    pub(super) fn forfeited(&self) -> Vec<usize> {
        let most = self.setup.forfeit_after;
        // A limit of 0 counts as 1: a player without errors does not forfeit.
        let erred = |role: usize| most.is_some_and(|most| self.errors[role] >= most.max(1));
        let roles = 0..self.errors.len();
        roles
            .filter(|role| erred(*role) || self.resigned.contains(role))
            .collect()
    }

    /// The outcome, if the match is over.
    pub(super) fn outcome(&self) -> Option<Outcome> {
        let forfeited = self.forfeited();
        if self.view.is_terminal {
            let goals = self.view.goals.iter().enumerate();
            let goals = goals.map(|(role, goal)| {
                if forfeited.contains(&role) {
                    Some(0)
                } else {
                    *goal
                }
            });
            return Some(Outcome {
                completed: true,
                goals: goals.collect(),
                forfeited,
                reason: None,
            });
        }
        let roles = self.errors.len();
        let left = roles - forfeited.len();
        if !forfeited.is_empty() && left < 2 {
            // The last remaining role wins.
            let goals =
                (0..roles).map(|role| Some(if forfeited.contains(&role) { 0 } else { 100 }));
            return Some(Outcome {
                completed: false,
                goals: goals.collect(),
                reason: Some(self.forfeit_reason(&forfeited)),
                forfeited,
            });
        }
        if self.record.steps.len() >= self.setup.max_steps as usize {
            let most = super::count(self.setup.max_steps as usize, "step");
            return Some(self.ended_early(format!("no end after {most}")));
        }
        let stuck = self.view.legal.iter().position(Vec::is_empty);
        stuck.map(|role| {
            let role = &self.record.roles[role];
            self.ended_early(format!(
                "{role} has no legal move, and the game is not over"
            ))
        })
    }

    /// Why roles have forfeited, in words.
    fn forfeit_reason(&self, out: &[usize]) -> String {
        let names = |resigned: bool| -> Vec<&str> {
            let some = out
                .iter()
                .filter(|role| self.resigned.contains(role) == resigned);
            some.map(|role| self.record.roles[*role].as_str()).collect()
        };
        let said = [
            (names(true), "resigned"),
            (names(false), "made too many errors"),
        ];
        let said = said.iter().filter(|(names, _)| !names.is_empty());
        let said: Vec<String> = said
            .map(|(names, what)| format!("{} {what}", names.join(", ")))
            .collect();
        said.join(", and ")
    }

    /// An outcome without a result.
    pub(super) fn ended_early(&self, reason: String) -> Outcome {
        let forfeited = self.forfeited();
        let roles = 0..self.errors.len();
        Outcome {
            completed: false,
            goals: roles
                .map(|role| forfeited.contains(&role).then_some(0))
                .collect(),
            forfeited,
            reason: Some(reason),
        }
    }
}
