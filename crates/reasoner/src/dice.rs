//! Reproducible random choices.

use rand_core::{Rng as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

/// A fast random number generator whose stream depends on its seed alone, on every platform and
/// release.
#[derive(Clone, Debug)]
pub struct Dice(Xoshiro256PlusPlus);

impl Dice {
    /// Dice that always fall the same way for the same seed.
    pub fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number from 0 to below 1.
    #[allow(clippy::cast_precision_loss)] // 53 bits fit
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A number below `sides`, each with the same chance; 0 if there are no sides.
    pub fn below(&mut self, sides: usize) -> usize {
        if sides == 0 {
            return 0;
        }
        // Lemire's multiplication with rejection: unbiased, almost always one draw.
        let sides = sides as u64;
        loop {
            let product = u128::from(self.bits()) * u128::from(sides);
            let low = product as u64;
            // The threshold is below `sides`, so the division is almost never needed.
            if low >= sides || low >= sides.wrapping_neg() % sides {
                return (product >> 64) as usize;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_stream() {
        let roll = |seed| {
            let mut dice = Dice::new(seed);
            (0..20).map(|_| dice.below(6)).collect::<Vec<_>>()
        };
        assert_eq!(roll(7), roll(7));
        assert_ne!(roll(7), roll(8));
    }

    #[test]
    fn every_side_comes_up_about_equally_often() {
        let mut dice = Dice::new(1);
        let mut counts = [0u32; 7];
        for _ in 0..70_000 {
            counts[dice.below(7)] += 1;
        }
        assert!(
            counts.iter().all(|count| (9_500..10_500).contains(count)),
            "{counts:?}"
        );
    }

    #[test]
    fn no_sides_and_one_side_are_fine() {
        let mut dice = Dice::new(1);
        assert_eq!(dice.below(0), 0);
        assert_eq!(dice.below(1), 0);
    }
}
