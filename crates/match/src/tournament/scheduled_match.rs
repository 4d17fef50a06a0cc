//! A match of a tournament before it is played: [`ScheduledMatch`].

use ludorum_players::role_assignment::second_side_roles;

use super::assignment;
use super::hash::fingerprint;
use super::plan::TournamentPlan;
use crate::setup::MatchSetup;

/// A match in a schedule. Its id and seed depend only on the name and seed of the tournament and
/// its place in the schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScheduledMatch {
    /// The round, from 1.
    pub round: u32,
    /// The index of the game in the plan.
    pub game: usize,
    /// The indices of both players in the plan; twice the same for a puzzle, which is played alone.
    pub pair: (usize, usize),
    /// Its number among the matches of this pair in this game and round, from 0.
    pub number: usize,
    /// The index of the player of each role.
    pub role_players: Vec<usize>,
    /// The match id.
    pub id: String,
}

impl ScheduledMatch {
    /// A match of two players.
    pub(super) fn mixed(
        plan: &TournamentPlan,
        round: u32,
        game: usize,
        pair: (usize, usize),
        number: usize,
    ) -> Self {
        let roles = plan.games[game].roles.len();
        let number_in_round = number % assignment::count(roles);
        let second = second_side_roles(roles, number_in_round, plan.seed);
        let role_player = |is_second: bool| if is_second { pair.1 } else { pair.0 };
        Self {
            round,
            game,
            pair,
            number,
            role_players: second.into_iter().map(role_player).collect(),
            id: id(
                plan,
                round,
                game,
                &format!("{}-{}", pair.0 + 1, pair.1 + 1),
                number,
            ),
        }
    }

    /// A match of one player alone.
    pub(super) fn alone(
        plan: &TournamentPlan,
        round: u32,
        game: usize,
        player: usize,
        number: usize,
    ) -> Self {
        Self {
            round,
            game,
            pair: (player, player),
            number,
            role_players: vec![player; plan.games[game].roles.len()],
            id: id(plan, round, game, &(player + 1).to_string(), number),
        }
    }

    /// The seed of the match.
    pub fn seed(&self) -> u64 {
        fingerprint(self.id.as_bytes())
    }

    /// The CPUs its players use when all of them search.
    pub fn cpus(&self, plan: &TournamentPlan) -> u32 {
        let each = self
            .role_players
            .iter()
            .map(|player| plan.players[*player].cpus);
        each.fold(0, u32::saturating_add)
    }

    /// The settings of the match.
    pub fn setup(&self, plan: &TournamentPlan) -> MatchSetup {
        let game = &plan.games[self.game];
        let participants = self.role_players.iter();
        let participants = participants.map(|player| plan.players[*player].participant.clone());
        MatchSetup {
            id: self.id.clone(),
            game: game.name.clone(),
            sheet: game.sheet.clone(),
            start_clock: game.start_clock,
            play_clock: game.play_clock,
            participants: participants.collect(),
            seed: self.seed(),
            forfeit_after: plan.forfeit_after,
            max_steps: game.max_steps,
        }
    }
}

/// Players are written as numbers: their names may contain the separators.
fn id(plan: &TournamentPlan, round: u32, game: usize, who: &str, number: usize) -> String {
    let (name, seed) = (&plan.name, plan.seed);
    format!("{name}-{seed}.r{round}.g{}.{who}.{}", game + 1, number + 1)
}
