//! Score (section 3.3.7): the rank of a value that the rules keep for each player and compare in
//! the end.
//!
//! The [template] finds functions of fluents that may be such scores. The first that has exactly
//! one value for each player in all states of five simulations is taken, and the ends of
//! simulations tell whether a high rank is good or bad.

pub(crate) mod template;

use ludorum_reasoner::{FluentId, ReasonError, Role};
use rustc_hash::FxHashMap;

use crate::mini::lexicon::{Lexicon, Word};
use crate::mini::strategy::{Ended, Kind, Scene, Sight, Strategy, Worth};

/// A candidate is taken if it holds good in all states of so many simulations.
const TRIAL: u32 = 5;

/// Wants a high score for its role.
#[derive(Debug)]
pub(crate) struct Score {
    role: Role,
    candidates: Vec<Candidate>,
    /// Simulations that were watched.
    watched: u32,
}

/// A function that may keep the score, in words of the lexicon.
#[derive(Clone, Debug)]
struct Candidate {
    name: Word,
    player_at: usize,
    players: Vec<Word>,
    ranks: FxHashMap<Word, u32>,
    /// Whether it had one value for each player wherever it was looked at.
    is_sound: bool,
    /// Pairs of players of which the better one had the higher rank, less those where it was the
    /// other way round.
    agreement: i64,
}

impl Candidate {
    /// The rank of each player in a state; none for a player without a value or with several.
    fn ranks(&self, facts: &[FluentId], lexicon: &Lexicon) -> (Vec<Option<u32>>, bool) {
        let mut ranks = vec![None; self.players.len()];
        let mut is_sound = true;
        for fact in facts.iter().filter_map(|id| lexicon.fact(*id)) {
            if fact.name != self.name || fact.args.len() != 2 {
                continue;
            }
            let player = fact.args[self.player_at];
            let place = self.players.iter().position(|known| *known == player);
            let rank = self.ranks.get(&fact.args[1 - self.player_at]);
            match (place, rank) {
                (Some(place), Some(rank)) if ranks[place].is_none() => ranks[place] = Some(*rank),
                _ => is_sound = false,
            }
        }
        // Conditions 2 and 4: one realisation for each player.
        is_sound &= ranks.iter().all(Option::is_some);
        (ranks, is_sound)
    }

    /// Learns from the end of a simulation whether a high rank is good.
    fn learn(&mut self, simulation: &Ended<'_>, lexicon: &Lexicon) {
        let (ranks, _) = self.ranks(simulation.last, lexicon);
        let results: Vec<(u8, u32)> = simulation
            .goals
            .iter()
            .zip(ranks)
            .filter_map(|(goal, rank)| Some(((*goal)?, rank?)))
            .collect();
        for (i, a) in results.iter().enumerate() {
            for b in &results[i + 1..] {
                let by_goal = a.0.cmp(&b.0) as i64;
                let by_rank = a.1.cmp(&b.1) as i64;
                self.agreement += by_goal * by_rank;
            }
        }
    }
}

impl Score {
    /// For a role, with what the template has found; the words of the roles are given in their
    /// order.
    pub(crate) fn new(
        found: &[template::Candidate],
        roles: &[String],
        role: Role,
        lexicon: &mut Lexicon,
    ) -> Self {
        let players: Vec<Word> = roles.iter().map(|name| lexicon.word(name)).collect();
        let candidates = found.iter().map(|candidate| Candidate {
            name: lexicon.word(&candidate.name),
            player_at: candidate.player_at,
            players: players.clone(),
            ranks: candidate
                .ranks
                .iter()
                .map(|(value, rank)| (lexicon.word(value), *rank))
                .collect(),
            is_sound: true,
            agreement: 0,
        });
        Self {
            role,
            candidates: candidates.collect(),
            watched: 0,
        }
    }

    /// The one that keeps the score.
    fn chosen(&self) -> Option<&Candidate> {
        self.candidates.iter().find(|candidate| candidate.is_sound)
    }
}

impl Strategy for Score {
    fn kind(&self) -> Kind {
        Kind::Score
    }

    fn sight(&self) -> Sight {
        Sight::Successors
    }

    fn is_ready(&self) -> bool {
        self.watched >= TRIAL && self.chosen().is_some()
    }

    fn is_watching(&self) -> bool {
        self.watched < TRIAL && self.chosen().is_some()
    }

    fn judge(&mut self, scene: &Scene<'_>, worths: &mut Vec<Worth>) -> Result<(), ReasonError> {
        let Some(chosen) = self.chosen() else {
            worths.resize(scene.legal.len(), Worth::plain(0.0));
            return Ok(());
        };
        let sign = if chosen.agreement < 0 { -1.0 } else { 1.0 };
        for state in scene.successors {
            let (ranks, _) = chosen.ranks(&state.facts, scene.lexicon);
            let rank = ranks.get(self.role).copied().flatten();
            worths.push(Worth::plain(rank.map_or(0.0, f64::from) * sign));
        }
        Ok(())
    }

    fn context(&mut self, facts: &[FluentId], lexicon: &Lexicon) {
        if self.watched >= TRIAL {
            return;
        }
        for candidate in &mut self.candidates {
            candidate.is_sound &= candidate.ranks(facts, lexicon).1;
        }
    }

    fn learn(&mut self, simulation: &Ended<'_>, lexicon: &Lexicon) {
        self.watched = self.watched.saturating_add(1);
        for candidate in self.candidates.iter_mut().filter(|c| c.is_sound) {
            candidate.learn(simulation, lexicon);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mini::lexicon::lexicon;
    use crate::mini::strategy::Successor;

    const FACTS: [&str; 5] = [
        "(count white 0)",
        "(count white 2)",
        "(count black 1)",
        "(count black 2)",
        "(control white)",
    ];

    fn facts(ids: &[u32]) -> Vec<FluentId> {
        ids.iter().copied().map(FluentId).collect()
    }

    fn score(lexicon: &mut Lexicon) -> Score {
        let ranks = ["0", "1", "2"].into_iter().zip(0..);
        let found = template::Candidate {
            name: "count".to_owned(),
            player_at: 0,
            ranks: ranks
                .map(|(value, rank)| (value.to_owned(), rank))
                .collect(),
        };
        let roles = ["white", "black"].map(str::to_owned);
        Score::new(&[found], &roles, 0, lexicon)
    }

    /// Watches simulations of one state each.
    fn context(score: &mut Score, lexicon: &Lexicon, state: &[u32], goals: [u8; 2], times: u32) {
        for _ in 0..times {
            let last = facts(state);
            score.context(&last, lexicon);
            let simulation = Ended {
                moves: &[],
                goals: &goals.map(Some),
                last: &last,
            };
            score.learn(&simulation, lexicon);
        }
    }

    fn values(score: &mut Score, lexicon: &Lexicon) -> Vec<f64> {
        let successors = [&[0, 3, 4], &[1, 2, 4]].map(|ids| Successor {
            facts: facts(ids),
            ..Successor::default()
        });
        let scene = Scene {
            lexicon,
            legal: &[],
            trail: &[],
            successors: &successors,
        };
        let mut worths = Vec::new();
        score.judge(&scene, &mut worths).unwrap();
        worths.iter().map(|worth| worth.value).collect()
    }

    #[test]
    fn it_is_there_after_five_simulations_in_which_every_player_had_one_value() {
        let mut lexicon = lexicon(&FACTS);
        let mut score = score(&mut lexicon);
        context(&mut score, &lexicon, &[1, 2, 4], [100, 0], 4);
        assert!(!score.is_ready() && score.is_watching());
        context(&mut score, &lexicon, &[0, 3], [0, 100], 1);
        assert!(score.is_ready() && !score.is_watching());
        // The higher rank won each time.
        assert_eq!(values(&mut score, &lexicon), [0.0, 2.0]);
    }

    #[test]
    fn the_direction_of_the_ranks_is_learned_from_the_goals() {
        let mut lexicon = lexicon(&FACTS);
        let mut score = score(&mut lexicon);
        context(&mut score, &lexicon, &[1, 2, 4], [0, 100], 5);
        assert_eq!(values(&mut score, &lexicon), [-0.0, -2.0]);
    }

    #[test]
    fn a_player_without_a_value_or_with_two_rules_a_candidate_out() {
        for state in [&[1, 4][..], &[0, 1, 2], &[0, 1]] {
            let mut lexicon = lexicon(&FACTS);
            let mut score = score(&mut lexicon);
            context(&mut score, &lexicon, state, [100, 0], 1);
            assert!(!score.is_watching());
            context(&mut score, &lexicon, &[1, 2], [100, 0], 5);
            assert!(!score.is_ready());
        }
    }
}
