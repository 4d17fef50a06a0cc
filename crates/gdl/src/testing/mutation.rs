//! Mutations of sheets for fuzz tests: bytes and tokens are removed, doubled, exchanged and
//! spliced.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::{Duration, Instant, SystemTime};

use crate::{Notation, parse_as};

/// A `SplitMix64` generator (Steele et al. 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// A random range within `0..length`.
    fn range(&mut self, length: usize, longest: usize) -> std::ops::Range<usize> {
        let start = self.below(length + 1);
        start..(start + self.below(longest + 1)).min(length)
    }
}

/// Splits a text at the token boundaries of either notation, so that mutations affect whole tokens.
fn tokens(text: &[u8]) -> Vec<&[u8]> {
    let class = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'?' => 1,
        b' ' | b'\t' => 2,
        _ => 0,
    };
    text.chunk_by(|a, b| class(*a) != 0 && class(*a) == class(*b))
        .collect()
}

fn mutate(text: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let mut text = text.to_vec();
    for _ in 0..=random.below(6) {
        match random.below(8) {
            // Byte mutations: flip, remove, double, insert.
            0 if !text.is_empty() => {
                let at = random.below(text.len());
                text[at] ^= 1 << random.below(8);
            }
            1 => drop(text.drain(random.range(text.len(), 8))),
            2 => {
                let at = random.below(text.len() + 1);
                let byte = *random.pick(b"()()();%'\\?<=:-&|~,.\n\r\t\0\x7f\xc3\xa9\xff _X");
                text.insert(at, byte);
            }
            // Token mutations: remove, double, exchange, splice a part of another sheet.
            kind => {
                let mut parts = tokens(&text);
                let range = random.range(parts.len(), 12);
                let at = random.below(parts.len() + 1);
                match kind {
                    3 => drop(parts.drain(range)),
                    4 => drop(parts.splice(at..at, parts[range].to_vec())),
                    5 if !parts.is_empty() => {
                        let other = random.below(parts.len());
                        parts.swap(at.min(other), other);
                    }
                    6 => {
                        let again = parts[range].repeat(random.below(20));
                        drop(parts.splice(at..at, again));
                    }
                    _ => {
                        let others = tokens(other);
                        let piece = others[random.range(others.len(), 40)].to_vec();
                        drop(parts.splice(at..at, piece));
                    }
                }
                text = parts.concat();
            }
        }
        text.truncate(4 << 10);
    }
    text
}

/// Asserts `claim` for mutants of `sheets`. By default `rounds` mutants are made from a fixed seed.
/// With the environment variable `LUDORUM_FUZZ_SECONDS`, mutants with a random seed are made for
/// that many seconds. A failure prints the text. Returns the number of rounds.
pub fn fuzz(sheets: &[&str], seed: u64, rounds: u64, claim: impl Fn(&str)) -> u64 {
    let seconds: Option<u64> = std::env::var("LUDORUM_FUZZ_SECONDS")
        .ok()
        .and_then(|seconds| seconds.parse().ok());
    let clock = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let mut random = Random(match (seconds, clock) {
        (Some(_), Ok(now)) => seed ^ u64::from(now.subsec_nanos()) ^ now.as_secs() << 30,
        _ => seed,
    });
    let start = Instant::now();
    let mut pool: Vec<Vec<u8>> = sheets.iter().map(|s| s.as_bytes().to_vec()).collect();
    let mut round = 0;
    while match seconds {
        Some(seconds) => start.elapsed() < Duration::from_secs(seconds),
        None => round < rounds,
    } {
        round += 1;
        let bytes = mutate(
            random.pick(&pool).as_slice(),
            &pool[random.0 as usize % pool.len()],
            &mut random,
        );
        let text = String::from_utf8_lossy(&bytes);
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| claim(&text))) {
            eprintln!("round {round} fails for {text:?}");
            resume_unwind(panic);
        }
        // Mutants are mutated further, preferably those that still parse. The original sheets are
        // kept.
        let is_sheet = |notation| !parse_as(&text, notation).has_errors();
        if round % 32 == 0 || is_sheet(Notation::Kif) || is_sheet(Notation::Infix) {
            if pool.len() < 200 {
                pool.push(bytes);
            } else {
                let at = sheets.len() + random.below(pool.len() - sheets.len());
                pool[at] = bytes;
            }
        }
    }
    round
}
