//! Guided playouts: epsilon-greedy selection of the best legal move by score.
//!
//! The sampler has already drawn a random move in every lane. In lanes that follow the guide it is
//! replaced: moves are visited from the best down, and each is taken by the lanes in which it is
//! legal and that have no move yet. Lanes begin together in a *generation*, each when its turn
//! comes for the first time, so that moves are credited with results once for all lanes.

use super::lane_random::LaneRandom;
use super::lane_word::LaneWord;
use super::plan::{MemoryLayout, TurnCode};
use ludorum_propnet::network::GoalValue;
use ludorum_reasoner::{MoveHistory, MoveId};

/// Binary digits of the probability of a random move.
const DIGITS: usize = 12;

/// The moves and results of a generation of playouts.
pub(super) struct GuidedGeneration {
    /// For each move, the lanes that have played it.
    played: Vec<LaneWord>,
    /// For each goal value, the lanes that ended with it.
    goals: Vec<LaneWord>,
    /// The lanes of each group of starts.
    groups: Vec<(usize, LaneWord)>,
}

impl GuidedGeneration {
    /// An empty generation; `starts` gives the group of each start.
    pub(super) fn new(moves: usize, goals: usize, starts: &[usize]) -> Self {
        Self {
            groups: LaneWord::groups(starts),
            played: vec![LaneWord::NONE; moves],
            goals: vec![LaneWord::NONE; goals],
        }
    }

    /// Adds the moves that busy lanes play, among those that are possible in the turn.
    pub(super) fn played(
        &mut self,
        possible: &[u32],
        layout: &MemoryLayout,
        memory: &[LaneWord],
        busy: LaneWord,
    ) {
        let played = &memory[layout.played as usize..];
        for action in possible {
            let seen = &mut self.played[*action as usize];
            *seen = seen.or(played[*action as usize].and(busy));
        }
    }

    /// Adds the goals of lanes that are over.
    pub(super) fn end(&mut self, goals: &[LaneWord], over: LaneWord) {
        for (kept, goal) in self.goals.iter_mut().zip(goals) {
            *kept = kept.or(goal.and(over));
        }
    }

    /// Credits the moves of a generation with its results, and clears it.
    pub(super) fn credit_moves(
        &mut self,
        role_moves: &[std::ops::Range<usize>],
        goals: &[GoalValue],
        histories: &mut [MoveHistory],
    ) {
        for (role, moves) in role_moves.iter().enumerate() {
            let (mut one, mut more) = (LaneWord::NONE, LaneWord::NONE);
            for (goal, word) in goals.iter().zip(&self.goals) {
                if goal.role == role {
                    more = more.or(one.and(*word));
                    one = one.or(*word);
                }
            }
            for action in moves.clone() {
                let played = self.played[action].without(more);
                if played.is_empty() {
                    continue;
                }
                let id = MoveId((action - moves.start) as u32);
                for (group, lanes) in &self.groups {
                    let played = played.and(*lanes);
                    let (mut playouts, mut points) = (0, 0);
                    for (goal, word) in goals.iter().zip(&self.goals) {
                        if let Some(value) = goal.value
                            && goal.role == role
                        {
                            let count = u64::from(played.and(*word).count());
                            playouts += count;
                            points += count * u64::from(value);
                        }
                    }
                    if playouts > 0 {
                        histories[*group].add(role, id, playouts, points);
                    }
                }
            }
        }
        self.played.fill(LaneWord::NONE);
        self.goals.fill(LaneWord::NONE);
    }
}

/// For every turn and role, the possible moves in descending order of score. Most roles have one
/// move while others are to move, and the code of a turn knows which.
pub(super) fn orders_by_turn(turns: &[TurnCode], order: &[Vec<u32>]) -> Vec<Vec<Vec<u32>>> {
    let of_turn = |turn: &TurnCode| {
        let of_role = |order: &Vec<u32>| {
            let order = order.iter().copied();
            // The possible moves are sorted by number.
            let is_possible = |id: &u32| turn.possible.binary_search(id).is_ok();
            order.filter(is_possible).collect()
        };
        order.iter().map(of_role).collect()
    };
    turns.iter().map(of_turn).collect()
}

/// Replaces random moves by the best legal ones; `orders_by_turn` are those of the current turn.
pub(super) fn guide(
    orders_by_turn: &[Vec<u32>],
    epsilons: &[f64],
    layout: &MemoryLayout,
    memory: &mut [LaneWord],
    random: &mut LaneRandom,
) {
    for (order, epsilon) in orders_by_turn.iter().zip(epsilons) {
        // Without a choice the random move is right.
        if *epsilon >= 1.0 || order.len() < 2 {
            continue;
        }
        let explore = random_lanes(*epsilon, random);
        let mut undecided = LaneWord::ALL.without(explore);
        for action in order {
            let legal = memory[(layout.legal + action) as usize];
            let taken = legal.and(undecided);
            let played = &mut memory[(layout.played + action) as usize];
            *played = played.and(explore).or(taken);
            undecided = undecided.without(taken);
        }
    }
}

/// Random lanes, each set with a probability that is rounded to a multiple of 2^-DIGITS.
fn random_lanes(share: f64, random: &mut LaneRandom) -> LaneWord {
    let steps = f64::from(1u32 << DIGITS);
    #[allow(clippy::cast_sign_loss)] // clamped to the range
    let share = (share.clamp(0.0, 1.0) * steps).round() as u32;
    if share == 1 << DIGITS {
        return LaneWord::ALL;
    }
    let mut words = [LaneWord::NONE; DIGITS];
    random.fill(&mut words);
    // Compares a random binary fraction with the probability, from the lowest digit up: a different
    // digit decides, an equal one leaves the decision to the lower digits.
    words
        .iter()
        .enumerate()
        .fold(LaneWord::NONE, |below, (digit, word)| {
            if share >> digit & 1 == 1 {
                below.or(*word)
            } else {
                below.and(*word)
            }
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(clippy::cast_precision_loss)] // 512 lanes
    fn random_lanes_have_the_requested_probability() {
        let mut random = LaneRandom::new(3);
        for share in [0.0, 0.1, 0.5, 0.77, 1.0] {
            let rounds = 2000;
            let hits: u32 = (0..rounds)
                .map(|_| random_lanes(share, &mut random).count())
                .sum();
            let draws = f64::from(rounds) * LaneWord::LANES as f64;
            let deviation = (draws * share * (1.0 - share)).sqrt();
            let expected = draws * share;
            // Five standard deviations, and the rounding of the probability.
            let allowed = 5.0 * deviation + draws / 8192.0;
            assert!(
                (f64::from(hits) - expected).abs() <= allowed,
                "{share}: {hits}"
            );
        }
    }
}
