//! Guided playouts: the best legal move by a score, now and then a random one.
//!
//! The draw has already given every lane a random move. In lanes that follow the guide it is
//! replaced: moves are walked through from the best down, and each is taken by the lanes in which
//! it is legal and that have no move yet. Lanes begin together, a *generation*, each when its turn
//! comes for the first time, so that what was played is added up once for all of them.

use super::lane_random::LaneRandom;
use super::lane_word::LaneWord;
use super::plan::{MemoryLayout, TurnCode};
use ludorum_propnet::network::GoalValue;
use ludorum_reasoner::{MoveHistory, MoveId};

/// Binary digits of the share of random moves.
const DIGITS: usize = 12;

/// What a generation has played so far, and what came out.
pub(super) struct GuidedGeneration {
    /// The lanes that have played each move.
    played: Vec<LaneWord>,
    /// The goals of lanes that are over.
    goals: Vec<LaneWord>,
    /// The lanes of every group that has some.
    groups: Vec<(usize, LaneWord)>,
}

impl GuidedGeneration {
    /// Empty, for so many moves and goals, and starts in groups.
    pub(super) fn new(moves: usize, goals: usize, starts: &[usize]) -> Self {
        Self {
            groups: LaneWord::groups(starts),
            played: vec![LaneWord::NONE; moves],
            goals: vec![LaneWord::NONE; goals],
        }
    }

    /// Remembers which of the moves that are possible busy lanes play.
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

    /// Remembers the goals of lanes that are over.
    pub(super) fn end(&mut self, goals: &[LaneWord], over: LaneWord) {
        for (kept, goal) in self.goals.iter_mut().zip(goals) {
            *kept = kept.or(goal.and(over));
        }
    }

    /// Adds up a whole generation, and makes room for the next.
    pub(super) fn tell(
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

/// For every turn and role the moves that are possible then, best first. Most roles wait while
/// others have their turn, and code for a turn knows it.
pub(super) fn orders(turns: &[TurnCode], order: &[Vec<u32>]) -> Vec<Vec<Vec<u32>>> {
    let of_turn = |turn: &TurnCode| {
        let of_role = |order: &Vec<u32>| {
            let order = order.iter().copied();
            // They are sorted by number.
            let is_possible = |id: &u32| turn.possible.binary_search(id).is_ok();
            order.filter(is_possible).collect()
        };
        order.iter().map(of_role).collect()
    };
    turns.iter().map(of_turn).collect()
}

/// Replaces random moves by preferred ones, in the orders of the turn.
pub(super) fn guide(
    orders: &[Vec<u32>],
    epsilons: &[f64],
    layout: &MemoryLayout,
    memory: &mut [LaneWord],
    random: &mut LaneRandom,
) {
    for (order, epsilon) in orders.iter().zip(epsilons) {
        // Without a choice the draw was right.
        if *epsilon >= 1.0 || order.len() < 2 {
            continue;
        }
        let explore = chance(*epsilon, random);
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

/// Lanes that are set with a chance, to the nearest of 2^DIGITS.
fn chance(share: f64, random: &mut LaneRandom) -> LaneWord {
    let steps = f64::from(1u32 << DIGITS);
    #[allow(clippy::cast_sign_loss)] // clamped to the range
    let share = (share.clamp(0.0, 1.0) * steps).round() as u32;
    if share == 1 << DIGITS {
        return LaneWord::ALL;
    }
    let mut words = [LaneWord::NONE; DIGITS];
    random.fill(&mut words);
    // From the lowest digit up: a random bit below the digit decides, an equal one leaves it to
    // those before.
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
    fn a_chance_comes_true_as_often_as_it_should() {
        let mut random = LaneRandom::new(3);
        for share in [0.0, 0.1, 0.5, 0.77, 1.0] {
            let rounds = 2000;
            let hits: u32 = (0..rounds)
                .map(|_| chance(share, &mut random).count())
                .sum();
            let draws = f64::from(rounds) * LaneWord::LANES as f64;
            let deviation = (draws * share * (1.0 - share)).sqrt();
            let expected = draws * share;
            // Five deviations, and the rounding of the share.
            let allowed = 5.0 * deviation + draws / 8192.0;
            assert!(
                (f64::from(hits) - expected).abs() <= allowed,
                "{share}: {hits}"
            );
        }
    }
}
