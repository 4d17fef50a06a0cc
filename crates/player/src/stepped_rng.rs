//! Random numbers that depend only on the seed and on the step of the match.

use ludorum_reasoner::Rng;

/// A random number generator for each step of a match. Its numbers do not depend on how many were
/// drawn in earlier steps. So a match that is resumed at some step goes on as it would have, and
/// two searches of the same position draw the same numbers.
#[derive(Clone, Debug)]
pub struct SteppedRng {
    seed: u64,
    /// How many times the player was set to an unrelated state.
    line: u64,
    step: u64,
}

impl SteppedRng {
    /// The rng of the first step.
    pub fn new(seed: u64) -> Self {
        Self {
            seed,
            line: 0,
            step: 0,
        }
    }

    /// Goes to the next step, after a joint move.
    pub fn advance(&mut self) {
        self.step += 1;
    }

    /// Starts a new line of play, after the player was set to an unrelated state.
    pub fn start_new_line(&mut self) {
        self.line += 1;
    }

    /// The rng of the current step.
    pub fn rng(&self) -> Rng {
        Rng::new(derive_seed(derive_seed(self.seed, self.line), self.step))
    }
}

/// Derives an independent seed from a seed and a number, with the output function of `SplitMix64`
/// (Steele et al. 2014): near inputs give unrelated seeds.
pub fn derive_seed(seed: u64, number: u64) -> u64 {
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
    fn the_random_numbers_of_a_step_do_not_depend_on_earlier_draws() {
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
        once.start_new_line();
        assert_ne!(once.rng().next_u64(), before);
    }

    #[test]
    fn near_steps_and_seeds_give_different_random_numbers() {
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
