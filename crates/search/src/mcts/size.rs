//! How many leaves are played from at once, and how often from each.

use super::settings::Settings;

/// The playouts that fill an engine that plays many at once.
const FILL: u32 = 512;
/// One leaf for so many playouts in the tree: in a small tree many leaves would come from all over it, whatever they are worth, since the first
/// of them are not back when the last are chosen.
const VISITS_OF_A_LEAF: u64 = 64;

/// The size of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) leaves: usize,
    /// Playouts from each leaf.
    pub(super) each: u32,
}

impl Size {
    /// The size for an engine that likes so many playouts at once, at a root with so many visits, with so many playouts left to make.
    pub(super) fn new(engine: u32, visits: u64, left: u64, settings: &Settings) -> Self {
        let most = usize::try_from(visits / VISITS_OF_A_LEAF).unwrap_or(usize::MAX);
        let leaves = most.clamp(1, settings.leaves);
        let each = if engine <= 1 {
            // One playout after the other gains nothing from waiting for each other.
            return Self { leaves: 1, each: 1 };
        } else {
            (FILL / leaves as u32).max(settings.each)
        };
        let each = u32::try_from(left).unwrap_or(u32::MAX).clamp(1, each);
        let leaves_left = left.div_ceil(u64::from(each));
        let leaves = leaves.min(usize::try_from(leaves_left).unwrap_or(usize::MAX));
        Self {
            leaves: leaves.max(1),
            each,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::Spec;

    fn settings() -> Settings {
        let spec: Spec = "mcts:leaves=128,each=4".parse().unwrap();
        Settings::new(&spec)
    }

    #[test]
    fn an_engine_without_lanes_plays_one_at_a_time() {
        let size = Size::new(1, 1 << 30, 1000, &settings());
        assert_eq!(size, Size { leaves: 1, each: 1 });
    }

    #[test]
    fn a_small_tree_has_few_leaves_with_many_playouts_and_a_large_one_many_with_few() {
        let at = |visits| Size::new(1000, visits, u64::MAX, &settings());
        assert_eq!(
            at(0),
            Size {
                leaves: 1,
                each: 512
            }
        );
        assert_eq!(
            at(1 << 30),
            Size {
                leaves: 128,
                each: 4
            }
        );
        assert!((0..24).all(|log| at(1 << log).leaves as u32 * at(1 << log).each >= 512));
    }

    #[test]
    fn a_budget_is_not_exceeded_by_more_than_a_leaf() {
        let size = Size::new(1000, 1 << 30, 10, &settings());
        assert_eq!(size, Size { leaves: 3, each: 4 });
        assert_eq!(
            Size::new(1000, 0, 10, &settings()),
            Size {
                leaves: 1,
                each: 10
            }
        );
    }
}
