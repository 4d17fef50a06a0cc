//! A match of a tournament before it is played: [`ScheduledMatch`].

use super::assignment;
use super::hash::fingerprint;
use super::plan::TournamentPlan;
use crate::setup::MatchSetup;

/// A match at its place in the schedule. Its name and its seed follow from the tournament's name
/// and seed and this place alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScheduledMatch {
    /// The round, from 1.
    pub round: u32,
    /// The game, by its number in the plan.
    pub game: usize,
    /// Who meets, by their numbers in the plan; twice the same for a puzzle, which is played alone.
    pub pair: (usize, usize),
    /// Its number among the matches of these two in this game and round, from 0.
    pub number: usize,
    /// The player of each role, by number.
    pub role_players: Vec<usize>,
    /// The name of the match.
    pub id: String,
}

impl ScheduledMatch {
    /// A match of two in a game for two or more.
    pub(super) fn mixed(
        plan: &TournamentPlan,
        round: u32,
        game: usize,
        pair: (usize, usize),
        number: usize,
    ) -> Self {
        let roles = plan.games[game].roles.len();
        let way = number % assignment::ways(roles);
        let second = assignment::second_has(roles, way, plan.seed);
        let seat = |has: bool| if has { pair.1 } else { pair.0 };
        Self {
            round,
            game,
            pair,
            number,
            role_players: second.into_iter().map(seat).collect(),
            id: id(
                plan,
                round,
                game,
                &format!("{}-{}", pair.0 + 1, pair.1 + 1),
                number,
            ),
        }
    }

    /// A match of one alone.
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

    /// Where the chance of the match comes from.
    pub fn seed(&self) -> u64 {
        fingerprint(self.id.as_bytes())
    }

    /// How many CPUs its players use when all of them think.
    pub fn cpus(&self, plan: &TournamentPlan) -> u32 {
        let each = self
            .role_players
            .iter()
            .map(|player| plan.players[*player].cpus);
        each.fold(0, u32::saturating_add)
    }

    /// The match, ready to be played.
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

/// Players are told by number: their names may have the signs between the parts.
fn id(plan: &TournamentPlan, round: u32, game: usize, who: &str, number: usize) -> String {
    let (name, seed) = (&plan.name, plan.seed);
    format!("{name}-{seed}.r{round}.g{}.{who}.{}", game + 1, number + 1)
}
