//! The output bits of differential propagation, from which its answers are read.
//!
//! A change of an output signal flips bits, with the same few instructions for every kind of
//! answer. In order, each from a new word: the next state while no move is played, whether the
//! state is terminal, the legal moves of each role, and for each move which of its conditional
//! effects apply.

use std::ops::Range;

use super::circuit::{ALWAYS, Circuit, Edge, NEVER};
use ludorum_reasoner::Rng;

/// The positions of answers in the output bits.
#[derive(Debug)]
pub(super) struct OutputLayout {
    /// The number of words of the next state.
    pub(super) next: usize,
    legal: Vec<LegalBits>,
    /// For each move, the first word of its conditional effects; one more at the end.
    effect_words: Vec<u32>,
    /// The number of the effect at the first bit of every word of effects.
    first_effect: Vec<u32>,
    words: usize,
}

/// The positions of a role's legal moves.
#[derive(Debug)]
struct LegalBits {
    words: Range<usize>,
    /// The role's first move.
    first: u32,
    /// The move that is always the role's only legal one, if there is such a move.
    only: Option<u32>,
}

impl OutputLayout {
    /// The layout for a circuit; `effects` is the number of conditional effects of each move.
    pub(super) fn new(circuit: &Circuit, effects: &[u32], legal_edges: &[Edge]) -> Self {
        let next = (circuit.fluents as usize).div_ceil(64);
        let mut words = next + 1;
        let mut legal = Vec::with_capacity(circuit.role_moves.len());
        for moves in &circuit.role_moves {
            let start = words;
            words += moves.len().div_ceil(64);
            let edges = &legal_edges[moves.clone()];
            let only = edges.iter().position(|edge| *edge == ALWAYS);
            let rest = edges.iter().filter(|edge| **edge != NEVER).count();
            legal.push(LegalBits {
                words: start..words,
                first: moves.start as u32,
                only: only.filter(|_| rest == 1).map(|i| (moves.start + i) as u32),
            });
        }
        let mut effect_words = Vec::with_capacity(effects.len() + 1);
        let mut first_effect = Vec::new();
        let mut first = 0;
        for count in effects {
            effect_words.push(words as u32);
            for i in 0..count.div_ceil(64) {
                first_effect.push(first + i * 64);
                words += 1;
            }
            first += count;
        }
        effect_words.push(words as u32);
        Self {
            next,
            legal,
            effect_words,
            first_effect,
            words,
        }
    }

    /// The total number of words.
    pub(super) fn words(&self) -> usize {
        self.words
    }

    /// The bit of the end of the game.
    pub(super) fn terminal_bit(&self) -> u32 {
        self.next as u32 * 64
    }

    /// The bit of a legal move.
    pub(super) fn legal_bit(&self, role: usize, action: u32) -> u32 {
        let legal = &self.legal[role];
        legal.words.start as u32 * 64 + action - legal.first
    }

    /// The bit of a conditional effect, which is numbered within its move.
    pub(super) fn effect_bit(&self, action: u32, effect: u32) -> u32 {
        self.effect_words[action as usize] * 64 + effect
    }

    pub(super) fn is_terminal(&self, bits: &[u64]) -> bool {
        bits[self.next] & 1 == 1
    }

    /// Visits every conditional effect of a move that applies.
    #[inline]
    pub(super) fn active_effects(&self, bits: &[u64], action: u32, mut take: impl FnMut(u32)) {
        let words = self.effect_words[action as usize]..self.effect_words[action as usize + 1];
        for word in words {
            let mut rest = bits[word as usize];
            if rest != 0 {
                let first = self.first_effect[(word - self.effect_words[0]) as usize];
                while rest != 0 {
                    take(first + rest.trailing_zeros());
                    rest &= rest - 1;
                }
            }
        }
    }

    /// How many roles there are.
    pub(super) fn roles(&self) -> usize {
        self.legal.len()
    }

    /// Draws one of the role's legal moves uniformly; `None` if there is none.
    #[inline]
    pub(super) fn random_legal_move(
        &self,
        bits: &[u64],
        role: usize,
        rng: &mut Rng,
    ) -> Option<u32> {
        let legal = &self.legal[role];
        if legal.only.is_some() {
            return legal.only;
        }
        let words = &bits[legal.words.clone()];
        if let [word] = words {
            let count = word.count_ones();
            let place = rng.below(count as usize) as u32;
            return (count > 0).then(|| legal.first + nth_set_bit(*word, place));
        }
        let count: u32 = words.iter().map(|word| word.count_ones()).sum();
        let mut place = rng.below(count as usize) as u32;
        for (i, word) in words.iter().enumerate() {
            let here = word.count_ones();
            if place < here {
                return Some(legal.first + i as u32 * 64 + nth_set_bit(*word, place));
            }
            place -= here;
        }
        None
    }
}

/// The position of the set bit that has `place` set bits below it (the select operation on bit
/// vectors).
#[inline]
fn nth_set_bit(word: u64, place: u32) -> u32 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const TOPS: u64 = 0x8080_8080_8080_8080;
    // The number of set bits in each byte, then in each byte and all below it.
    let mut counts = word - (word >> 1 & 0x5555_5555_5555_5555);
    counts = (counts & 0x3333_3333_3333_3333) + (counts >> 2 & 0x3333_3333_3333_3333);
    counts = (counts + (counts >> 4)) & 0x0f0f_0f0f_0f0f_0f0f;
    let sums = counts.wrapping_mul(ONES);
    // The bytes whose sum is at most `place` lie below the one with the bit.
    let before = (((u64::from(place) * ONES) | TOPS) - sums) & TOPS;
    let byte = (before >> 7).wrapping_mul(ONES) >> 56;
    let shift = byte * 8;
    let rest = (word >> shift) as u8;
    let place = place - u32::from(((sums << 8) >> shift) as u8);
    shift as u32 + u32::from(NTH_BIT_OF_BYTE[(place & 7) as usize][rest as usize])
}

/// For a rank and a byte, the position of the set bit with that rank.
static NTH_BIT_OF_BYTE: [[u8; 256]; 8] = {
    let mut table = [[0; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let (mut bit, mut place) = (0, 0);
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                table[place][byte] = bit;
                place += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nth_set_bit_is_found_in_any_word() {
        let mut rng = Rng::new(3);
        for round in 0..2000 {
            let mut word = rng.next_u64();
            for _ in 0..round % 4 {
                word &= rng.next_u64();
            }
            let ones: Vec<u32> = (0..64).filter(|i| word >> i & 1 == 1).collect();
            for (place, one) in ones.iter().enumerate() {
                assert_eq!(nth_set_bit(word, place as u32), *one, "{word:x} {place}");
            }
        }
        assert_eq!(nth_set_bit(u64::MAX, 63), 63);
        assert_eq!(nth_set_bit(1 << 63, 0), 63);
    }
}
