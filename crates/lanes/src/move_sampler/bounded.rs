//! Bounded draws: a uniformly random slot among a fixed number, each of which has one legal move or
//! none.
//!
//! In a staged game the number of ways to go on differs between
//! candidates, and all ways of all candidates must be equally likely. So the k-th of B slots is drawn,
//! where B is the same for all candidates. With n legal moves the k-th of them is played if k < n,
//! else the move `fail`: each legal move has the probability 1/B, whatever n is (rejection sampling;
//! von Neumann 1951).

use super::super::graph::{EVERY_LANE, LaneGraph, Literal, NO_LANE};
use super::{EXTRA_DIGITS, RandomWords, SampledMoves, Tree, digits, rank, sample_move, subtract};

/// An upper bound on the random words for a bounded draw among some moves.
pub(in super::super) fn max_bounded_words(moves: usize, bound: u32) -> usize {
    digits(moves).max(digits(bound as usize)) + EXTRA_DIGITS
}

/// Samples among the moves of a role, given the lanes in which each is legal. Where the move number
/// `fail` is legal, every other legal move has the probability 1 / `bound`, and `fail` has the rest.
/// Elsewhere all legal moves are equally likely.
///
/// The caller guarantees that in no lane in which `fail` is legal more than `bound` other moves are;
/// such a lane could play several moves or favour some.
pub(in super::super) fn sample_bounded_move(
    graph: &mut LaneGraph,
    legal: &[Literal],
    fail: usize,
    bound: u32,
    random: &mut RandomWords,
) -> SampledMoves {
    let may_fail = legal[fail];
    let is_candidate = |i: &usize| *i != fail && legal[*i] != NO_LANE;
    let places: Vec<usize> = (0..legal.len()).filter(is_candidate).collect();
    if may_fail == NO_LANE || places.is_empty() {
        return sample_move(graph, legal, random);
    }
    let leaves: Vec<Literal> = places.iter().map(|i| legal[*i]).collect();
    let mut played = vec![NO_LANE; legal.len()];
    let always = may_fail == EVERY_LANE;
    if always && bound == 1 {
        // At most one move is legal.
        for (place, leaf) in places.iter().zip(&leaves) {
            played[*place] = *leaf;
        }
        played[fail] = graph.or(&leaves) ^ 1;
        return SampledMoves {
            played,
            stuck: NO_LANE,
        };
    }
    let bound = bound as usize;
    // The bound saves digits of all counts, if it holds in every lane.
    let width = if always { digits(bound) } else { usize::MAX };
    let mut tree = Tree::count(graph, &leaves, width);
    let count = tree.nodes[tree.root].count.clone();
    let slot = if always && bound.is_power_of_two() {
        let words = digits(bound - 1);
        (0..words).map(|_| random.next(graph)).collect()
    } else {
        let total = slots(graph, may_fail, bound, &count);
        let most = if always {
            bound
        } else {
            bound.max(leaves.len())
        };
        rank(graph, &total, digits(most - 1), random)
    };
    let (_, taken) = subtract(graph, &slot, &count, NO_LANE);
    let mut place = slot;
    place.truncate(digits(leaves.len() - 1));
    let moved = tree.descend(graph, taken, place);
    for (place, moved) in places.iter().zip(moved) {
        played[*place] = moved;
    }
    played[fail] = graph.and(&[may_fail, taken ^ 1]);
    let some = graph.or(&count);
    SampledMoves {
        played,
        stuck: graph.and(&[may_fail ^ 1, some ^ 1]),
    }
}

/// The number of slots: `bound` in lanes that may fail, elsewhere the number of legal moves.
fn slots(
    graph: &mut LaneGraph,
    may_fail: Literal,
    bound: usize,
    count: &[Literal],
) -> Vec<Literal> {
    let digit = |i: usize| count.get(i).copied().unwrap_or(NO_LANE);
    (0..digits(bound).max(count.len()))
        .map(|i| {
            let own = graph.and(&[digit(i), may_fail ^ 1]);
            if bound >> i & 1 == 1 {
                graph.or(&[may_fail, own])
            } else {
                own
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::super::lane_word::LaneWord;
    use super::super::tests::{MAX_DEVIATIONS, rounds_of};
    use super::*;

    /// Draws repeatedly among moves of which `fail` is the first; the number of other moves that are
    /// legal in a lane is that of its group `lane % 3`. Returns for each group how often each move
    /// was played.
    fn counts(moves: usize, bound: u32, legal: [usize; 3], fails: bool) -> Vec<Vec<u64>> {
        let group_of = |lane: usize| lane % 3;
        // In groups that do not fail, only the first group fails.
        let may_fail = |lane: usize| fails || group_of(lane) == 0;
        let is_legal = |round: u64, lane: usize, i: usize| {
            // Other moves are legal in every round.
            let place = (i - 1 + round as usize * 7) % (moves - 1);
            place < legal[group_of(lane)]
        };
        let drawn = rounds_of(
            moves,
            900,
            |round, i| {
                let mut word = LaneWord::NONE;
                for lane in 0..LaneWord::LANES {
                    let set = match i {
                        0 => may_fail(lane),
                        _ => is_legal(round, lane, i),
                    };
                    word.set(lane, set);
                }
                word
            },
            |graph, leaves, words| {
                let mut leaves = leaves.to_vec();
                if fails {
                    leaves[0] = EVERY_LANE;
                }
                let drawn = sample_bounded_move(graph, &leaves, 0, bound, words);
                assert!(words.used() as usize <= max_bounded_words(moves, bound));
                if fails && bound.is_power_of_two() {
                    assert_eq!(1 << words.used(), bound);
                }
                drawn
            },
        );
        let mut counts = vec![vec![0; moves]; 3];
        for round in &drawn {
            for (i, word) in round.iter().enumerate() {
                for lane in word.lanes() {
                    counts[group_of(lane)][i] += 1;
                }
            }
        }
        counts
    }

    /// The deviation of a count from its mean, in standard deviations.
    #[allow(clippy::cast_precision_loss)] // counts far below 2^52
    fn deviation(count: u64, draws: u64, share: f64) -> f64 {
        let mean = draws as f64 * share;
        let deviation = (mean * (1.0 - share)).sqrt();
        if deviation == 0.0 {
            return if (count as f64 - mean).abs() < 0.5 {
                0.0
            } else {
                f64::INFINITY
            };
        }
        (count as f64 - mean).abs() / deviation
    }

    const CASES: [(usize, u32, [usize; 3]); 10] = [
        (2, 1, [0, 1, 1]),
        (9, 1, [0, 1, 1]),
        (2, 5, [1, 0, 1]),
        (4, 2, [0, 1, 2]),
        (6, 3, [3, 2, 1]),
        (6, 8, [5, 0, 3]),
        (21, 8, [8, 7, 1]),
        (41, 6, [4, 6, 5]),
        (30, 27, [27, 1, 14]),
        (65, 7, [7, 6, 2]),
    ];

    #[test]
    #[allow(clippy::cast_precision_loss)] // small numbers
    fn every_legal_move_has_one_slot_of_the_bound() {
        for (moves, bound, legal) in CASES {
            let counts = counts(moves, bound, legal, true);
            for (group, counts) in counts.iter().enumerate() {
                let draws: u64 = counts.iter().sum();
                let slots = f64::from(bound);
                let fail = 1.0 - legal[group] as f64 / slots;
                let case = format!("{moves} {bound} {legal:?} group {group}: {counts:?}");
                assert!(deviation(counts[0], draws, fail) < MAX_DEVIATIONS, "{case}");
                // Which moves are legal changes, and all are legal equally often.
                let share = legal[group] as f64 / slots / (moves - 1) as f64;
                for count in &counts[1..] {
                    assert!(deviation(*count, draws, share) < MAX_DEVIATIONS, "{case}");
                }
            }
        }
    }

    #[test]
    #[allow(clippy::cast_precision_loss)] // small numbers
    fn lanes_that_cannot_fail_draw_among_their_legal_moves() {
        for (moves, bound, legal) in CASES {
            // More moves than the bound are legal in lanes that cannot fail.
            let legal = [legal[0].min(bound as usize), moves - 1, 1];
            let counts = counts(moves, bound, legal, false);
            for (group, counts) in counts.iter().enumerate() {
                let draws: u64 = 900
                    * (0..LaneWord::LANES)
                        .filter(|lane| lane % 3 == group)
                        .count() as u64;
                let slots = if group == 0 {
                    bound as usize
                } else {
                    legal[group]
                };
                let fail = 1.0 - legal[group] as f64 / slots as f64;
                let case = format!("{moves} {bound} {legal:?} group {group}: {counts:?}");
                assert!(deviation(counts[0], draws, fail) < MAX_DEVIATIONS, "{case}");
                let share = legal[group] as f64 / slots as f64 / (moves - 1) as f64;
                for count in &counts[1..] {
                    assert!(deviation(*count, draws, share) < MAX_DEVIATIONS, "{case}");
                }
            }
        }
    }

    #[test]
    fn one_slot_needs_no_random_word() {
        let mut graph = LaneGraph::new();
        let leaves: Vec<Literal> = (0..4).map(|slot| graph.leaf(slot)).collect();
        let legal = [leaves[0], EVERY_LANE, leaves[1]];
        let mut words = RandomWords::new(9);
        let drawn = sample_bounded_move(&mut graph, &legal, 1, 1, &mut words);
        assert_eq!(words.used(), 0);
        assert_eq!(drawn.played[0], leaves[0]);
        assert_eq!(drawn.played[2], leaves[1]);
        assert_eq!(drawn.played[1], graph.and(&[leaves[0] ^ 1, leaves[1] ^ 1]));
    }
}
