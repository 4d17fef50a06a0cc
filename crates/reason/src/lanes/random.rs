//! Random words: every lane has its own stream of bits.
//!
//! Eight generators of the kind xoshiro256+ run side by side, one for each 64 lanes, from seeds that come out of splitmix64. Lane `i` sees bit `i % 64`
//! of generator `i / 64`, a new one with each word.

// Inlined code is compiled for the vector instructions of its caller.
#![allow(clippy::inline_always)]

use super::word::{W, Word};

/// The generators.
#[derive(Clone, Debug)]
pub(super) struct Random {
    state: [[u64; W]; 4],
}

impl Random {
    /// Generators whose streams depend on the seed alone.
    pub(super) fn new(seed: u64) -> Self {
        let mut at = seed;
        let mut next = || {
            at = at.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = at;
            z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ z >> 31
        };
        let mut state = [[0; W]; 4];
        for generator in 0..W {
            for part in &mut state {
                part[generator] = next();
            }
        }
        Self { state }
    }

    /// Fills words with fresh bits.
    pub(super) fn fill(&mut self, words: &mut [Word]) {
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f") {
                // SAFETY: the processor has the feature.
                unsafe { self.fill_avx512(words) };
                return;
            }
            if is_x86_feature_detected!("avx2") {
                // SAFETY: the processor has the feature.
                unsafe { self.fill_avx2(words) };
                return;
            }
        }
        self.fill_anywhere(words);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq")]
    fn fill_avx512(&mut self, words: &mut [Word]) {
        self.fill_anywhere(words);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn fill_avx2(&mut self, words: &mut [Word]) {
        self.fill_anywhere(words);
    }

    #[inline(always)]
    fn fill_anywhere(&mut self, words: &mut [Word]) {
        let [mut a, mut b, mut c, mut d] = self.state;
        for word in words {
            for i in 0..W {
                word.0[i] = a[i].wrapping_add(d[i]);
                let t = b[i] << 17;
                c[i] ^= a[i];
                d[i] ^= b[i];
                b[i] ^= c[i];
                a[i] ^= d[i];
                c[i] ^= t;
                d[i] = d[i].rotate_left(45);
            }
        }
        self.state = [a, b, c, d];
    }
}
