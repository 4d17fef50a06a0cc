//! The options of the players, one list for each.

use super::option::{Kind, OptionInfo};
use crate::mini;

const fn count(
    name: &'static str,
    default: &'static str,
    min: u64,
    max: u64,
    about: &'static str,
) -> OptionInfo {
    OptionInfo {
        name,
        default,
        kind: Kind::Count { min, max },
        about,
    }
}

const fn number(
    name: &'static str,
    default: &'static str,
    max: f64,
    about: &'static str,
) -> OptionInfo {
    OptionInfo {
        name,
        default,
        kind: Kind::Number { min: 0.0, max },
        about,
    }
}

const fn word(
    name: &'static str,
    words: &'static [&'static str],
    about: &'static str,
) -> OptionInfo {
    OptionInfo {
        name,
        default: words[0],
        kind: Kind::Word(words),
        about,
    }
}

/// What all players can be told.
pub(super) const COMMON: &[OptionInfo] = &[
    OptionInfo {
        name: "engine",
        default: "auto",
        kind: Kind::Engine,
        about: "the engine that works out the rules",
    },
    count("seed", "1", 0, u64::MAX, "where all chance comes from"),
];

pub(super) const SIMULATIONS: OptionInfo = count(
    "simulations",
    "0",
    0,
    u64::MAX,
    "the most playouts for a move; 0 for as many as the time allows",
);
pub(super) const LIMIT: OptionInfo = count(
    "limit",
    "1000",
    1,
    1_000_000,
    "the steps after which a playout is cut",
);

const C: OptionInfo = number("c", "0.7", 100.0, "how much is explored: C of Equation 2.1");
const FPU: OptionInfo = number(
    "fpu",
    "1000",
    1000.0,
    "the score of a move before it is tried; 1000 to try all of them first",
);
const fn loss(default: &'static str) -> OptionInfo {
    number(
        "loss",
        default,
        1.0,
        "how much a playout that is under way counts as lost: 1 to spread out, 0 to go on as before",
    )
}
const WIDEN: OptionInfo = count(
    "widen",
    "60",
    1,
    1_000_000,
    "of more moves than this, the rest is considered bit by bit",
);
const FINAL: OptionInfo = word(
    "final",
    &["robust", "max", "secure"],
    "the move that is played: most visits, best mean, or best lower bound",
);
const MEMORY: OptionInfo = count("memory", "1024", 1, 1 << 20, "the most MiB of the tree");
const THREADS: OptionInfo = count("threads", "1", 1, 1024, "how many threads search");
const EARLY: OptionInfo = word(
    "early",
    &["on", "off"],
    "whether it stops as soon as more thinking could not change the move",
);
const SOLVER: OptionInfo = word(
    "solver",
    &["on", "off"],
    "whether what is certain is worked out",
);
const TRANSPOSITIONS: OptionInfo = word(
    "transpositions",
    &["auto", "on", "off"],
    "whether positions that several ways lead to are kept once; auto where there are enough of them",
);

pub(super) const MCTS: &[OptionInfo] = &[
    C,
    FPU,
    loss("0.2"),
    WIDEN,
    FINAL,
    SIMULATIONS,
    LIMIT,
    MEMORY,
    THREADS,
    word(
        "parallel",
        &["tree", "root", "leaf"],
        "what threads share: one tree, only the results, or the leaves",
    ),
    count(
        "leaves",
        "64",
        1,
        4096,
        "the most leaves played from at once, on engines that play many",
    ),
    count(
        "each",
        "0",
        0,
        4096,
        "the fewest playouts from each of them; 0 for as many as are worth their time",
    ),
    EARLY,
    SOLVER,
    TRANSPOSITIONS,
    word(
        "mast",
        &["off", "on", "auto"],
        "whether playouts prefer moves that did well in others; auto to find out by quick matches whether that is good in this game",
    ),
    word(
        "ngrams",
        &["off", "on"],
        "the same for moves after the one before; such playouts are played one at a time",
    ),
    count(
        "grave",
        "0",
        0,
        u64::MAX,
        "nodes with so many visits tell those below how moves did anywhere; 0 for none",
    ),
    number(
        "bias",
        "0.001",
        1.0,
        "how soon a move's own visits count for more than that",
    ),
    number(
        "epsilon",
        "0.4",
        1.0,
        "the share of random moves in playouts with mast",
    ),
];

pub(super) const MINI: &[OptionInfo] = &[
    word(
        "select",
        &["ucb", "static", "squared", "proportional"],
        "how strategies of simulations are chosen, by what each has earned",
    ),
    number(
        "ucb",
        "5",
        100.0,
        "how much ucb tries of strategies that have earned less: the constant of Equation 3.12",
    ),
    number(
        "look",
        "0.03",
        1.0,
        "the part of the time in which strategies look ahead on engines that play many games at once, otherwise they are followed by habit; 1 for always",
    ),
    word(
        "trial",
        &["on", "off"],
        "whether quick matches against itself find out if random playouts suit the game better than any strategy",
    ),
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

pub(super) const MINI_BASE: &[OptionInfo] = &[
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

pub(super) const MINI_ONE: &[OptionInfo] = &[
    word(
        "strategy",
        mini::STRATEGIES,
        "the strategy of all simulations; random where it cannot be had",
    ),
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

pub(super) const MINIMAX: &[OptionInfo] = &[
    count("depth", "200", 1, 400, "the deepest it looks"),
    count("memory", "256", 1, 1 << 20, "the most MiB of the table"),
    word(
        "others",
        &["auto", "paranoid", "maxn"],
        "what the others want: our harm, or their own best; auto for the first with up to two roles",
    ),
    count(
        "positions",
        "0",
        0,
        u64::MAX,
        "the most positions for a move; 0 for as many as the time allows",
    ),
];

pub(super) const SOLO: &[OptionInfo] = &[
    number(
        "c",
        "0.7",
        100.0,
        "how much the tree explores: C of Equation 4.1",
    ),
    word(
        "score",
        &["max", "mean"],
        "what the tree goes by: the best value of a move, or the mean",
    ),
    word(
        "playouts",
        &["mixed", "explore", "random"],
        "how playouts of the tree choose moves: the six variants of Exploration, at random, or both",
    ),
    word(
        "table",
        &["zobrist", "nested", "off"],
        "how the tree finds positions that several ways lead to: by key, as in section 4.2.3, or not",
    ),
    word(
        "uses",
        &["all", "factors", "breadth", "depth", "tree", "nested"],
        "the techniques that search",
    ),
    count(
        "simulations",
        "0",
        0,
        u64::MAX,
        "the most playouts and positions for a move; 0 for as many as the time allows",
    ),
    LIMIT,
    count(
        "memory",
        "1024",
        1,
        1 << 20,
        "the most MiB of all that is kept",
    ),
    count("threads", "1", 1, 1024, "how many threads search"),
];

/// What can be said about a player whose insides are its own business.
pub(super) const LUDORUM: &[OptionInfo] = &[SIMULATIONS, LIMIT, MEMORY, THREADS, EARLY];
