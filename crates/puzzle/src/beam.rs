//! A beam through a [`Model`]: of all positions some moves away, those that look nearest go on.
//!
//! One run goes step by step to the last; the next one is wider. While the match goes on, so does
//! the run, from where it began: its lines then begin with taking back what was played, unless they
//! begin with just that. The next run begins where the match is by then.

use rustc_hash::FxHashSet;

use super::model::{Effect, Model};
use super::patterns::Patterns;

/// How wide the first beam is, and how much wider the next.
const FIRST: usize = 256;
const WIDER: usize = 4;
/// The bytes of a position that goes on, besides its parts: where it came from, and its place among
/// those seen.
const WAY: usize = 72;
/// The bytes of a position that may go on, in a list that may be twice as long as needed.
const CANDIDATE: usize = 16;

#[derive(Clone, Copy, Debug)]
struct Candidate {
    from: u32,
    number: u8,
}

/// The choice of those that go on to the next step.
#[derive(Debug, Default)]
struct Choice {
    /// How far it is: the distance, and how many of those at this distance were tried.
    distance: usize,
    tried: usize,
    states: Vec<u8>,
    last: Vec<u8>,
    ways: Vec<(u32, u8)>,
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
    most_bytes: usize,
    /// The most moves of a line from where the match is, and the same when the run began.
    steps: usize,
    first_steps: usize,
    /// Whether a run came to its end for want of steps since they were last told.
    is_short: bool,
    /// What was played since then, but for moves that do nothing.
    played: Vec<u8>,
    /// The positions of this step, one after the other, and the last move of each.
    states: Vec<u8>,
    last: Vec<u8>,
    /// How many have been looked at.
    done: usize,
    /// Those that may go on, by how far they look to be.
    candidates: Vec<Vec<Candidate>>,
    choice: Option<Choice>,
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
        let mut beam = Self {
            width: FIRST,
            most_bytes,
            steps,
            first_steps: steps,
            is_short: false,
            played: Vec::new(),
            states: Vec::new(),
            last: Vec::new(),
            done: 0,
            candidates: Vec::new(),
            choice: None,
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
        self.first_steps = self.steps;
        self.played.clear();
        self.states.clone_from(&model.root);
        self.last = vec![model.moves.len() as u8];
        self.done = 0;
        self.candidates.clear();
        self.choice = None;
        self.ways = vec![vec![(0, 0)]];
        self.seen = Default::default();
        self.best = (model.right(&model.root), 0, 0);
    }

    /// A move was played in the match, and the model is there already.
    pub(super) fn advance(&mut self, model: &Model, effect: Effect) {
        self.steps = self.steps.saturating_sub(1);
        match effect {
            Effect::None => {}
            Effect::Of(number) if model.way_back(number).is_some() => self.played.push(number),
            Effect::Of(_) => self.begin(model),
        }
    }

    /// Whether more steps would be of use.
    pub(super) fn is_short(&self) -> bool {
        self.is_short || self.steps == 0
    }

    /// There are so many steps from where the match is, as far as is known by now.
    pub(super) fn raise(&mut self, model: &Model, steps: usize) {
        self.is_short = false;
        self.steps = self.steps.max(steps);
        self.first_steps = self.first_steps.max(self.steps);
        self.width = self.width.min(self.most_width(model));
    }

    /// How wide a run may be: every step of it is kept.
    fn most_width(&self, model: &Model) -> usize {
        let parts = model.sizes.len();
        let each = 2 * parts + WAY + 8 * self.steps + CANDIDATE * model.moves.len();
        (self.most_bytes / each).max(FIRST)
    }

    /// How deep the run may go, so that there are steps enough to take back what was played.
    fn depth(&self, model: &Model) -> usize {
        let back = self.played.iter().filter_map(|n| model.way_back(*n));
        self.steps.saturating_sub(back.sum())
    }

    /// The bytes it takes.
    pub(super) fn bytes(&self) -> usize {
        let ways: usize = self.ways.iter().map(|step| step.len() * 8).sum();
        let seen: usize = self.seen.iter().map(|seen| seen.capacity() * 16).sum();
        let lists = self.candidates.iter();
        let candidates: usize = lists
            .map(|list| list.capacity() * size_of::<Candidate>())
            .sum();
        let choice = self.choice.as_ref().map_or(0, |choice| {
            choice.states.capacity() + choice.last.capacity() + choice.ways.capacity() * 8
        });
        let states = self.states.capacity() + self.last.capacity();
        states + choice + candidates + ways + seen
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
        let mut made = 0;
        while made < quota {
            if let Some(choice) = self.choice.take() {
                made += self.choose(model, choice, quota - made);
                continue;
            }
            let is_deep = self.ways.len() > self.depth(model);
            if !is_deep && self.done < self.last.len() {
                if let Some(line) = self.look(model, patterns, &mut made) {
                    let line = model.after_playing(&self.played, line);
                    self.widen(model);
                    return (line.map_or(Outcome::More, Outcome::Found), made);
                }
                continue;
            }
            if !is_deep && self.candidates.iter().any(|list| !list.is_empty()) {
                self.seen.rotate_right(1);
                self.seen[0].clear();
                self.choice = Some(Choice::default());
                continue;
            }
            let line = self.line(self.best.1, self.best.2);
            let line = model.after_playing(&self.played, line);
            self.is_short |= is_deep;
            if is_deep && self.ways.len() <= self.first_steps {
                // The match was quicker: the same again from where it is now.
                self.begin(model);
            } else {
                self.widen(model);
            }
            return (line.map_or(Outcome::More, Outcome::Missed), made.max(1));
        }
        (Outcome::More, made)
    }

    /// Looks where moves lead from the next position of this step. Gives the line if that is where
    /// everything is as wanted.
    fn look(&mut self, model: &Model, patterns: &Patterns, made: &mut u64) -> Option<Vec<u8>> {
        let parts = model.sizes.len();
        let state = &self.states[self.done * parts..][..parts];
        let from = self.done as u32;
        for number in &model.follow[self.last[self.done] as usize] {
            model.play(state, *number, &mut self.scratch);
            *made += 1;
            let distance = patterns.distance(&self.scratch) as usize;
            if distance == 0 {
                let mut line = self.line(self.ways.len() - 1, from);
                line.push(*number);
                return Some(line);
            }
            if self.candidates.len() <= distance {
                self.candidates.resize(distance + 1, Vec::new());
            }
            self.candidates[distance].push(Candidate {
                from,
                number: *number,
            });
        }
        // A position that nothing is worth trying from is work as well.
        *made += 1;
        self.done += 1;
        None
    }

    /// The next run.
    fn widen(&mut self, model: &Model) {
        self.salt = self
            .salt
            .wrapping_mul(0x5851_f42d_4c95_7f2d)
            .wrapping_add(1);
        self.width = (self.width * WIDER).min(self.most_width(model));
        self.begin(model);
    }

    /// Chooses those that look nearest for the next step, and makes it when they are together.
    /// Gives how many positions were made.
    fn choose(&mut self, model: &Model, mut choice: Choice, quota: u64) -> u64 {
        let parts = model.sizes.len();
        let mut next = std::mem::take(&mut self.scratch);
        let mut made = 0;
        while choice.last.len() < self.width
            && let Some(list) = self.candidates.get(choice.distance)
        {
            if choice.tried >= list.len() {
                choice.distance += 1;
                choice.tried = 0;
                continue;
            }
            if made >= quota {
                self.scratch = next;
                self.choice = Some(choice);
                return made;
            }
            // Of those that look alike any may go on: from another place in every run.
            let offset = (self.salt >> 20) as usize % list.len();
            let candidate = list[(offset + choice.tried) % list.len()];
            choice.tried += 1;
            let from = candidate.from as usize * parts;
            let state = &self.states[from..from + parts];
            model.play(state, candidate.number, &mut next);
            made += 1;
            let hash = self.hash(&next);
            if self.seen[1].contains(&hash)
                || self.seen[2].contains(&hash)
                || !self.seen[0].insert(hash)
            {
                continue;
            }
            let right = model.right(&next);
            if right > self.best.0 {
                self.best = (right, self.ways.len(), choice.last.len() as u32);
            }
            choice.states.extend_from_slice(&next);
            choice.last.push(candidate.number);
            choice.ways.push((candidate.from, candidate.number));
        }
        self.scratch = next;
        self.states = choice.states;
        self.last = choice.last;
        self.ways.push(choice.ways);
        self.done = 0;
        self.candidates.clear();
        made
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::tests::model;
    use ludorum_reasoner::MoveId;

    fn patterns(model: &Model) -> Patterns {
        let mut patterns = Patterns::new(model, 1 << 20);
        while !patterns.fill(model, 100).0 {}
        patterns
    }

    /// What comes of a beam that works in pieces.
    fn outcome(beam: &mut Beam, model: &Model, patterns: &Patterns, quota: u64) -> Outcome {
        loop {
            match beam.work(model, patterns, quota).0 {
                Outcome::More => {}
                outcome => return outcome,
            }
        }
    }

    #[test]
    fn a_beam_finds_the_way_and_the_next_one_finds_it_again() {
        let model = model();
        let patterns = patterns(&model);
        let mut beam = Beam::new(&model, 5, 1 << 20, 1);
        for _ in 0..2 {
            // The second move that is kept turns the first part back.
            let found = outcome(&mut beam, &model, &patterns, 1000);
            assert_eq!(found, Outcome::Found(vec![1]));
        }
        assert!(beam.bytes() > 0);
    }

    #[test]
    fn without_steps_the_best_position_is_the_root() {
        let model = model();
        let patterns = patterns(&model);
        let mut beam = Beam::new(&model, 0, 1 << 20, 1);
        let found = outcome(&mut beam, &model, &patterns, 1000);
        assert_eq!(found, Outcome::Missed(Vec::new()));
    }

    #[test]
    fn steps_that_turn_out_to_be_more_are_gone() {
        let mut model = far();
        let patterns = patterns(&model);
        let mut beam = Beam::new(&model, 1, 1 << 20, 1);
        let missed = outcome(&mut beam, &model, &patterns, 1000);
        assert!(matches!(missed, Outcome::Missed(_)) && beam.is_short());
        let effect = model.advance(MoveId(12)).unwrap();
        beam.advance(&model, effect);
        beam.raise(&model, 0);
        assert!(beam.is_short(), "without steps nothing can be done");
        beam.raise(&model, 3);
        assert!(!beam.is_short());
        let found = outcome(&mut beam, &model, &patterns, 1000);
        assert!(matches!(found, Outcome::Found(line) if line.len() == 2));
    }

    /// Two moves away from what is wanted.
    fn far() -> Model {
        let mut far = model();
        far.root = vec![0, 1];
        far
    }

    #[test]
    fn pieces_of_any_size_lead_to_the_same_line() {
        let model = far();
        let patterns = patterns(&model);
        let mut whole = Beam::new(&model, 5, 1 << 20, 1);
        let mut pieces = Beam::new(&model, 5, 1 << 20, 1);
        let line = outcome(&mut whole, &model, &patterns, 1000);
        assert!(matches!(&line, Outcome::Found(line) if line.len() == 2));
        assert_eq!(outcome(&mut pieces, &model, &patterns, 1), line);
    }

    #[test]
    fn a_run_goes_on_while_the_match_does() {
        let patterns = patterns(&far());
        // The moves of the match: the one that does nothing, turning the second part, and turning
        // the first back, which is of the line.
        for (id, rest) in [(12, 2), (13, 1), (11, 1)] {
            let mut model = far();
            let mut beam = Beam::new(&model, 5, 1 << 20, 1);
            // All of the first step was looked at, and nothing of the second.
            beam.work(&model, &patterns, 4);
            assert_eq!((beam.done, beam.ways.len()), (1, 1));
            let effect = model.advance(MoveId(id)).unwrap();
            beam.advance(&model, effect);
            assert_eq!((beam.done, beam.ways.len()), (1, 1), "it begins anew");
            let Outcome::Found(line) = outcome(&mut beam, &model, &patterns, 1000) else {
                panic!("nothing was found after {id}");
            };
            assert!(line.len() >= rest && line.len() <= 4, "{id}: {line:?}");
            let end = line.iter().fold(model.root.clone(), |at, number| {
                let mut next = at.clone();
                model.play(&at, *number, &mut next);
                next
            });
            assert_eq!(model.right(&end), 2, "{id}: {line:?}");
        }
    }

    #[test]
    fn after_a_move_that_cannot_be_taken_back_a_run_of_the_same_width_begins() {
        let mut model = far();
        let mut beam = Beam::new(&model, 5, 1 << 20, 1);
        let patterns = patterns(&model);
        beam.work(&model, &patterns, 4);
        let effect = model.advance(MoveId(10)).unwrap();
        beam.advance(&model, effect);
        assert_eq!((beam.done, beam.width, beam.steps), (0, FIRST, 4));
        assert_eq!(beam.states, model.root);
    }
}
