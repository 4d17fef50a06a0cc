//! The options of the player `solo`.

use ludorum_player::OptionInfo;
use ludorum_player::options::{LIMIT, THREADS};

/// The options of the player `solo`.
pub const SOLO: &[OptionInfo] = &[
    OptionInfo::number(
        "c",
        "0.7",
        100.0,
        "exploration constant C of UCT (Świechowski 2015, equation 4.1)",
    ),
    OptionInfo::word(
        "score",
        &["max", "mean"],
        "the value of a move in UCT: the best of its lines, or the mean",
    ),
    OptionInfo::word(
        "playouts",
        &["mixed", "explore", "random"],
        "how playouts of UCT choose moves: by the six Exploration variants, at random, or both",
    ),
    OptionInfo::word(
        "table",
        &["zobrist", "nested", "off"],
        "how UCT recognises transpositions: by Zobrist key, by nested tables, or not",
    ),
    OptionInfo::word(
        "uses",
        &["all", "factors", "breadth", "depth", "tree", "nested"],
        "the search techniques to use",
    ),
    OptionInfo::count(
        "simulations",
        "0",
        0,
        u64::MAX,
        "maximal number of playouts and positions for a move; 0 for no limit",
    ),
    LIMIT,
    OptionInfo::count("memory", "1024", 1, 1 << 20, "memory limit in MiB"),
    THREADS,
];
