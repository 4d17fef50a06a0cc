//! The list of players. To add one, add an entry here and a line in [`make`].

use std::sync::Arc;

use ludorum_engines::AnyReasoner;
use ludorum_propnet::CompiledGame;
use ludorum_reasoner::{Reasoner, Role};

use super::Spec;
use super::option::OptionInfo;
use super::options::{
    COMMON, LIMIT, LUDORUM, MCTS, MINI, MINI_BASE, MINI_ONE, MINIMAX, SIMULATIONS, SOLO,
};
use crate::contract::mind::Mind;
use crate::contract::seat::Seat;
use crate::contract::{PlayError, Player};
use crate::mcs::Mcs;
use crate::mcts::Mcts;
use crate::mini;
use crate::minimax::Minimax;
use crate::simple::{Legal, OnePly, Random};
use crate::solo::Solo;
use crate::stepped::SteppedRng;

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
    Ludorum,
}

impl PlayerInfo {
    /// Its options: its own, then those that all players have.
    pub fn options(&self) -> impl Iterator<Item = &'static OptionInfo> + use<> {
        self.own.iter().chain(COMMON)
    }

    /// The names of its options, separated by commas.
    pub(super) fn option_names(&self) -> String {
        let names: Vec<&str> = self.options().map(|option| option.name).collect();
        names.join(", ")
    }
}

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
        about: "for puzzles: looks for the best line in several ways at once; in company it is mcts",
        kind: Which::Solo,
        own: SOLO,
    },
    PlayerInfo {
        name: "ludorum",
        about: "the usual player: solo in puzzles, else mcts with playouts that suit the game",
        kind: Which::Ludorum,
        own: LUDORUM,
    },
];

/// The player where none is named.
pub const USUAL: &str = "ludorum";

/// All players.
pub fn players() -> &'static [PlayerInfo] {
    PLAYERS
}

/// The names of all players.
pub(super) fn names() -> String {
    let names: Vec<&str> = PLAYERS.iter().map(|info| info.name).collect();
    names.join(", ")
}

/// Makes a player on an engine. Players are compiled here, for one type of engine.
pub(super) fn make(
    spec: &Spec,
    game: Option<&Arc<CompiledGame>>,
    reasoner: AnyReasoner,
    role: Role,
) -> Result<Box<dyn Player>, PlayError> {
    let seed = spec.count("seed");
    let rng = SteppedRng::new(seed);
    let is_puzzle = reasoner.roles().len() == 1;
    let rules = game.map(|game| game.rules());
    let solo = |spec: &Spec| Box::new(Solo::new(spec, game.map(Arc::clone)));
    let mind: Box<dyn Mind<AnyReasoner>> = match spec.info.kind {
        Which::Random => Box::new(Random(rng)),
        Which::Legal => Box::new(Legal),
        Which::OnePly => Box::new(OnePly(rng)),
        Which::Mcs => Box::new(Mcs::new(spec)),
        Which::Mcts => Box::new(Mcts::new(spec, &reasoner)),
        // Chapter 4 of the thesis, and nothing else.
        Which::Mini if is_puzzle => solo(&instead(spec, "solo:uses=tree,playouts=explore")),
        Which::Mini => {
            let rival = instead(spec, "mcts:mast=auto");
            Box::new(mini::all(spec, &rival, rules, &reasoner))
        }
        Which::MiniBase => Box::new(mini::base(spec, rules, &reasoner)),
        Which::MiniOne => Box::new(mini::one(spec, rules, &reasoner)),
        Which::Minimax => Box::new(Minimax::new(spec)),
        Which::Solo if is_puzzle => solo(spec),
        Which::Ludorum if is_puzzle => solo(&instead(spec, "solo")),
        // In company no line can be relied on.
        Which::Solo => Box::new(Mcts::new(&instead(spec, "mcts"), &reasoner)),
        Which::Ludorum => Box::new(Mcts::new(&instead(spec, "mcts:mast=auto"), &reasoner)),
    };
    Ok(Box::new(Seat::new(reasoner, role, seed, mind)?))
}

/// Bounds that mean the same to all players that have them.
const BOUNDS: [&str; 6] = ["simulations", "limit", "memory", "threads", "early", "seed"];

/// Another player with the bounds that were written for this one.
fn instead(spec: &Spec, other: &str) -> Spec {
    let Ok(mut player) = other.parse::<Spec>() else {
        return spec.clone();
    };
    for bound in BOUNDS {
        // Not all players have all of them.
        if let Some(written) = spec.written(bound)
            && let Ok(bounded) = player.with(bound, written)
        {
            player = bounded;
        }
    }
    player
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_player_in_the_place_of_another_has_the_same_bounds_and_nothing_else() {
        let spec: Spec = "solo:simulations=7,threads=3,memory=5,seed=9,c=2"
            .parse()
            .unwrap();
        let spec = instead(&spec, "mcts");
        assert_eq!(
            spec.to_string(),
            "mcts:simulations=7,memory=5,threads=3,seed=9"
        );
        let puzzled = instead(&"mini:early=off,seed=2".parse().unwrap(), "solo:uses=tree");
        assert_eq!(puzzled.to_string(), "solo:uses=tree,seed=2");
    }

    #[test]
    fn the_usual_player_exists() {
        assert!(USUAL.parse::<Spec>().is_ok());
    }
}
