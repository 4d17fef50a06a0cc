//! What can be set about the search.

use ludorum_player::OptionValues;

/// How the move is chosen in the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Final {
    /// The most visited.
    Robust,
    /// The one with the highest mean.
    Max,
    /// The one with the highest lower confidence bound.
    Secure,
}

/// How threads share the work: section 5.3 of the thesis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Parallel {
    /// All threads grow one tree.
    Tree,
    /// Each thread grows a tree of its own; the moves of the roots are added up.
    Root,
    /// One thread grows the tree, all play from its leaves.
    Leaf,
}

/// Whether positions that several ways lead to are kept once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sharing {
    /// If the game turns out to have enough of them.
    Auto,
    On,
    Off,
}

/// How much is made of moves that were played elsewhere.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grave {
    /// The visits from which on a node has a record of what was played below it.
    pub(super) visits: u64,
    /// How soon a move's own visits count for more.
    pub(super) bias: f64,
}

/// How playouts are guided by the history.
#[derive(Clone, Copy, Debug)]
pub(super) struct Guidance {
    /// The share of random moves.
    pub(super) epsilon: f64,
    /// Whether that is a good thing in any game, or is to be found out.
    pub(super) is_certain: bool,
}

/// The options of `mcts`, read.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    /// The constant of exploration.
    pub(super) c: f64,
    /// The score of a move that was never tried.
    pub(super) fpu: f64,
    /// Nodes with more moves than this consider them bit by bit.
    pub(super) widen: usize,
    pub(super) choice: Final,
    /// The most playouts for a move; 0 for no bound.
    pub(super) simulations: u64,
    /// The most bytes of the tree.
    pub(super) bytes: usize,
    pub(super) threads: usize,
    pub(super) parallel: Parallel,
    /// The most leaves that are played from at once.
    pub(super) leaves: usize,
    /// The fewest playouts from each of them; 0 for as many as are worth their time.
    pub(super) each: u32,
    /// A playout is cut after so many steps.
    pub(super) limit: u32,
    /// Whether what is certain is worked out.
    pub(super) solver: bool,
    /// How much a playout under way counts as lost.
    pub(super) loss: f64,
    /// Whether it stops when more thinking could not change the move.
    pub(super) early: bool,
    /// How playouts are guided by the history; none if they are all random.
    pub(super) guidance: Option<Guidance>,
    /// Whether the history is about pairs of moves as well.
    pub(super) ngrams: bool,
    pub(super) grave: Option<Grave>,
    pub(super) sharing: Sharing,
    pub(super) seed: u64,
}

impl Settings {
    /// How many playouts are left of the budget after so many; without one there is no end of them.
    pub(super) fn left(&self, made: u64) -> u64 {
        match self.simulations {
            0 => u64::MAX,
            all => all.saturating_sub(made),
        }
    }

    pub(super) fn new(options: &OptionValues) -> Self {
        let parallel = match options.word("parallel") {
            "root" => Parallel::Root,
            "leaf" => Parallel::Leaf,
            _ => Parallel::Tree,
        };
        let choice = match options.word("final") {
            "max" => Final::Max,
            "secure" => Final::Secure,
            _ => Final::Robust,
        };
        let sharing = match options.word("transpositions") {
            "on" => Sharing::On,
            "off" => Sharing::Off,
            _ => Sharing::Auto,
        };
        let ngrams = options.word("ngrams") == "on";
        let count = |name| usize::try_from(options.count(name)).unwrap_or(usize::MAX);
        let number_of = |name| u32::try_from(options.count(name)).unwrap_or(u32::MAX);
        Self {
            c: options.number("c"),
            fpu: options.number("fpu"),
            widen: count("widen"),
            choice,
            simulations: options.count("simulations"),
            bytes: count("memory").saturating_mul(1 << 20),
            threads: count("threads"),
            parallel,
            // Players whose playouts are made by others have no such option.
            leaves: count("leaves").max(1),
            each: number_of("each"),
            limit: number_of("limit"),
            loss: options.number("loss"),
            solver: options.word("solver") == "on",
            early: options.word("early") == "on",
            guidance: (ngrams || matches!(options.word("mast"), "on" | "auto")).then(|| Guidance {
                epsilon: options.number("epsilon"),
                is_certain: ngrams || options.word("mast") == "on",
            }),
            ngrams,
            grave: (options.count("grave") > 0).then(|| Grave {
                visits: options.count("grave"),
                bias: options.number("bias"),
            }),
            sharing,
            seed: options.count("seed"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn players_without_an_option_have_settings_that_can_be_searched_with() {
        use crate::options::{MINI, MINI_BASE, MINI_ONE};
        for list in [MINI, MINI_BASE, MINI_ONE] {
            let settings = Settings::new(&OptionValues::defaults(list));
            assert!(settings.leaves >= 1 && settings.limit >= 1 && settings.threads >= 1);
        }
    }
}
