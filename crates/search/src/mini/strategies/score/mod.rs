//! Score (Świechowski 2015, section 3.3.7): the rank of a value that the rules keep for each player
//! and compare in the end.
//!
//! The [template] finds fluents that may hold such scores. The first that has exactly one value for
//! each player in all states of five simulations is used. Whether a high rank is good or bad is
//! learned from the results of simulations.

pub(crate) mod template;

use ludorum_reasoner::{FluentId, ReasonError, Role};
use rustc_hash::FxHashMap;

use crate::mini::fluent_terms::{FluentTerms, SymbolId};
use crate::mini::strategy::{
    DecisionView, FinishedSimulation, Lookahead, MoveValue, Strategy, StrategyKind,
};

/// The number of simulations in all states of which a candidate must be valid.
const TRIAL: u32 = 5;

/// Prefers successors with a good score of its role.
#[derive(Debug)]
pub(crate) struct Score {
    role: Role,
    candidates: Vec<Candidate>,
    /// The number of simulations that were observed.
    watched: u32,
}

/// A fluent that may hold the score, with interned symbols.
#[derive(Clone, Debug)]
struct Candidate {
    name: SymbolId,
    player_at: usize,
    players: Vec<SymbolId>,
    ranks: FxHashMap<SymbolId, u32>,
    /// Whether it had one value for each player in all states so far.
    is_sound: bool,
    /// The number of pairs of players in which the one with the better goal had the higher rank,
    /// minus the pairs with the opposite order.
    agreement: i64,
}

impl Candidate {
    /// The rank of each player in a state; `None` for a player without a value or with several.
    fn ranks(&self, facts: &[FluentId], fluent_terms: &FluentTerms) -> (Vec<Option<u32>>, bool) {
        let mut ranks = vec![None; self.players.len()];
        let mut is_sound = true;
        for fact in facts.iter().filter_map(|id| fluent_terms.fact(*id)) {
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

    /// Learns from the result of a simulation whether a high rank is good.
    fn observe_end(&mut self, simulation: &FinishedSimulation<'_>, fluent_terms: &FluentTerms) {
        let (ranks, _) = self.ranks(simulation.last, fluent_terms);
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
    /// For a role, with the candidates of the template. The symbols of the roles are interned in
    /// their order.
    pub(crate) fn new(
        found: &[template::Candidate],
        roles: &[String],
        role: Role,
        fluent_terms: &mut FluentTerms,
    ) -> Self {
        let players: Vec<SymbolId> = roles.iter().map(|name| fluent_terms.symbol(name)).collect();
        let candidates = found.iter().map(|candidate| Candidate {
            name: fluent_terms.symbol(&candidate.name),
            player_at: candidate.player_at,
            players: players.clone(),
            ranks: candidate
                .ranks
                .iter()
                .map(|(value, rank)| (fluent_terms.symbol(value), *rank))
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

    /// The candidate that is used.
    fn chosen(&self) -> Option<&Candidate> {
        self.candidates.iter().find(|candidate| candidate.is_sound)
    }
}

impl Strategy for Score {
    fn kind(&self) -> StrategyKind {
        StrategyKind::Score
    }

    fn lookahead(&self) -> Lookahead {
        Lookahead::Successors
    }

    fn is_ready(&self) -> bool {
        self.watched >= TRIAL && self.chosen().is_some()
    }

    fn observes_states(&self) -> bool {
        self.watched < TRIAL && self.chosen().is_some()
    }

    fn evaluate(
        &mut self,
        view: &DecisionView<'_>,
        move_values: &mut Vec<MoveValue>,
    ) -> Result<(), ReasonError> {
        let Some(chosen) = self.chosen() else {
            move_values.resize(view.legal.len(), MoveValue::plain(0.0));
            return Ok(());
        };
        let sign = if chosen.agreement < 0 { -1.0 } else { 1.0 };
        for state in view.successors {
            let (ranks, _) = chosen.ranks(&state.facts, view.fluent_terms);
            let rank = ranks.get(self.role).copied().flatten();
            move_values.push(MoveValue::plain(rank.map_or(0.0, f64::from) * sign));
        }
        Ok(())
    }

    fn observe_state(&mut self, facts: &[FluentId], fluent_terms: &FluentTerms) {
        if self.watched >= TRIAL {
            return;
        }
        for candidate in &mut self.candidates {
            candidate.is_sound &= candidate.ranks(facts, fluent_terms).1;
        }
    }

    fn observe_end(&mut self, simulation: &FinishedSimulation<'_>, fluent_terms: &FluentTerms) {
        self.watched = self.watched.saturating_add(1);
        for candidate in self.candidates.iter_mut().filter(|c| c.is_sound) {
            candidate.observe_end(simulation, fluent_terms);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mini::fluent_terms::fluent_terms;
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

    fn score(fluent_terms: &mut FluentTerms) -> Score {
        let ranks = ["0", "1", "2"].into_iter().zip(0..);
        let found = template::Candidate {
            name: "count".to_owned(),
            player_at: 0,
            ranks: ranks
                .map(|(value, rank)| (value.to_owned(), rank))
                .collect(),
        };
        let roles = ["white", "black"].map(str::to_owned);
        Score::new(&[found], &roles, 0, fluent_terms)
    }

    /// Observes simulations of one state each.
    fn observe_state(
        score: &mut Score,
        fluent_terms: &FluentTerms,
        state: &[u32],
        goals: [u8; 2],
        times: u32,
    ) {
        for _ in 0..times {
            let last = facts(state);
            score.observe_state(&last, fluent_terms);
            let simulation = FinishedSimulation {
                moves: &[],
                goals: &goals.map(Some),
                last: &last,
            };
            score.observe_end(&simulation, fluent_terms);
        }
    }

    fn values(score: &mut Score, fluent_terms: &FluentTerms) -> Vec<f64> {
        let successors = [&[0, 3, 4], &[1, 2, 4]].map(|ids| Successor {
            facts: facts(ids),
            ..Successor::default()
        });
        let view = DecisionView {
            fluent_terms,
            legal: &[],
            recent_states: &[],
            successors: &successors,
        };
        let mut move_values = Vec::new();
        score.evaluate(&view, &mut move_values).unwrap();
        move_values.iter().map(|value| value.value).collect()
    }

    #[test]
    fn a_candidate_is_used_after_five_simulations_in_which_every_player_had_one_value() {
        let mut fluent_terms = fluent_terms(&FACTS);
        let mut score = score(&mut fluent_terms);
        observe_state(&mut score, &fluent_terms, &[1, 2, 4], [100, 0], 4);
        assert!(!score.is_ready() && score.observes_states());
        observe_state(&mut score, &fluent_terms, &[0, 3], [0, 100], 1);
        assert!(score.is_ready() && !score.observes_states());
        // The higher rank won each time.
        assert_eq!(values(&mut score, &fluent_terms), [0.0, 2.0]);
    }

    #[test]
    fn the_direction_of_the_ranks_is_learned_from_the_goals() {
        let mut fluent_terms = fluent_terms(&FACTS);
        let mut score = score(&mut fluent_terms);
        observe_state(&mut score, &fluent_terms, &[1, 2, 4], [0, 100], 5);
        assert_eq!(values(&mut score, &fluent_terms), [-0.0, -2.0]);
    }

    #[test]
    fn a_player_without_a_value_or_with_two_rules_a_candidate_out() {
        for state in [&[1, 4][..], &[0, 1, 2], &[0, 1]] {
            let mut fluent_terms = fluent_terms(&FACTS);
            let mut score = score(&mut fluent_terms);
            observe_state(&mut score, &fluent_terms, state, [100, 0], 1);
            assert!(!score.observes_states());
            observe_state(&mut score, &fluent_terms, &[1, 2], [100, 0], 5);
            assert!(!score.is_ready());
        }
    }
}
