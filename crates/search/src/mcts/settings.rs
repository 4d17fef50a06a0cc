//! The settings of the search, parsed from the options.

use ludorum_player::OptionValues;

/// Final move selection (Chaslot et al. 2008b).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FinalMoveRule {
    /// Robust child: the most visited move.
    Robust,
    /// Max child: the move with the highest mean.
    Max,
    /// Secure child: the move with the highest lower confidence bound.
    Secure,
}

/// How threads share the work (Chaslot et al. 2008; Świechowski 2015, section 5.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Parallel {
    /// Tree parallelisation: all threads grow one tree.
    Tree,
    /// Root parallelisation: each thread grows its own tree; the statistics of the roots are added
    /// up.
    Root,
    /// Leaf parallelisation: one thread grows the tree, all play from its leaves.
    Leaf,
}

/// Whether transpositions are merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TranspositionMode {
    /// If the game turns out to have enough of them.
    Auto,
    On,
    Off,
}

/// The settings of GRAVE (Cazenave 2015).
#[derive(Clone, Copy, Debug)]
pub(super) struct GraveSettings {
    /// The visits from which on a node records AMAF statistics.
    pub(super) visits: u64,
    /// How fast a move's own visits outweigh the AMAF value.
    pub(super) bias: f64,
}

/// How MAST guides playouts.
#[derive(Clone, Copy, Debug)]
pub(super) struct GuidanceSettings {
    /// The fraction of random moves (epsilon-greedy).
    pub(super) epsilon: f64,
    /// Whether playouts are guided in any game, or a trial decides.
    pub(super) is_certain: bool,
}

/// The settings of `mcts`.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    /// The exploration constant C of UCB1.
    pub(super) c: f64,
    /// First-play urgency: the score of an untried move (Gelly and Wang 2006).
    pub(super) fpu: f64,
    /// Nodes with more moves than this are widened progressively.
    pub(super) widen: usize,
    pub(super) choice: FinalMoveRule,
    /// The maximum number of simulations for a move; 0 for no limit.
    pub(super) simulations: u64,
    /// The memory limit of the trees.
    pub(super) bytes: usize,
    pub(super) threads: usize,
    pub(super) parallel: Parallel,
    /// The maximum number of leaves in a batch.
    pub(super) leaves: usize,
    /// The playouts for each leaf; 0 for an adaptive number.
    pub(super) each: u32,
    /// The step limit of a playout.
    pub(super) limit: u32,
    /// Whether goals are proven.
    pub(super) solver: bool,
    /// Virtual loss: the fraction of a pending visit that counts as a loss (Chaslot et al. 2008).
    pub(super) loss: f64,
    /// Whether the search stops when more simulations cannot change the move.
    pub(super) early: bool,
    /// How playouts are guided; none for random playouts.
    pub(super) guidance: Option<GuidanceSettings>,
    /// Whether N-grams are used besides single moves.
    pub(super) ngrams: bool,
    pub(super) grave: Option<GraveSettings>,
    pub(super) sharing: TranspositionMode,
    pub(super) seed: u64,
}

impl Settings {
    /// The simulations left in the budget; without a budget `u64::MAX`.
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
            "max" => FinalMoveRule::Max,
            "secure" => FinalMoveRule::Secure,
            _ => FinalMoveRule::Robust,
        };
        let sharing = match options.word("transpositions") {
            "on" => TranspositionMode::On,
            "off" => TranspositionMode::Off,
            _ => TranspositionMode::Auto,
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
            // Players with a rollout policy have no such option.
            leaves: count("leaves").max(1),
            each: number_of("each"),
            limit: number_of("limit"),
            loss: options.number("loss"),
            solver: options.word("solver") == "on",
            early: options.word("early") == "on",
            guidance: (ngrams || matches!(options.word("mast"), "on" | "auto")).then(|| {
                GuidanceSettings {
                    epsilon: options.number("epsilon"),
                    is_certain: ngrams || options.word("mast") == "on",
                }
            }),
            ngrams,
            grave: (options.count("grave") > 0).then(|| GraveSettings {
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
