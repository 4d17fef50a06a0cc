//! The options of `solo`.

use ludorum_player::OptionInfo;
use ludorum_player::options::{LIMIT, THREADS};

/// The options of `solo`.
pub const SOLO: &[OptionInfo] = &[
    OptionInfo::number(
        "c",
        "0.7",
        100.0,
        "how much the tree explores: C of Equation 4.1",
    ),
    OptionInfo::word(
        "score",
        &["max", "mean"],
        "what the tree goes by: the best value of a move, or the mean",
    ),
    OptionInfo::word(
        "playouts",
        &["mixed", "explore", "random"],
        "how playouts of the tree choose moves: the six variants of Exploration, at random, or both",
    ),
    OptionInfo::word(
        "table",
        &["zobrist", "nested", "off"],
        "how the tree finds positions that several ways lead to: by key, as in section 4.2.3, or not",
    ),
    OptionInfo::word(
        "uses",
        &["all", "factors", "breadth", "depth", "tree", "nested"],
        "the techniques that search",
    ),
    OptionInfo::count(
        "simulations",
        "0",
        0,
        u64::MAX,
        "the most playouts and positions for a move; 0 for as many as the time allows",
    ),
    LIMIT,
    OptionInfo::count(
        "memory",
        "1024",
        1,
        1 << 20,
        "the most MiB of all that is kept",
    ),
    THREADS,
];
