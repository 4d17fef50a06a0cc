//! Seeds of all randomness. They depend only on match, role and step, so that a resumed match goes
//! on as it would have.

use ludorum_players::{PlayerSpec, derive_seed};
use ludorum_reasoner::Rng;

/// The seed of a built-in player.
pub(crate) fn of_player(seed: u64, role: usize) -> u64 {
    derive_seed(derive_seed(seed, 1), role as u64)
}

/// FNV-1a hash of a name (Fowler, Noll and Vo), the same on every platform and in every release.
pub(crate) fn of_name(name: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    name.bytes().fold(0xcbf2_9ce4_8422_2325, step)
}

/// The random legal move that replaces a missing one; `legal` should not be empty.
pub(crate) fn substitute(seed: u64, role: usize, step: u32, legal: &[String]) -> String {
    let mut rng = Rng::new(derive_seed(
        derive_seed(derive_seed(seed, 2), role as u64),
        u64::from(step),
    ));
    let choice = rng.below(legal.len());
    legal.get(choice).cloned().unwrap_or_default()
}

/// A spec with values for those of its options that are not set.
pub(crate) fn fill_in(spec: &PlayerSpec, options: &[(&str, u64)]) -> PlayerSpec {
    let filled = options.iter().copied();
    filled.fold(spec.clone(), |spec, (option, value)| {
        spec.unless_written(option, value)
    })
}

/// Seeds in JSON are strings: many programs read JSON numbers as floating-point and lose digits.
pub mod text {
    use std::fmt;

    use serde::de::{Error, Visitor};
    use serde::{Deserializer, Serializer};

    /// Writes a seed as a string.
    #[allow(clippy::trivially_copy_pass_by_ref)] // as serde wants it
    pub fn serialize<S: Serializer>(seed: &u64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(seed)
    }

    /// Reads a seed from a string or a number.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
        deserializer.deserialize_any(Seed)
    }

    struct Seed;

    impl Visitor<'_> for Seed {
        type Value = u64;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a seed, which is a number from 0 to 18446744073709551615")
        }

        fn visit_u64<E: Error>(self, seed: u64) -> Result<u64, E> {
            Ok(seed)
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<u64, E> {
            text.parse()
                .map_err(|_| E::invalid_value(serde::de::Unexpected::Str(text), &self))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn substitutes_depend_on_seed_role_and_step_alone() {
        let legal: Vec<String> = (0..1000).map(|n| n.to_string()).collect();
        let draw = |seed, role, step| substitute(seed, role, step, &legal);
        assert_eq!(draw(1, 0, 5), draw(1, 0, 5));
        let all = [draw(1, 0, 5), draw(1, 1, 5), draw(1, 0, 6), draw(2, 0, 5)];
        let distinct: std::collections::HashSet<&String> = all.iter().collect();
        assert_eq!(distinct.len(), all.len());
        assert_eq!(substitute(1, 0, 0, &[]), "");
    }

    #[test]
    fn only_unset_options_are_filled_in() {
        let spec: PlayerSpec = "mcts:threads=3".parse().unwrap();
        let filled = fill_in(&spec, &[("threads", 2), ("memory", 64)]);
        assert_eq!(filled.to_string(), "mcts:memory=64,threads=3");
        let spec: PlayerSpec = "random".parse().unwrap();
        assert_eq!(fill_in(&spec, &[("threads", 2)]), spec);
    }
}
