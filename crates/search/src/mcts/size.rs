//! How many leaves are played from at once, and how often from each.

use std::time::Duration;

use super::settings::Settings;

/// The playouts that fill an engine that plays many at once.
const FILL: u32 = 512;
/// One leaf for so many playouts in the tree: in a small tree many leaves would come from all over
/// it, whatever they are worth, since the first of them are not back when the last are chosen.
const VISITS_OF_A_LEAF: u64 = 32;
/// Of the moves of the root so many are tried at once.
const FIRST_LEAVES: usize = 64;
/// The playouts from a leaf before anything is known about the game, and with a budget of
/// simulations, where clocks are to make no difference.
const USUAL: u32 = 8;
/// A budget of simulations is for so many leaves at least.
const LEAVES_OF_A_BUDGET: u64 = 256;
/// The most playouts from a leaf of a large tree.
const MOST: u32 = 64;
/// Playouts are to take this share of the time: with less of it more of them cost next to nothing,
/// with more of it they are the price of leaves. Duels with other numbers of playouts are in
/// docs/measurements/search.md.
const SHARE: std::ops::Range<f64> = 0.55..0.8;
/// The share is looked at after so much time.
const LOOKED_AT: Duration = Duration::from_millis(5);

/// The size of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) leaves: usize,
    /// Playouts from each leaf.
    pub(super) each: u32,
}

/// What a batch is made for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Need {
    /// How many playouts the engine likes to be asked for at once.
    pub(super) engine: u32,
    /// Visits of the root.
    pub(super) visits: u64,
    /// Moves of the root.
    pub(super) moves: usize,
    /// Playouts that are left to make.
    pub(super) left: u64,
    /// Playouts from a leaf that are worth their time.
    pub(super) each: u32,
}

impl Size {
    /// The size for a need.
    pub(super) fn new(need: Need, settings: &Settings) -> Self {
        // One playout after the other gains nothing from waiting for each other.
        if need.engine <= 1 {
            return Self { leaves: 1, each: 1 };
        }
        let grown = usize::try_from(need.visits / VISITS_OF_A_LEAF).unwrap_or(usize::MAX);
        let first = need.moves.clamp(1, FIRST_LEAVES);
        let leaves = grown.max(first).min(settings.leaves);
        // A small budget is to be spent on a tree, and not on the first leaves of it.
        let budget = match settings.simulations {
            0 => u32::MAX,
            all => u32::try_from(all / LEAVES_OF_A_BUDGET).map_or(u32::MAX, |each| each.max(1)),
        };
        let each = (FILL / leaves as u32).max(need.each).min(budget);
        let each = u32::try_from(need.left).unwrap_or(u32::MAX).clamp(1, each);
        let leaves_left = need.left.div_ceil(u64::from(each));
        let leaves = leaves.min(usize::try_from(leaves_left).unwrap_or(usize::MAX));
        Self {
            leaves: leaves.max(1),
            each,
        }
    }
}

/// Finds out how many playouts from a leaf are worth their time.
#[derive(Debug)]
pub(super) struct Pace {
    each: u32,
    playing: Duration,
    all: Duration,
}

impl Pace {
    pub(super) fn new() -> Self {
        Self {
            each: USUAL,
            playing: Duration::ZERO,
            all: Duration::ZERO,
        }
    }

    /// Playouts from a leaf.
    pub(super) fn each(&self, settings: &Settings) -> u32 {
        if settings.each > 0 {
            settings.each
        } else if settings.simulations > 0 {
            USUAL
        } else {
            self.each
        }
    }

    /// A batch took so long, its playouts their part of it.
    pub(super) fn learn(&mut self, playing: Duration, all: Duration) {
        self.playing += playing;
        self.all += all;
        if self.all < LOOKED_AT {
            return;
        }
        let share = self.playing.as_secs_f64() / self.all.as_secs_f64();
        if share < SHARE.start {
            self.each = (self.each * 2).min(MOST);
        } else if share > SHARE.end {
            self.each = (self.each / 2).max(1);
        }
        (self.playing, self.all) = (Duration::ZERO, Duration::ZERO);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ludorum_player::OptionValues;

    fn settings() -> Settings {
        let options = OptionValues::parse(crate::options::MCTS, "leaves=128").unwrap();
        Settings::new(&options)
    }

    fn size(engine: u32, visits: u64, left: u64) -> Size {
        let need = Need {
            engine,
            visits,
            moves: 3,
            left,
            each: 4,
        };
        Size::new(need, &settings())
    }

    #[test]
    fn an_engine_without_lanes_plays_one_at_a_time() {
        assert_eq!(size(1, 1 << 30, 1000), Size { leaves: 1, each: 1 });
    }

    #[test]
    fn a_small_tree_has_few_leaves_with_many_playouts_and_a_large_one_many_with_few() {
        let at = |visits| size(1000, visits, u64::MAX);
        let small = Size {
            leaves: 3,
            each: 170,
        };
        assert_eq!(at(0), small);
        let large = Size {
            leaves: 128,
            each: 4,
        };
        assert_eq!(at(1 << 30), large);
        assert!((0..24).all(|log| at(1 << log).leaves as u32 * at(1 << log).each >= 500));
    }

    #[test]
    fn a_budget_is_not_exceeded_by_more_than_a_leaf() {
        assert_eq!(size(1000, 1 << 30, 10), Size { leaves: 3, each: 4 });
        let at_first = Size {
            leaves: 1,
            each: 10,
        };
        assert_eq!(size(1000, 0, 10), at_first);
    }

    #[test]
    fn a_small_budget_is_spent_on_a_tree() {
        let options = OptionValues::parse(crate::options::MCTS, "simulations=200").unwrap();
        let need = Need {
            engine: 1000,
            visits: 100,
            moves: 9,
            left: 100,
            each: 8,
        };
        let size = Size::new(need, &Settings::new(&options));
        assert_eq!(size, Size { leaves: 9, each: 1 });
    }

    #[test]
    fn playouts_that_cost_nothing_become_more_and_those_that_cost_all_become_fewer() {
        let mut pace = Pace::new();
        let second = Duration::from_secs(1);
        for _ in 0..10 {
            pace.learn(second / 10, second);
        }
        assert_eq!(pace.each(&settings()), MOST);
        for _ in 0..10 {
            pace.learn(second, second);
        }
        assert_eq!(pace.each(&settings()), 1);
    }
}
