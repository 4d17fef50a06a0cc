//! Zobrist keys of states (Zobrist 1970): the exclusive or of a hash of each fluent.

/// The 128-bit hash of a fluent. It depends on the KIF text alone, so that all engines and all runs
/// agree.
pub fn fluent_key(text: &str) -> u128 {
    let low = hash(text, 0x9e37_79b9_7f4a_7c15);
    let high = hash(text, 0xd1b5_4a32_d192_ed03);
    u128::from(high) << 64 | u128::from(low)
}

/// A 64-bit hash of a text, eight bytes at a time.
fn hash(text: &str, seed: u64) -> u64 {
    let mut state = seed ^ (text.len() as u64);
    for chunk in text.as_bytes().chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        state = mix(state ^ u64::from_le_bytes(word));
    }
    mix(state)
}

/// The finaliser of `SplitMix64` (Steele et al. 2014). Every input bit flips every output bit with
/// a probability of about one half.
fn mix(mut x: u64) -> u64 {
    x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_fluents_have_different_keys() {
        let mut keys: Vec<u128> = (0..10_000)
            .map(|i| fluent_key(&format!("(cell {} {} b)", i / 100, i % 100)))
            .collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), 10_000);
    }

    #[test]
    fn keys_never_change() {
        // Keys are stored in files. A change here would make them invalid.
        assert_eq!(
            fluent_key("(control white)"),
            0xb6a1_1c84_e063_9d96_b5ee_77ff_2563_42d9
        );
    }
}
