//! Chance that depends on the seed and on the place in a match alone.

use ludorum_reasoner::Rng;

/// Rng for each step of a match. What they show does not depend on how often they were thrown
/// before, so a match that is taken up again at some step goes on as it would have, and thinking
/// twice about a position gives the same twice.
#[derive(Clone, Debug)]
pub(crate) struct SteppedRng {
    seed: u64,
    /// How often the player was put elsewhere: what follows is another match.
    strand: u64,
    step: u64,
}

impl SteppedRng {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            seed,
            strand: 0,
            step: 0,
        }
    }

    /// A joint move was made.
    pub(crate) fn advance(&mut self) {
        self.step += 1;
    }

    /// The player goes on from another position.
    pub(crate) fn jump(&mut self) {
        self.strand += 1;
    }

    /// The rng of the current step.
    pub(crate) fn rng(&self) -> Rng {
        Rng::new(mix(mix(self.seed, self.strand), self.step))
    }
}

/// A seed from a seed and a number, as the generator `SplitMix64` draws it: near ones have nothing
/// to do with each other.
pub fn mix(seed: u64, number: u64) -> u64 {
    let mut z = seed
        .wrapping_add(number.wrapping_mul(0xd134_2543_de82_ef95))
        .wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_shows_the_same_however_often_it_was_asked_for() {
        let mut once = SteppedRng::new(7);
        let mut often = SteppedRng::new(7);
        for _ in 0..10 {
            for _ in 0..3 {
                often.rng().next_u64();
            }
            assert_eq!(once.rng().next_u64(), often.rng().next_u64());
            once.advance();
            often.advance();
        }
        let before = once.rng().next_u64();
        once.jump();
        assert_ne!(once.rng().next_u64(), before);
    }

    #[test]
    fn near_steps_and_seeds_have_nothing_in_common() {
        let mut seen = std::collections::HashSet::new();
        for seed in 0..100 {
            let mut rng = SteppedRng::new(seed);
            for _ in 0..100 {
                assert!(seen.insert(rng.rng().next_u64()));
                rng.advance();
            }
        }
    }
}
