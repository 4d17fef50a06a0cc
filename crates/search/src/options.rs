//! The options of the searchers, one list for each.

use ludorum_player::OptionInfo;
use ludorum_player::options::{LIMIT, SIMULATIONS, THREADS};

/// The options of `mcs`.
pub const MCS: &[OptionInfo] = &[SIMULATIONS, LIMIT];

const C: OptionInfo = OptionInfo::number("c", "0.7", 100.0, "the exploration constant C of UCB1");
const FPU: OptionInfo = OptionInfo::number(
    "fpu",
    "1000",
    1000.0,
    "the score of a move before it is tried; 1000 to try all of them first",
);
const fn loss(default: &'static str) -> OptionInfo {
    OptionInfo::number(
        "loss",
        default,
        1.0,
        "virtual loss: the fraction of a pending visit that counts as lost",
    )
}
const WIDEN: OptionInfo = OptionInfo::count(
    "widen",
    "60",
    1,
    1_000_000,
    "progressive widening: of more moves than this, the rest is added with the visits",
);
const FINAL: OptionInfo = OptionInfo::word(
    "final",
    &["robust", "max", "secure"],
    "the move that is played: most visits, best mean, or best lower bound",
);
/// The memory limit of the tree.
pub const MEMORY: OptionInfo =
    OptionInfo::count("memory", "1024", 1, 1 << 20, "the most MiB of the tree");
/// Whether the search ends early.
pub const EARLY: OptionInfo = OptionInfo::word(
    "early",
    &["on", "off"],
    "whether it stops when more simulations cannot change the move",
);
const SOLVER: OptionInfo = OptionInfo::word(
    "solver",
    &["on", "off"],
    "whether goals are proven (score-bounded search)",
);
const TRANSPOSITIONS: OptionInfo = OptionInfo::word(
    "transpositions",
    &["auto", "on", "off"],
    "whether transpositions share a node; auto where there are enough of them",
);

/// The options of `mcts`.
pub const MCTS: &[OptionInfo] = &[
    C,
    FPU,
    loss("0.2"),
    WIDEN,
    FINAL,
    SIMULATIONS,
    LIMIT,
    MEMORY,
    THREADS,
    OptionInfo::word(
        "parallel",
        &["tree", "root", "leaf"],
        "what threads share: one tree, only the results, or the leaves",
    ),
    OptionInfo::count(
        "leaves",
        "64",
        1,
        4096,
        "the most leaves played from at once, on engines that play many",
    ),
    OptionInfo::count(
        "each",
        "0",
        0,
        4096,
        "the playouts from each of them; 0 to adapt the number to the engine",
    ),
    EARLY,
    SOLVER,
    TRANSPOSITIONS,
    OptionInfo::word(
        "mast",
        &["off", "on", "auto"],
        "whether MAST guides playouts; auto to decide by quick matches against itself",
    ),
    OptionInfo::word(
        "ngrams",
        &["off", "on"],
        "N-grams of length 2 besides MAST; such playouts are played one at a time",
    ),
    OptionInfo::count(
        "grave",
        "0",
        0,
        u64::MAX,
        "GRAVE: the visits from which on a node records AMAF values; 0 for none",
    ),
    OptionInfo::number(
        "bias",
        "0.001",
        1.0,
        "GRAVE: how soon a move's own visits outweigh its AMAF value",
    ),
    OptionInfo::number(
        "epsilon",
        "0.4",
        1.0,
        "the fraction of random moves in playouts guided by MAST",
    ),
];

/// The options of the tree of `mini` and its variants.
const STRATEGY_TREE: [OptionInfo; 12] = [
    C,
    FPU,
    loss("1"),
    WIDEN,
    FINAL,
    SIMULATIONS,
    LIMIT,
    MEMORY,
    THREADS,
    EARLY,
    SOLVER,
    TRANSPOSITIONS,
];

/// The options of `mini`.
pub const MINI: &[OptionInfo] = &with_strategy_tree::<16>(&[
    OptionInfo::word(
        "select",
        &["ucb", "static", "squared", "proportional"],
        "how simulation strategies are selected by their results",
    ),
    OptionInfo::number(
        "ucb",
        "5",
        100.0,
        "the exploration constant of select=ucb (Świechowski 2015, equation 3.12)",
    ),
    OptionInfo::number(
        "look",
        "0.03",
        1.0,
        "the fraction of the time in which strategies look ahead on engines that play many games at once; 1 for always",
    ),
    OptionInfo::word(
        "trial",
        &["on", "off"],
        "whether quick matches against itself find out if random playouts suit the game better than any strategy",
    ),
]);

/// The options of `mini-base`.
pub const MINI_BASE: &[OptionInfo] = &STRATEGY_TREE;

/// The options of `mini-1s`.
pub const MINI_ONE: &[OptionInfo] = &with_strategy_tree::<13>(&[OptionInfo::word(
    "strategy",
    &[
        "random",
        "goal",
        "history",
        "mobility",
        "exploration",
        "symbols",
        "score",
    ],
    "the strategy of all simulations; random where it cannot be had",
)]);

/// Options followed by those of [`STRATEGY_TREE`], `N` in all.
const fn with_strategy_tree<const N: usize>(own: &[OptionInfo]) -> [OptionInfo; N] {
    assert!(own.len() + STRATEGY_TREE.len() == N);
    let mut all = [C; N];
    let mut i = 0;
    while i < N {
        all[i] = if i < own.len() {
            own[i]
        } else {
            STRATEGY_TREE[i - own.len()]
        };
        i += 1;
    }
    all
}

/// The options of `minimax`.
pub const MINIMAX: &[OptionInfo] = &[
    OptionInfo::count("depth", "200", 1, 400, "the maximum depth"),
    OptionInfo::count("memory", "256", 1, 1 << 20, "the most MiB of the table"),
    OptionInfo::word(
        "others",
        &["auto", "paranoid", "maxn"],
        "what the other roles maximise: our loss (paranoid) or their own goals (maxn); auto: paranoid with up to two roles",
    ),
    OptionInfo::count(
        "positions",
        "0",
        0,
        u64::MAX,
        "the most positions for a move; 0 for as many as the time allows",
    ),
];
