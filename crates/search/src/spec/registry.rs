//! The list of players. To add one, add an entry here and a line in [`make`].

use std::sync::Arc;

use ludorum_logic::Rules;
use ludorum_reason::{Reasoner, Role};

use super::Spec;
use super::option::{Kind, OptionInfo};
use crate::contract::mind::Mind;
use crate::contract::seat::Seat;
use crate::contract::{PlayError, Player};
use crate::mcs::Mcs;
use crate::mcts::Mcts;
use crate::mini;
use crate::minimax::Minimax;
use crate::simple::{Legal, OnePly, Random};
use crate::solo::Solo;
use crate::stepped::SteppedDice;

/// A player that can be chosen by name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlayerInfo {
    /// The name to choose it by.
    pub name: &'static str,
    /// One line about it.
    pub about: &'static str,
    kind: Which,
    own: &'static [OptionInfo],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Which {
    Random,
    Legal,
    OnePly,
    Mcs,
    Mcts,
    Mini,
    MiniBase,
    MiniOne,
    Minimax,
    Solo,
}

impl PlayerInfo {
    /// Its options: its own, then those that all players have.
    pub fn options(&self) -> impl Iterator<Item = &'static OptionInfo> + use<> {
        self.own.iter().chain(COMMON)
    }
}

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
const COMMON: &[OptionInfo] = &[
    OptionInfo {
        name: "engine",
        default: "auto",
        kind: Kind::Engine,
        about: "the engine that works out the rules",
    },
    count("seed", "1", 0, u64::MAX, "where all chance comes from"),
];

const SIMULATIONS: OptionInfo = count(
    "simulations",
    "0",
    0,
    u64::MAX,
    "the most playouts for a move; 0 for as many as the time allows",
);
const LIMIT: OptionInfo = count(
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

const MCTS: &[OptionInfo] = &[
    C,
    FPU,
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
        &["off", "on"],
        "whether playouts prefer moves that did well in others",
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

const MINI: &[OptionInfo] = &[
    word(
        "select",
        &["ucb", "static", "squared", "proportional"],
        "how a strategy is chosen for a simulation, by what each has earned",
    ),
    number(
        "ucb",
        "5",
        100.0,
        "how much ucb tries of strategies that have earned less: the constant of Equation 3.12",
    ),
    word(
        "share",
        &["simulations", "time"],
        "what ucb shares out among strategies",
    ),
    C,
    FPU,
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

const MINI_BASE: &[OptionInfo] = &[
    C,
    FPU,
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

const MINI_ONE: &[OptionInfo] = &[
    word(
        "strategy",
        mini::STRATEGIES,
        "the strategy of all simulations; random where it cannot be had",
    ),
    C,
    FPU,
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

const MINIMAX: &[OptionInfo] = &[
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

const SOLO: &[OptionInfo] = &[
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

/// All players, the simplest first.
const PLAYERS: &[PlayerInfo] = &[
    PlayerInfo {
        name: "random",
        about: "any legal move",
        kind: Which::Random,
        own: &[],
    },
    PlayerInfo {
        name: "legal",
        about: "the first legal move",
        kind: Which::Legal,
        own: &[],
    },
    PlayerInfo {
        name: "one-ply",
        about: "a move that wins at once, none that loses at once, otherwise any",
        kind: Which::OnePly,
        own: &[],
    },
    PlayerInfo {
        name: "mcs",
        about: "flat Monte Carlo: the move whose playouts end best",
        kind: Which::Mcs,
        own: &[SIMULATIONS, LIMIT],
    },
    PlayerInfo {
        name: "mcts",
        about: "Monte Carlo tree search",
        kind: Which::Mcts,
        own: MCTS,
    },
    PlayerInfo {
        name: "mini",
        about: "tree search whose playouts follow the strategies that have earned most",
        kind: Which::Mini,
        own: MINI,
    },
    PlayerInfo {
        name: "mini-base",
        about: "the same with one strategy, the history heuristic",
        kind: Which::MiniBase,
        own: MINI_BASE,
    },
    PlayerInfo {
        name: "mini-1s",
        about: "the same with one strategy of your choice",
        kind: Which::MiniOne,
        own: MINI_ONE,
    },
    PlayerInfo {
        name: "minimax",
        about: "looks at everything, deeper and deeper; perfect in small games",
        kind: Which::Minimax,
        own: MINIMAX,
    },
    PlayerInfo {
        name: "solo",
        about: "for puzzles: looks for a line to the best goal in several ways at once; with several roles it plays as mcts",
        kind: Which::Solo,
        own: SOLO,
    },
];

/// All players.
pub fn players() -> &'static [PlayerInfo] {
    PLAYERS
}

/// The names of all players.
pub(super) fn names() -> String {
    let names: Vec<&str> = PLAYERS.iter().map(|info| info.name).collect();
    names.join(", ")
}

/// Makes a player on an engine.
pub(super) fn make<R: Reasoner + 'static>(
    spec: &Spec,
    rules: Option<&Arc<Rules>>,
    reasoner: R,
    role: Role,
) -> Result<Box<dyn Player>, PlayError> {
    let seed = spec.count("seed");
    let dice = SteppedDice::new(seed);
    let mind: Box<dyn Mind<R>> = match spec.info.kind {
        Which::Random => Box::new(Random(dice)),
        Which::Legal => Box::new(Legal),
        Which::OnePly => Box::new(OnePly(dice)),
        Which::Mcs => Box::new(Mcs::new(spec)),
        Which::Mcts => Box::new(Mcts::new(spec, &reasoner)),
        Which::Mini => Box::new(mini::all(spec, rules, &reasoner)),
        Which::MiniBase => Box::new(mini::base(spec, rules, &reasoner)),
        Which::MiniOne => Box::new(mini::one(spec, rules, &reasoner)),
        Which::Minimax => Box::new(Minimax::new(spec)),
        Which::Solo if reasoner.roles().len() == 1 => Box::new(Solo::new(spec)),
        Which::Solo => Box::new(Mcts::new(&in_company(spec), &reasoner)),
    };
    Ok(Box::new(Seat::new(reasoner, role, seed, mind)?))
}

/// What `solo` is in a game of several roles, where no line can be relied on: `mcts` with the options that both have.
fn in_company(spec: &Spec) -> Spec {
    let options = ["simulations", "limit", "memory", "threads", "seed"];
    let written = options.map(|option| format!("{option}={}", spec.count(option)));
    let text = format!("mcts:{}", written.join(","));
    // The ranges of these options are the same, so there is nothing that could be wrong with it.
    text.parse().unwrap_or_else(|_| spec.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_company_solo_is_mcts_with_the_same_bounds() {
        let spec: Spec = "solo:simulations=7,threads=3,memory=5,seed=9,c=2"
            .parse()
            .unwrap();
        let spec = in_company(&spec);
        assert_eq!(spec.info().name, "mcts");
        assert_eq!(spec.count("simulations"), 7);
        assert_eq!(spec.count("threads"), 3);
        assert_eq!(spec.count("memory"), 5);
        assert_eq!(spec.count("seed"), 9);
        assert!((spec.number("c") - 0.7).abs() < 1e-9);
    }
}
