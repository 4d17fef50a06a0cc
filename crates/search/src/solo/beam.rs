//! A beam through a [`Model`]: of all positions some moves away, those that look nearest go on.
//!
//! One run goes step by step to the last; the next one is wider.

use rustc_hash::FxHashSet;

use super::model::Model;
use super::patterns::Patterns;

/// How wide the first beam is, and how much wider the next.
const FIRST: usize = 256;
const WIDER: usize = 4;
/// The bytes of a position that goes on, besides its parts: where it came from, and its place among those seen.
const WAY: usize = 48;
/// The bytes of a position that may go on.
const CANDIDATE: usize = 16;

#[derive(Clone, Copy, Debug)]
struct Candidate {
    distance: u32,
    from: u32,
    number: u8,
}

/// What has come of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// There is more to do.
    More,
    /// A line to where everything is as wanted, by the numbers of its moves.
    Found(Vec<u8>),
    /// The beam has come to its end; a line to the position with most parts right.
    Missed(Vec<u8>),
}

/// A beam.
#[derive(Debug)]
pub(super) struct Beam {
    width: usize,
    most_width: usize,
    /// The most moves of a line.
    steps: usize,
    /// The positions of this step, one after the other, and the last move of each.
    states: Vec<u8>,
    last: Vec<u8>,
    /// How many have been looked at.
    done: usize,
    candidates: Vec<Candidate>,
    /// For each step and position, where it came from and by which move.
    ways: Vec<Vec<(u32, u8)>>,
    /// Hashes of positions of this step and the two before.
    seen: [FxHashSet<u64>; 3],
    /// The most parts that were right, with the step and place.
    best: (usize, usize, u32),
    salt: u64,
    scratch: Vec<u8>,
}

impl Beam {
    pub(super) fn new(model: &Model, steps: usize, most_bytes: usize, seed: u64) -> Self {
        let parts = model.sizes.len();
        let each = 2 * parts + WAY + 8 * steps + CANDIDATE * model.moves.len();
        let mut beam = Self {
            width: FIRST,
            most_width: (most_bytes / each).max(FIRST),
            steps,
            states: Vec::new(),
            last: Vec::new(),
            done: 0,
            candidates: Vec::new(),
            ways: Vec::new(),
            seen: Default::default(),
            best: (0, 0, 0),
            salt: seed,
            scratch: vec![0; parts],
        };
        beam.begin(model);
        beam
    }

    fn begin(&mut self, model: &Model) {
        self.states.clone_from(&model.root);
        self.last = vec![model.moves.len() as u8];
        self.done = 0;
        self.candidates.clear();
        self.ways = vec![vec![(0, 0)]];
        self.seen = Default::default();
        self.best = (model.right(&model.root), 0, 0);
    }

    /// The bytes it takes.
    pub(super) fn bytes(&self) -> usize {
        let ways: usize = self.ways.iter().map(|step| step.len() * 8).sum();
        let seen: usize = self.seen.iter().map(|seen| seen.capacity() * 16).sum();
        self.states.capacity() + self.candidates.capacity() * CANDIDATE + ways + seen
    }

    /// The moves to a position of a step.
    fn line(&self, step: usize, mut place: u32) -> Vec<u8> {
        let mut line = Vec::with_capacity(step);
        for ways in self.ways[1..=step].iter().rev() {
            let (from, number) = ways[place as usize];
            line.push(number);
            place = from;
        }
        line.reverse();
        line
    }

    fn hash(&self, state: &[u8]) -> u64 {
        let mut hash = self.salt;
        for chunk in state.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            hash = (hash ^ u64::from_le_bytes(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            hash ^= hash >> 29;
        }
        hash
    }

    /// Goes on for a while; gives also how many positions were made.
    pub(super) fn work(
        &mut self,
        model: &Model,
        patterns: &Patterns,
        quota: u64,
    ) -> (Outcome, u64) {
        let parts = model.sizes.len();
        let mut made = 0;
        let mut next = std::mem::take(&mut self.scratch);
        while self.done < self.last.len() && made < quota {
            let state = &self.states[self.done * parts..][..parts];
            for number in &model.follow[self.last[self.done] as usize] {
                model.play(state, *number, &mut next);
                made += 1;
                let distance = patterns.distance(&next);
                self.candidates.push(Candidate {
                    distance,
                    from: self.done as u32,
                    number: *number,
                });
                if distance == 0 {
                    let mut line = self.line(self.ways.len() - 1, self.done as u32);
                    line.push(*number);
                    self.scratch = next;
                    self.widen(model);
                    return (Outcome::Found(line), made);
                }
            }
            self.done += 1;
        }
        self.scratch = next;
        if self.done < self.last.len() {
            return (Outcome::More, made);
        }
        if self.ways.len() <= self.steps && !self.candidates.is_empty() {
            self.go_on(model);
            if self.ways.len() <= self.steps && !self.last.is_empty() {
                return (Outcome::More, made);
            }
        }
        let line = self.line(self.best.1, self.best.2);
        self.widen(model);
        (Outcome::Missed(line), made)
    }

    /// The next run.
    fn widen(&mut self, model: &Model) {
        self.salt = self
            .salt
            .wrapping_mul(0x5851_f42d_4c95_7f2d)
            .wrapping_add(1);
        self.width = (self.width * WIDER).min(self.most_width);
        self.begin(model);
    }

    /// Makes a step with the candidates that look nearest.
    fn go_on(&mut self, model: &Model) {
        let parts = model.sizes.len();
        let mut buckets: Vec<Vec<u32>> = Vec::new();
        for (i, candidate) in self.candidates.iter().enumerate() {
            let bucket = candidate.distance as usize;
            if buckets.len() <= bucket {
                buckets.resize(bucket + 1, Vec::new());
            }
            buckets[bucket].push(i as u32);
        }
        self.seen.rotate_right(1);
        self.seen[0].clear();
        let mut states = Vec::with_capacity(self.width.min(self.candidates.len()) * parts);
        let (mut last, mut ways) = (Vec::new(), Vec::new());
        let mut next = vec![0; parts];
        let step = self.ways.len();
        'all: for bucket in &buckets {
            // Of those that look alike any may go on: from another place in every run.
            let offset = (self.salt >> 20) as usize % bucket.len().max(1);
            for i in bucket[offset..].iter().chain(&bucket[..offset]) {
                if last.len() >= self.width {
                    break 'all;
                }
                let candidate = self.candidates[*i as usize];
                let from = candidate.from as usize * parts;
                model.play(
                    &self.states[from..from + parts],
                    candidate.number,
                    &mut next,
                );
                let hash = self.hash(&next);
                if self.seen[1].contains(&hash)
                    || self.seen[2].contains(&hash)
                    || !self.seen[0].insert(hash)
                {
                    continue;
                }
                let right = model.right(&next);
                if right > self.best.0 {
                    self.best = (right, step, last.len() as u32);
                }
                states.extend_from_slice(&next);
                last.push(candidate.number);
                ways.push((candidate.from, candidate.number));
            }
        }
        self.states = states;
        self.last = last;
        self.ways.push(ways);
        self.done = 0;
        self.candidates.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solo::model::tests::model;

    #[test]
    fn a_beam_finds_the_way_and_the_next_one_finds_it_again() {
        let model = model();
        let mut patterns = Patterns::new(&model, 1 << 20);
        while !patterns.fill(&model, 100).0 {}
        let mut beam = Beam::new(&model, 5, 1 << 20, 1);
        for _ in 0..2 {
            let (outcome, _) = beam.work(&model, &patterns, 1000);
            // The second move that is kept turns the first part back.
            assert_eq!(outcome, Outcome::Found(vec![1]));
        }
        assert!(beam.bytes() > 0);
    }

    #[test]
    fn without_steps_the_best_position_is_the_root() {
        let model = model();
        let mut patterns = Patterns::new(&model, 1 << 20);
        while !patterns.fill(&model, 100).0 {}
        // Nothing is as wanted after no move; the beam looks one move ahead and has no step for it.
        let mut far = model.clone();
        far.root = vec![0, 1];
        let mut beam = Beam::new(&far, 0, 1 << 20, 1);
        let (outcome, _) = beam.work(&far, &patterns, 1000);
        assert_eq!(outcome, Outcome::Missed(Vec::new()));
    }
}
