//! The rim of differential propagation: the bits in which its answers are found.
//!
//! A flip at the rim turns bits over and asks nothing, so it is the same few instructions for every
//! kind of answer. In order, each from a new word: the next state if nobody moves, whether the game
//! is over, the legal moves of each role, and for each move which of its conditional effects would
//! come true now.

use std::ops::Range;

use super::circuit::{ALWAYS, Circuit, Edge, NEVER};
use ludorum_reasoner::Rng;

/// Where things are at the rim.
#[derive(Debug)]
pub(super) struct OutputLayout {
    /// How many words the next state has.
    pub(super) next: usize,
    legal: Vec<LegalBits>,
    /// For each move, where the words of its conditional effects start; one more at the end.
    effect_words: Vec<u32>,
    /// The number of the effect at the first bit of every word of effects.
    first_effect: Vec<u32>,
    words: usize,
}

/// Where the legal moves of a role are.
#[derive(Debug)]
struct LegalBits {
    words: Range<usize>,
    /// The role's first move.
    first: u32,
    /// The move that is always its only legal one, if there is such a move.
    only: Option<u32>,
}

impl OutputLayout {
    /// A rim for a circuit whose moves have so many conditional effects each.
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

    /// How many words the rim has.
    pub(super) fn words(&self) -> usize {
        self.words
    }

    /// The bit that tells whether the game is over.
    pub(super) fn terminal_bit(&self) -> u32 {
        self.next as u32 * 64
    }

    /// The bit of a move in the list of legal moves.
    pub(super) fn legal_bit(&self, role: usize, action: u32) -> u32 {
        let legal = &self.legal[role];
        legal.words.start as u32 * 64 + action - legal.first
    }

    /// The bit of a move's conditional effect, counted among those of the move.
    pub(super) fn effect_bit(&self, action: u32, effect: u32) -> u32 {
        self.effect_words[action as usize] * 64 + effect
    }

    pub(super) fn is_terminal(&self, bits: &[u64]) -> bool {
        bits[self.next] & 1 == 1
    }

    /// Calls back with the number of every effect of a move that comes true.
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

    /// Draws one of the legal moves of a role, if it has any.
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

/// The position of the one that has so many ones below it.
#[inline]
fn nth_set_bit(word: u64, place: u32) -> u32 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const TOPS: u64 = 0x8080_8080_8080_8080;
    // Ones in each byte, then in each byte and all below it.
    let mut counts = word - (word >> 1 & 0x5555_5555_5555_5555);
    counts = (counts & 0x3333_3333_3333_3333) + (counts >> 2 & 0x3333_3333_3333_3333);
    counts = (counts + (counts >> 4)) & 0x0f0f_0f0f_0f0f_0f0f;
    let sums = counts.wrapping_mul(ONES);
    // The bytes whose sum is not over `place` come before the one that is looked for.
    let before = (((u64::from(place) * ONES) | TOPS) - sums) & TOPS;
    let byte = (before >> 7).wrapping_mul(ONES) >> 56;
    let shift = byte * 8;
    let rest = (word >> shift) as u8;
    let place = place - u32::from(((sums << 8) >> shift) as u8);
    shift as u32 + u32::from(NTH_BIT_OF_BYTE[(place & 7) as usize][rest as usize])
}

/// For a place and a byte, the position of the one that has so many ones below it.
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
    fn the_nth_one_is_found_in_any_word() {
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
