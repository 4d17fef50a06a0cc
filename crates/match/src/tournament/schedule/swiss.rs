//! The Swiss system: in each round players with similar scores meet, if possible players who have
//! not met before.
//!
//! A pairing won counts 1, a tie one half, a bye 1. Players are sorted by score, then by the sum of
//! their opponents' scores (Buchholz), then by points, then by the order of the file. The first one
//! is paired with the nearest opponent for which the others can still be paired. With an odd number
//! of players, the last one with the fewest byes has a bye.

use super::{Pairing, Round};
use crate::tournament::plan::TournamentPlan;

/// Step limit of the backtracking search for pairings; beyond it, players may meet again.
const MAX_STEPS: usize = 20_000;

pub(super) fn next(plan: &TournamentPlan, rounds: &[Round]) -> Option<Round> {
    let number = rounds.len() as u32 + 1;
    if number > plan.rounds {
        return None;
    }
    let players = plan.players.len();
    let standings = standings(players, rounds);
    let order: Vec<usize> = standings.iter().map(|standing| standing.player).collect();
    let meetings = Meetings::new(players, rounds);
    let (pairs, bye) = pair(&order, &meetings, rounds);
    let encounter = |(a, b): &(usize, usize)| Pairing::new(*a.min(b), *a.max(b));
    Some(Round {
        number,
        encounters: pairs.iter().map(encounter).collect(),
        byes: bye.into_iter().collect(),
    })
}

/// The standing of a player.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::tournament) struct SwissStanding {
    pub(in crate::tournament) player: usize,
    /// Pairings won, ties counting one half.
    pub(in crate::tournament) score: f64,
    /// The sum of the scores of all opponents.
    pub(in crate::tournament) buchholz: f64,
    /// The points of all matches.
    pub(in crate::tournament) points: f64,
}

/// All players, best first.
pub(in crate::tournament) fn standings(players: usize, rounds: &[Round]) -> Vec<SwissStanding> {
    let mut scores = vec![0.0; players];
    let mut points = vec![0.0; players];
    for round in rounds {
        for bye in &round.byes {
            scores[*bye] += 1.0;
        }
        for encounter in &round.encounters {
            let Some(both) = encounter.points else {
                continue;
            };
            let (a, b) = (encounter.a, encounter.b);
            points[a] += both.a;
            points[b] += both.b;
            match (both.is_tied(), both.is_won_by_a()) {
                (true, _) => {
                    scores[a] += 0.5;
                    scores[b] += 0.5;
                }
                (_, true) => scores[a] += 1.0,
                _ => scores[b] += 1.0,
            }
        }
    }
    let mut buchholz = vec![0.0; players];
    for encounter in rounds.iter().flat_map(|round| &round.encounters) {
        buchholz[encounter.a] += scores[encounter.b];
        buchholz[encounter.b] += scores[encounter.a];
    }
    let mut standings: Vec<SwissStanding> = (0..players)
        .map(|player| SwissStanding {
            player,
            score: scores[player],
            buchholz: buchholz[player],
            points: points[player],
        })
        .collect();
    // Points are compared in millionths, see `EQUAL`.
    let key = |s: &SwissStanding| [s.score, s.buchholz, s.points].map(|x| (x * 1e6).round() as i64);
    standings.sort_by_key(|standing| (std::cmp::Reverse(key(standing)), standing.player));
    standings
}

/// How often players have met.
struct Meetings {
    players: usize,
    counts: Vec<u32>,
}

impl Meetings {
    fn new(players: usize, rounds: &[Round]) -> Self {
        let mut counts = vec![0; players * players];
        for encounter in rounds.iter().flat_map(|round| &round.encounters) {
            counts[encounter.a * players + encounter.b] += 1;
            counts[encounter.b * players + encounter.a] += 1;
        }
        Self { players, counts }
    }

    fn of(&self, a: usize, b: usize) -> u32 {
        self.counts[a * self.players + b]
    }

    fn most(&self) -> u32 {
        self.counts.iter().copied().max().unwrap_or(0)
    }
}

/// Pairs all players with as few repeated meetings as can be found; also returns the player with a
/// bye.
fn pair(
    order: &[usize],
    meetings: &Meetings,
    rounds: &[Round],
) -> (Vec<(usize, usize)>, Option<usize>) {
    // Candidates for the bye: those with the fewest byes, worst first.
    let left_over: Vec<Option<usize>> = if order.len().is_multiple_of(2) {
        vec![None]
    } else {
        let byes = |player: usize| {
            let all = rounds.iter().flat_map(|round| &round.byes);
            all.filter(|bye| **bye == player).count()
        };
        let mut candidates: Vec<usize> = order.iter().rev().copied().collect();
        candidates.sort_by_key(|player| byes(*player));
        let fewest = candidates.first().map_or(0, |player| byes(*player));
        candidates.retain(|player| byes(*player) == fewest);
        candidates.into_iter().map(Some).collect()
    };
    for allowed in 0..=meetings.most() {
        for bye in &left_over {
            let rest: Vec<usize> = order
                .iter()
                .copied()
                .filter(|player| Some(*player) != *bye)
                .collect();
            if let Some(pairs) = pair_with_backtracking(&rest, |a, b| meetings.of(a, b) <= allowed)
            {
                return (pairs, *bye);
            }
        }
    }
    // Not reached: if as many meetings are allowed as there were, neighbours can be paired.
    let bye = left_over.first().copied().flatten();
    let rest: Vec<usize> = order
        .iter()
        .copied()
        .filter(|player| Some(*player) != bye)
        .collect();
    (rest.chunks_exact(2).map(|p| (p[0], p[1])).collect(), bye)
}

/// Backtracking search: pairs the first free player with the nearest possible opponent, such that
/// the others can be paired; none if no pairing was found.
fn pair_with_backtracking(
    order: &[usize],
    possible: impl Fn(usize, usize) -> bool,
) -> Option<Vec<(usize, usize)>> {
    let count = order.len();
    let mut taken = vec![false; count];
    // The pairs so far, as positions in the order.
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    // Position from which an opponent for the first free player is searched.
    let mut from = 0;
    for _ in 0..MAX_STEPS {
        let Some(first) = (0..count).find(|i| !taken[*i]) else {
            let names = pairs.iter().map(|(a, b)| (order[*a], order[*b]));
            return Some(names.collect());
        };
        let fits = |other: &usize| !taken[*other] && possible(order[first], order[*other]);
        if let Some(other) = (from.max(first + 1)..count).find(fits) {
            taken[first] = true;
            taken[other] = true;
            pairs.push((first, other));
            from = 0;
        } else {
            let (first, other) = pairs.pop()?;
            taken[first] = false;
            taken[other] = false;
            from = other + 1;
        }
    }
    None
}
