//! Random bits: every lane has its own stream.
//!
//! Eight xoshiro256++ generators (Blackman and Vigna 2021) run side by side, one for each 64 lanes,
//! seeded by `SplitMix64` (Steele et al. 2014). Lane `i` reads bit `i % 64` of generator `i / 64`,
//! one bit from each word.

// Inlined code is compiled for the instruction set of its caller.
#![allow(clippy::inline_always)]

use super::lane_word::{LaneWord, PARTS};

/// The states of the generators, interleaved for vector instructions.
#[derive(Clone, Debug)]
pub(super) struct LaneRandom {
    state: [[u64; PARTS]; 4],
}

impl LaneRandom {
    /// Seeds the generators. The streams depend on the seed alone, not on the processor.
    pub(super) fn new(seed: u64) -> Self {
        let mut at = seed;
        let mut next = || {
            at = at.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = at;
            z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ z >> 31
        };
        let mut state = [[0; PARTS]; 4];
        for generator in 0..PARTS {
            for part in &mut state {
                part[generator] = next();
            }
        }
        Self { state }
    }

    /// Fills words with random bits.
    pub(super) fn fill(&mut self, words: &mut [LaneWord]) {
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f") {
                // SAFETY: the check above found AVX-512F on this processor, the only feature the
                // function enables.
                unsafe { self.fill_avx512(words) };
                return;
            }
            if is_x86_feature_detected!("avx2") {
                // SAFETY: the check above found AVX2 on this processor, the only feature the
                // function enables.
                unsafe { self.fill_avx2(words) };
                return;
            }
        }
        self.fill_anywhere(words);
    }

    /// The same as [`Self::fill_anywhere`], with one vector register for each part of the
    /// generators' states.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f")]
    fn fill_avx512(&mut self, words: &mut [LaneWord]) {
        use std::arch::x86_64::{
            _mm512_add_epi64, _mm512_loadu_epi64, _mm512_rol_epi64, _mm512_slli_epi64,
            _mm512_storeu_epi64, _mm512_xor_si512,
        };
        // SAFETY: each part of the state and each word is an array of eight 64-bit integers,
        // exactly the 64 bytes that an unaligned load or store of a vector accesses.
        let [mut a, mut b, mut c, mut d] = self
            .state
            .map(|part| unsafe { _mm512_loadu_epi64(part.as_ptr().cast()) });
        for word in words {
            let sum = _mm512_rol_epi64::<23>(_mm512_add_epi64(a, d));
            let result = _mm512_add_epi64(sum, a);
            // SAFETY: as above.
            unsafe { _mm512_storeu_epi64(word.0.as_mut_ptr().cast(), result) };
            let shifted = _mm512_slli_epi64::<17>(b);
            c = _mm512_xor_si512(c, a);
            d = _mm512_xor_si512(d, b);
            b = _mm512_xor_si512(b, c);
            a = _mm512_xor_si512(a, d);
            c = _mm512_xor_si512(c, shifted);
            d = _mm512_rol_epi64::<45>(d);
        }
        for (part, register) in self.state.iter_mut().zip([a, b, c, d]) {
            // SAFETY: as above.
            unsafe { _mm512_storeu_epi64(part.as_mut_ptr().cast(), register) };
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn fill_avx2(&mut self, words: &mut [LaneWord]) {
        self.fill_anywhere(words);
    }

    #[inline(always)]
    fn fill_anywhere(&mut self, words: &mut [LaneWord]) {
        let [mut a, mut b, mut c, mut d] = self.state;
        for word in words {
            for i in 0..PARTS {
                let sum = a[i].wrapping_add(d[i]).rotate_left(23);
                word.0[i] = sum.wrapping_add(a[i]);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_the_same_on_every_processor() {
        let mut words = [vec![LaneWord::NONE; 100], vec![LaneWord::NONE; 100]];
        let mut random = LaneRandom::new(5);
        random.fill(&mut words[0]);
        random.fill(&mut words[0]);
        let mut random = LaneRandom::new(5);
        random.fill_anywhere(&mut words[1]);
        random.fill_anywhere(&mut words[1]);
        assert_eq!(words[0], words[1]);
        // A known value, so that a change of the stream is noticed.
        let mut random = LaneRandom::new(0);
        let mut first = [LaneWord::NONE];
        random.fill(&mut first);
        assert_eq!(first[0].0[0], KNOWN);
    }

    /// The first output of xoshiro256++ seeded by `SplitMix64` from 0, from the first and the
    /// fourth output of `SplitMix64`.
    const KNOWN: u64 = {
        let (first, fourth) = (0xe220_a839_7b1d_cdaf_u64, 0xf88b_b8a8_724c_81ec_u64);
        first
            .wrapping_add(fourth)
            .rotate_left(23)
            .wrapping_add(first)
    };
}
