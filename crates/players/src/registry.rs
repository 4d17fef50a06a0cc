//! The list of players. To add a player, write its [`Searcher`] and add an entry to `PLAYERS`.

use std::sync::Arc;

use ludorum_engines::{AnyReasoner, Engine};
use ludorum_player::options::{LIMIT, SEED, SIMULATIONS, THREADS};
use ludorum_player::{
    OptionInfo, OptionKind, OptionValues, PlayError, Player, SearchPlayer, Searcher, SteppedRng,
};
use ludorum_propnet::CompiledGame;
use ludorum_puzzle::PuzzleSearcher;
use ludorum_reasoner::{Reasoner, Role};
use ludorum_search::options::{EARLY, MCS, MCTS, MEMORY, MINI, MINI_BASE, MINI_ONE, MINIMAX};
use ludorum_search::{Legal, Mcs, Mcts, Minimax, OnePly, Random, mini};

/// A player that can be chosen by name.
#[derive(Clone, Copy, Debug)]
pub struct PlayerInfo {
    /// The name to choose it by.
    pub name: &'static str,
    /// One line about it.
    pub about: &'static str,
    /// Its options besides [`COMMON`].
    own: &'static [OptionInfo],
    searcher: MakeSearcher,
}

/// Makes the searcher of a player.
type MakeSearcher = fn(&OptionValues, &Context<'_>) -> Box<dyn Searcher<AnyReasoner>>;

/// What a searcher may be made from, besides its options.
struct Context<'a> {
    /// The rules and the compiled forms of the game, if they are known.
    game: Option<&'a Arc<CompiledGame>>,
    reasoner: &'a AnyReasoner,
}

impl Context<'_> {
    fn is_puzzle(&self) -> bool {
        self.reasoner.roles().len() == 1
    }

    fn solo(&self, options: &OptionValues) -> Box<dyn Searcher<AnyReasoner>> {
        Box::new(PuzzleSearcher::new(options, self.game.map(Arc::clone)))
    }

    fn mcts(&self, options: &OptionValues) -> Box<dyn Searcher<AnyReasoner>> {
        Box::new(Mcts::new(options, self.reasoner))
    }
}

/// Players are equal if they have the same name.
impl PartialEq for PlayerInfo {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl PlayerInfo {
    /// Its options: its own, then those that all players have.
    pub fn options(&self) -> impl Iterator<Item = &'static OptionInfo> + use<> {
        self.own.iter().chain(COMMON)
    }
}

const ENGINE_NAMES: &[&str] = &{
    let mut names = [""; Engine::ALL.len()];
    let mut i = 0;
    while i < names.len() {
        names[i] = Engine::ALL[i].name();
        i += 1;
    }
    names
};

/// The engine of a player, with the options of the engine.
pub(crate) const ENGINE: OptionInfo = OptionInfo {
    name: "engine",
    default: "auto",
    kind: OptionKind::Name(ENGINE_NAMES),
    about: "the engine that works out the rules",
};

/// The options of all players.
const COMMON: &[OptionInfo] = &[ENGINE, SEED];

/// The options of the default player; those of the player it stands for have their defaults.
const LUDORUM: &[OptionInfo] = &[SIMULATIONS, LIMIT, MEMORY, THREADS, EARLY];

/// All players, the simplest first. A static, because every crate that uses a constant compiles the
/// functions in it once more, and these are all searchers.
static PLAYERS: [PlayerInfo; 11] = [
    PlayerInfo {
        name: "random",
        about: "any legal move",
        own: &[],
        searcher: |options, _| Box::new(Random(stepped_rng(options))),
    },
    PlayerInfo {
        name: "legal",
        about: "the first legal move",
        own: &[],
        searcher: |_, _| Box::new(Legal),
    },
    PlayerInfo {
        name: "one-ply",
        about: "a move that wins at once, none that loses at once, otherwise any",
        own: &[],
        searcher: |options, _| Box::new(OnePly(stepped_rng(options))),
    },
    PlayerInfo {
        name: "mcs",
        about: "flat Monte Carlo: the move whose playouts end best",
        own: MCS,
        searcher: |options, _| Box::new(Mcs::new(options)),
    },
    PlayerInfo {
        name: "mcts",
        about: "Monte Carlo tree search",
        own: MCTS,
        searcher: |options, context| context.mcts(options),
    },
    PlayerInfo {
        name: "mini",
        about: "tree search whose playouts follow the most successful strategies",
        own: MINI,
        searcher: |options, context| {
            if context.is_puzzle() {
                // Świechowski 2015, chapter 4, and nothing else.
                let solo = substitute(options, "solo:uses=tree,playouts=explore");
                return context.solo(&solo);
            }
            let rules = context.game.map(|game| game.rules());
            let trial = substitute(options, "mcts:mast=auto");
            Box::new(mini::all(options, &trial, rules, context.reasoner))
        },
    },
    PlayerInfo {
        name: "mini-base",
        about: "tree search whose playouts follow the history heuristic",
        own: MINI_BASE,
        searcher: |options, context| {
            let rules = context.game.map(|game| game.rules());
            Box::new(mini::base(options, rules, context.reasoner))
        },
    },
    PlayerInfo {
        name: "mini-1s",
        about: "tree search whose playouts follow one strategy of your choice",
        own: MINI_ONE,
        searcher: |options, context| {
            let rules = context.game.map(|game| game.rules());
            Box::new(mini::one(options, rules, context.reasoner))
        },
    },
    PlayerInfo {
        name: "minimax",
        about: "iterative deepening with alpha-beta or max^n; perfect in small games",
        own: MINIMAX,
        searcher: |options, _| Box::new(Minimax::new(options)),
    },
    PlayerInfo {
        name: "solo",
        about: "for puzzles: searches for the best line by several techniques at once; in other games mcts",
        own: ludorum_puzzle::options::SOLO,
        searcher: |options, context| {
            if context.is_puzzle() {
                context.solo(options)
            } else {
                // With opponents no line can be relied on.
                context.mcts(&substitute(options, "mcts"))
            }
        },
    },
    PlayerInfo {
        name: DEFAULT_PLAYER,
        about: "the default player: solo in puzzles, else mcts with playouts that suit the game",
        own: LUDORUM,
        searcher: |options, context| {
            if context.is_puzzle() {
                context.solo(&substitute(options, "solo"))
            } else {
                context.mcts(&substitute(options, "mcts:mast=auto"))
            }
        },
    },
];

/// The player where none is named.
pub const DEFAULT_PLAYER: &str = "ludorum";

/// All players.
pub fn players() -> &'static [PlayerInfo] {
    &PLAYERS
}

/// The player of a name.
pub fn find(name: &str) -> Option<&'static PlayerInfo> {
    PLAYERS.iter().find(|info| info.name == name)
}

/// The names of all players, separated by commas.
pub fn names() -> String {
    let names: Vec<&str> = PLAYERS.iter().map(|info| info.name).collect();
    names.join(", ")
}

/// Makes a player on a reasoner. All searchers are compiled here, for this one type of reasoner.
pub(crate) fn make(
    info: &PlayerInfo,
    options: &OptionValues,
    game: Option<&Arc<CompiledGame>>,
    mut reasoner: AnyReasoner,
    role: Role,
) -> Result<Box<dyn Player>, PlayError> {
    // With a budget of simulations the clock makes no difference to a search.
    let is_budgeted = options.has(SIMULATIONS.name) && options.count(SIMULATIONS.name) > 0;
    reasoner.set_reproducible(is_budgeted);
    let context = Context {
        game,
        reasoner: &reasoner,
    };
    let searcher = (info.searcher)(options, &context);
    let seed = options.count(SEED.name);
    Ok(Box::new(SearchPlayer::new(reasoner, role, seed, searcher)?))
}

fn stepped_rng(options: &OptionValues) -> SteppedRng {
    SteppedRng::new(options.count(SEED.name))
}

/// Options that mean the same to all players that have them.
const LIMITS: [&str; 6] = ["simulations", "limit", "memory", "threads", "early", "seed"];

/// The options of another player that takes the place of one with these, within the same limits.
fn substitute(options: &OptionValues, other: &str) -> OptionValues {
    let Some(mut substitute) = option_values(other) else {
        return options.clone();
    };
    for limit in LIMITS {
        // Not all players have all of them.
        if let Some(written) = options.written(limit)
            && let Ok(limited) = substitute.with(limit, written)
        {
            substitute = limited;
        }
    }
    substitute
}

/// The options of a player that is written as in `mcts:mast=auto`, without options of an engine.
fn option_values(text: &str) -> Option<OptionValues> {
    let (name, pairs) = text.split_once(':').unwrap_or((text, ""));
    let mut options = OptionValues::defaults(find(name)?.options());
    for pair in pairs.split(',').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=')?;
        options.add(name, value).ok()?;
    }
    Some(options)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PlayerSpec;

    #[test]
    fn a_substitute_player_keeps_the_limits_and_no_other_option() {
        let substituted = |spec: &str, other: &str| {
            let spec: PlayerSpec = spec.parse().unwrap();
            substitute(spec.options(), other).to_string()
        };
        assert_eq!(
            substituted("solo:simulations=7,threads=3,memory=5,seed=9,c=2", "mcts"),
            "simulations=7,memory=5,threads=3,seed=9"
        );
        assert_eq!(
            substituted("mini:early=off,seed=2", "solo:uses=tree"),
            "uses=tree,seed=2"
        );
    }

    #[test]
    fn the_default_player_exists() {
        assert!(DEFAULT_PLAYER.parse::<PlayerSpec>().is_ok());
    }
}
