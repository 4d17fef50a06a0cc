//! Move sampling: a uniformly random legal move for every lane, as operations of the graph.
//!
//! The legal moves of a role are the leaves of a balanced tree, in which each inner node has two
//! subtrees and a leaf between them. Upwards, ripple-carry adders count the legal moves below each
//! node, in binary with a word for each digit. The leaf in the middle is the carry in, so it costs
//! nothing. At the root a rank below the count is drawn: the count times a random fraction, rounded
//! down (Lemire 2019). Downwards, the rank is compared with the count of the left subtree and the
//! middle: a lane with a smaller rank goes left or takes the middle leaf, any other goes right with
//! the difference. Every lane arrives at one leaf, which is its move.
//!
//! A random fraction with [`EXTRA_DIGITS`] binary digits more than the count gives each of n moves
//! a probability between (1 - 2^-EXTRA_DIGITS) / n and (1 + 2^-EXTRA_DIGITS) / n; two moves have
//! exactly 1/2 each.

mod bounded;

pub(super) use self::bounded::{max_bounded_words, sample_bounded_move};
use super::graph::{EVERY_LANE, LaneGraph, Literal, NO_LANE};

/// Random digits beyond those of the count.
const EXTRA_DIGITS: usize = 10;

/// A range of slots that is filled with random words before each step.
#[derive(Debug)]
pub(super) struct RandomWords {
    first: u32,
    used: u32,
}

impl RandomWords {
    pub(super) fn new(first: u32) -> Self {
        Self { first, used: 0 }
    }

    /// How many words have been used.
    pub(super) fn used(&self) -> u32 {
        self.used
    }

    fn next(&mut self, graph: &mut LaneGraph) -> Literal {
        self.used += 1;
        graph.leaf(self.first + self.used - 1)
    }
}

/// An upper bound on the random words for sampling among some moves.
pub(super) fn max_words(moves: usize) -> usize {
    match moves {
        0 | 1 => 0,
        2 => 1,
        _ => digits(moves) + EXTRA_DIGITS,
    }
}

/// The result of sampling.
#[derive(Debug)]
pub(super) struct SampledMoves {
    /// For each move, the lanes that play it.
    pub(super) played: Vec<Literal>,
    /// The lanes without a legal move.
    pub(super) stuck: Literal,
}

/// Samples among the moves of a role, given the lanes in which each is legal.
pub(super) fn sample_move(
    graph: &mut LaneGraph,
    legal: &[Literal],
    random: &mut RandomWords,
) -> SampledMoves {
    let mut played = vec![NO_LANE; legal.len()];
    let places: Vec<usize> = (0..legal.len()).filter(|i| legal[*i] != NO_LANE).collect();
    let leaves: Vec<Literal> = places.iter().map(|i| legal[*i]).collect();
    let stuck = match leaves[..] {
        [] => EVERY_LANE,
        [only] => {
            played[places[0]] = only;
            only ^ 1
        }
        [a, b] => {
            let coin = random.next(graph);
            // The second move if the first is illegal, or if both are legal and the coin is set.
            let second = graph.or(&[a ^ 1, coin]);
            let second = graph.and(&[b, second]);
            played[places[1]] = second;
            played[places[0]] = graph.and(&[a, second ^ 1]);
            graph.and(&[a ^ 1, b ^ 1])
        }
        _ => {
            let mut tree = Tree::count(graph, &leaves, usize::MAX);
            let total = tree.nodes[tree.root].count.clone();
            let some = graph.or(&total);
            let rank = rank(graph, &total, digits(leaves.len() - 1), random);
            let taken = tree.descend(graph, some, rank);
            for (place, taken) in places.iter().zip(taken) {
                played[*place] = taken;
            }
            some ^ 1
        }
    };
    SampledMoves { played, stuck }
}

/// The number of binary digits of a number.
fn digits(number: usize) -> usize {
    (usize::BITS - number.leading_zeros()) as usize
}

/// A random number below `total`, or 0 where that is 0, with `width` digits.
fn rank(
    graph: &mut LaneGraph,
    total: &[Literal],
    width: usize,
    random: &mut RandomWords,
) -> Vec<Literal> {
    // Multiplies by the fraction, from its lowest digit up: add, then shift right.
    let mut sum = vec![NO_LANE; total.len()];
    for _ in 0..total.len() + EXTRA_DIGITS {
        let digit = random.next(graph);
        let mut carry = NO_LANE;
        let mut shifted = Vec::with_capacity(total.len());
        for (i, (part, count)) in sum.iter().zip(total).enumerate() {
            let product = graph.and(&[*count, digit]);
            if i > 0 {
                shifted.push(graph.odd([*part, product, carry]));
            }
            carry = graph.majority([*part, product, carry]);
        }
        shifted.push(carry);
        sum = shifted;
    }
    sum.truncate(width);
    sum
}

struct Node {
    /// The number of leaves below.
    size: usize,
    children: Option<Children>,
    count: Vec<Literal>,
}

#[derive(Clone, Copy)]
struct Children {
    left: usize,
    /// The leaf in the middle; `NO_LANE` if there is none.
    middle: Literal,
    right: usize,
}

struct Tree {
    nodes: Vec<Node>,
    root: usize,
    /// Counts have at most so many digits.
    width: usize,
}

impl Tree {
    /// Builds the tree and counts the legal moves from the leaves up. No lane has more of them than
    /// `width` digits can tell.
    fn count(graph: &mut LaneGraph, leaves: &[Literal], width: usize) -> Self {
        let mut tree = Self {
            nodes: Vec::with_capacity(2 * leaves.len()),
            root: 0,
            width,
        };
        tree.root = tree.build(graph, leaves);
        tree
    }

    /// Recursive; the depth is logarithmic in the number of moves.
    fn build(&mut self, graph: &mut LaneGraph, leaves: &[Literal]) -> usize {
        let size = leaves.len();
        let (children, count) = if let [leaf] = leaves {
            (None, vec![*leaf])
        } else {
            // The left subtree has one leaf less than a power of two, so that no value of its
            // count's digits is unused.
            let middle = usize::from(size > 2);
            let left = (1 << (digits(size - 1) - 1)) - middle;
            let right = self.build(graph, &leaves[left + middle..]);
            let left_node = self.build(graph, &leaves[..left]);
            let carry = if middle == 1 { leaves[left] } else { NO_LANE };
            let (a, b) = (&self.nodes[left_node].count, &self.nodes[right].count);
            let sum = add(graph, a, b, carry, digits(size).min(self.width));
            let children = Children {
                left: left_node,
                middle: carry,
                right,
            };
            (Some(children), sum)
        };
        self.nodes.push(Node {
            size,
            children,
            count,
        });
        self.nodes.len() - 1
    }

    /// Propagates ranks from the root down; returns the lanes that arrive at each leaf.
    fn descend(
        &mut self,
        graph: &mut LaneGraph,
        lanes: Literal,
        rank: Vec<Literal>,
    ) -> Vec<Literal> {
        /// A subtree to be visited, or a leaf that has been reached.
        enum Open {
            Node(usize, Literal, Vec<Literal>),
            Leaf(Literal),
        }
        let mut taken = Vec::new();
        let mut open = vec![Open::Node(self.root, lanes, rank)];
        while let Some(next) = open.pop() {
            let (node, lanes, mut rank) = match next {
                Open::Leaf(lanes) => {
                    taken.push(lanes);
                    continue;
                }
                Open::Node(node, lanes, rank) => (node, lanes, rank),
            };
            let Some(children) = self.nodes[node].children else {
                taken.push(lanes);
                continue;
            };
            let (left, right) = (&self.nodes[children.left], &self.nodes[children.right]);
            let (mut rest, smaller) = subtract(graph, &rank, &left.count, children.middle);
            let go_right = graph.and(&[lanes, smaller ^ 1]);
            // In the middle the rank equals the count on the left: minus the borrow, all digits are
            // set.
            let stay = if children.middle == NO_LANE {
                NO_LANE
            } else {
                let mut all = rest.clone();
                all.extend([lanes, children.middle]);
                graph.and(&all)
            };
            let go_left = graph.and(&[lanes, smaller, stay ^ 1]);
            rank.truncate(digits(left.size - 1));
            rest.truncate(digits(right.size - 1));
            // The left subtree is popped first, so that leaves come out in order.
            open.push(Open::Node(children.right, go_right, rest));
            if children.middle != NO_LANE {
                open.push(Open::Leaf(stay));
            }
            open.push(Open::Node(children.left, go_left, rank));
        }
        taken
    }
}

/// The sum of two numbers and a carry, with `width` digits.
fn add(
    graph: &mut LaneGraph,
    a: &[Literal],
    b: &[Literal],
    mut carry: Literal,
    width: usize,
) -> Vec<Literal> {
    let digit = |number: &[Literal], i: usize| number.get(i).copied().unwrap_or(NO_LANE);
    (0..width)
        .map(|i| {
            let (x, y) = (digit(a, i), digit(b, i));
            let sum = graph.odd([x, y, carry]);
            carry = graph.majority([x, y, carry]);
            sum
        })
        .collect()
}

/// The difference of two numbers and a borrow, and the lanes in which it is negative.
fn subtract(
    graph: &mut LaneGraph,
    a: &[Literal],
    b: &[Literal],
    mut borrow: Literal,
) -> (Vec<Literal>, Literal) {
    let digit = |number: &[Literal], i: usize| number.get(i).copied().unwrap_or(NO_LANE);
    let difference = (0..a.len().max(b.len()))
        .map(|i| {
            let (x, y) = (digit(a, i), digit(b, i));
            let digit = graph.odd([x, y, borrow]);
            borrow = graph.majority([x ^ 1, y, borrow]);
            digit
        })
        .collect();
    (difference, borrow)
}

#[cfg(test)]
mod tests {
    use super::super::code::{Code, SectionRequest};
    use super::super::interpreter;
    use super::super::lane_random::LaneRandom;
    use super::super::lane_word::LaneWord;
    use super::*;

    /// Samples repeatedly; returns the words of the moves in each round.
    fn rounds(
        moves: usize,
        rounds: u64,
        legal: impl Fn(u64, usize) -> LaneWord,
    ) -> Vec<Vec<LaneWord>> {
        let sample = |graph: &mut LaneGraph, legal: &[Literal], words: &mut RandomWords| {
            let drawn = sample_move(graph, legal, words);
            assert!(words.used() as usize <= max_words(legal.len()));
            drawn
        };
        rounds_of(moves, rounds, legal, sample)
    }

    /// The same with a function that samples.
    pub(super) fn rounds_of(
        moves: usize,
        rounds: u64,
        legal: impl Fn(u64, usize) -> LaneWord,
        sample: impl FnOnce(&mut LaneGraph, &[Literal], &mut RandomWords) -> SampledMoves,
    ) -> Vec<Vec<LaneWord>> {
        let mut graph = LaneGraph::new();
        let leaves: Vec<Literal> = (0..moves).map(|i| graph.leaf(i as u32)).collect();
        let first_random = 2 * moves as u32 + 1;
        let mut words = RandomWords::new(first_random);
        let drawn = sample(&mut graph, &leaves, &mut words);
        let played = drawn.played.iter().enumerate();
        let mut stores: Vec<(Literal, u32)> =
            played.map(|(i, lit)| (*lit, (moves + i) as u32)).collect();
        stores.push((drawn.stuck, 2 * moves as u32));
        let request = SectionRequest {
            stores,
            ..SectionRequest::default()
        };
        let code = Code::new(&graph, &[request], first_random + words.used());
        let mut memory = vec![LaneWord::NONE; code.slots as usize];
        let mut random = LaneRandom::new(42);
        (0..rounds)
            .map(|round| {
                for (i, word) in memory[..moves].iter_mut().enumerate() {
                    *word = legal(round, i);
                }
                random.fill(&mut memory[first_random as usize..][..words.used() as usize]);
                interpreter::run(&code, 0, &mut memory);
                // Every lane plays exactly one of its legal moves, or is stuck.
                let mut once = memory[2 * moves];
                for i in 0..moves {
                    let (may, does) = (memory[i], memory[moves + i]);
                    assert!(does.without(may).is_empty(), "only legal moves are played");
                    assert!(does.and(once).is_empty(), "only one move is played");
                    once = once.or(does);
                }
                assert_eq!(once, LaneWord::ALL);
                memory[moves..2 * moves].to_vec()
            })
            .collect()
    }

    /// The chi-square statistic of counts that should be equal, in standard deviations from its
    /// mean. A value above [`MAX_DEVIATIONS`] has a probability below 1 in 10,000.
    #[allow(clippy::cast_precision_loss)] // counts far below 2^52
    fn deviations(counts: &[u64]) -> f64 {
        let total: u64 = counts.iter().sum();
        let expected = total as f64 / counts.len() as f64;
        let distance = |count: &u64| (*count as f64 - expected).powi(2) / expected;
        let square: f64 = counts.iter().map(distance).sum();
        let freedom = (counts.len() - 1) as f64;
        (square - freedom) / (2.0 * freedom).sqrt()
    }

    pub(super) const MAX_DEVIATIONS: f64 = 6.0;

    #[test]
    fn sampling_is_uniform_among_all_moves() {
        for moves in [2, 3, 5, 7, 8, 9, 17, 33, 64, 100] {
            let drawn = rounds(moves, 600, |_, _| LaneWord::ALL);
            let counts: Vec<u64> = (0..moves)
                .map(|i| drawn.iter().map(|round| u64::from(round[i].count())).sum())
                .collect();
            assert!(
                deviations(&counts) < MAX_DEVIATIONS,
                "{moves} moves: {counts:?}"
            );
        }
    }

    #[test]
    fn sampling_is_uniform_among_the_legal_moves() {
        // The legal moves of a lane depend on its number modulo 3; each class must be uniform.
        let moves = 12;
        let legal = |i: usize, lane: usize| match lane % 3 {
            0 => i < 5,
            1 => i % 2 == 1,
            _ => i != 7,
        };
        let drawn = rounds(moves, 900, |_, i| {
            let mut word = LaneWord::NONE;
            for lane in 0..LaneWord::LANES {
                word.set(lane, legal(i, lane));
            }
            word
        });
        for group in 0..3 {
            let mut counts = Vec::new();
            for i in (0..moves).filter(|i| legal(*i, group)) {
                let lanes = |word: LaneWord| word.lanes().filter(|lane| lane % 3 == group).count();
                counts.push(drawn.iter().map(|round| lanes(round[i]) as u64).sum());
            }
            assert!(
                deviations(&counts) < MAX_DEVIATIONS,
                "group {group}: {counts:?}"
            );
        }
    }

    #[test]
    fn lanes_without_a_legal_move_are_reported() {
        for moves in [1, 2, 3, 20] {
            rounds(moves, 3, |round, i| match round {
                0 => LaneWord::NONE,
                1 => LaneWord::splat(i == moves - 1),
                _ => LaneWord::ALL,
            });
        }
    }

    #[test]
    fn lanes_and_rounds_are_independent() {
        let moves = 4;
        let drawn = rounds(moves, 6_000, |_, _| LaneWord::ALL);
        let choice = |round: &[LaneWord], lane: usize| {
            (0..moves).find(|i| round[*i].get(lane)).expect("a move")
        };
        let table: Vec<Vec<usize>> = drawn
            .iter()
            .map(|round| {
                (0..LaneWord::LANES)
                    .map(|lane| choice(round, lane))
                    .collect()
            })
            .collect();
        // All 16 combinations of moves in pairs of lanes, and of rounds, must be equally frequent.
        for distance in [1, 2, 32, 63, 64, 128] {
            let mut counts = vec![0u64; moves * moves];
            for round in &table {
                for lane in (0..LaneWord::LANES - distance).step_by(7) {
                    counts[round[lane] * moves + round[lane + distance]] += 1;
                }
            }
            assert!(
                deviations(&counts) < MAX_DEVIATIONS,
                "distance {distance}: {counts:?}"
            );
        }
        let mut counts = vec![0u64; moves * moves];
        for pair in table.windows(2) {
            for lane in 0..LaneWord::LANES {
                counts[pair[0][lane] * moves + pair[1][lane]] += 1;
            }
        }
        assert!(deviations(&counts) < MAX_DEVIATIONS, "rounds: {counts:?}");
    }
}
