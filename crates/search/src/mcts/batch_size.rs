//! How many leaves a batch has, and how many playouts each leaf gets.

use std::time::Duration;

use super::settings::Settings;

/// The number of playouts that fills an engine which plays many at once.
const PLAYOUTS_TO_FILL: u32 = 512;
/// The visits of the root for each leaf of a batch. In a small tree a large batch would spread over
/// all moves, whatever their values, because the first leaves are not backpropagated when the last
/// are selected.
const VISITS_PER_LEAF: u64 = 32;
/// The maximum number of leaves in the first batches: one for each move of the root, up to this.
const MAX_FIRST_LEAVES: usize = 64;
/// Playouts for each leaf before the game is measured, and with a simulation budget, where the
/// result must not depend on the clock.
const DEFAULT_PER_LEAF: u32 = 8;
/// The minimum number of leaves that a simulation budget is spread over.
const MIN_LEAVES_OF_BUDGET: u64 = 256;
/// The maximum number of playouts for a leaf of a large tree.
const MAX_PER_LEAF: u32 = 64;
/// The target share of playouts in the search time. Below it more playouts cost next to nothing;
/// above it they reduce the number of leaves. Duels with other numbers are in docs/measurements.
const TARGET_SHARE: std::ops::Range<f64> = 0.55..0.8;
/// The interval at which the share is measured.
const MEASURE_INTERVAL: Duration = Duration::from_millis(5);

/// The size of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BatchSize {
    pub(super) leaves: usize,
    /// Playouts for each leaf.
    pub(super) each: u32,
}

/// What the size of a batch depends on.
#[derive(Clone, Copy, Debug)]
pub(super) struct BatchRequest {
    /// The preferred number of playouts in a query to the engine.
    pub(super) engine: u32,
    /// Visits of the root.
    pub(super) visits: u64,
    /// Moves of the root.
    pub(super) moves: usize,
    /// Simulations left in the budget.
    pub(super) left: u64,
    /// Playouts for each leaf, as measured.
    pub(super) each: u32,
}

impl BatchSize {
    /// The size for a request.
    pub(super) fn new(request: BatchRequest, settings: &Settings) -> Self {
        // An engine that plays one playout at a time gains nothing from batches.
        if request.engine <= 1 {
            return Self { leaves: 1, each: 1 };
        }
        let grown = usize::try_from(request.visits / VISITS_PER_LEAF).unwrap_or(usize::MAX);
        let first = request.moves.clamp(1, MAX_FIRST_LEAVES);
        let leaves = grown.max(first).min(settings.leaves);
        // A small budget is spent on a tree rather than on its first leaves.
        let budget = match settings.simulations {
            0 => u32::MAX,
            all => u32::try_from(all / MIN_LEAVES_OF_BUDGET).map_or(u32::MAX, |each| each.max(1)),
        };
        let each = (PLAYOUTS_TO_FILL / leaves as u32)
            .max(request.each)
            .min(budget);
        let each = u32::try_from(request.left)
            .unwrap_or(u32::MAX)
            .clamp(1, each);
        let leaves_left = request.left.div_ceil(u64::from(each));
        let leaves = leaves.min(usize::try_from(leaves_left).unwrap_or(usize::MAX));
        Self {
            leaves: leaves.max(1),
            each,
        }
    }
}

/// Adapts the number of playouts for a leaf to their share of the search time.
#[derive(Debug)]
pub(super) struct PlayoutsPerLeaf {
    each: u32,
    playing: Duration,
    all: Duration,
}

impl PlayoutsPerLeaf {
    pub(super) fn new() -> Self {
        Self {
            each: DEFAULT_PER_LEAF,
            playing: Duration::ZERO,
            all: Duration::ZERO,
        }
    }

    /// Playouts for each leaf.
    pub(super) fn each(&self, settings: &Settings) -> u32 {
        if settings.each > 0 {
            settings.each
        } else if settings.simulations > 0 {
            DEFAULT_PER_LEAF
        } else {
            self.each
        }
    }

    /// Records the time of a batch and the part of it that its playouts took.
    pub(super) fn learn(&mut self, playing: Duration, all: Duration) {
        self.playing += playing;
        self.all += all;
        if self.all < MEASURE_INTERVAL {
            return;
        }
        let share = self.playing.as_secs_f64() / self.all.as_secs_f64();
        if share < TARGET_SHARE.start {
            self.each = (self.each * 2).min(MAX_PER_LEAF);
        } else if share > TARGET_SHARE.end {
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

    fn size(engine: u32, visits: u64, left: u64) -> BatchSize {
        let request = BatchRequest {
            engine,
            visits,
            moves: 3,
            left,
            each: 4,
        };
        BatchSize::new(request, &settings())
    }

    #[test]
    fn an_engine_without_lanes_plays_one_at_a_time() {
        assert_eq!(size(1, 1 << 30, 1000), BatchSize { leaves: 1, each: 1 });
    }

    #[test]
    fn a_small_tree_has_few_leaves_with_many_playouts_and_a_large_one_many_with_few() {
        let at = |visits| size(1000, visits, u64::MAX);
        let small = BatchSize {
            leaves: 3,
            each: 170,
        };
        assert_eq!(at(0), small);
        let large = BatchSize {
            leaves: 128,
            each: 4,
        };
        assert_eq!(at(1 << 30), large);
        assert!((0..24).all(|log| at(1 << log).leaves as u32 * at(1 << log).each >= 500));
    }

    #[test]
    fn a_budget_is_exceeded_by_at_most_a_leaf() {
        assert_eq!(size(1000, 1 << 30, 10), BatchSize { leaves: 3, each: 4 });
        let at_first = BatchSize {
            leaves: 1,
            each: 10,
        };
        assert_eq!(size(1000, 0, 10), at_first);
    }

    #[test]
    fn a_small_budget_is_spent_on_a_tree() {
        let options = OptionValues::parse(crate::options::MCTS, "simulations=200").unwrap();
        let request = BatchRequest {
            engine: 1000,
            visits: 100,
            moves: 9,
            left: 100,
            each: 8,
        };
        let size = BatchSize::new(request, &Settings::new(&options));
        assert_eq!(size, BatchSize { leaves: 9, each: 1 });
    }

    #[test]
    fn cheap_playouts_become_more_and_expensive_ones_fewer() {
        let mut playouts_per_leaf = PlayoutsPerLeaf::new();
        let second = Duration::from_secs(1);
        for _ in 0..10 {
            playouts_per_leaf.learn(second / 10, second);
        }
        assert_eq!(playouts_per_leaf.each(&settings()), MAX_PER_LEAF);
        for _ in 0..10 {
            playouts_per_leaf.learn(second, second);
        }
        assert_eq!(playouts_per_leaf.each(&settings()), 1);
    }
}
