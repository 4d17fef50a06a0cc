//! A beam through a [`Model`]: of all positions some moves away, those that look nearest go on.
//!
//! One run goes step by step to the last; the next one is wider. While the match goes on, so does
//! the run, from where it began: its lines then begin with taking back what was played, unless they
//! begin with just that. The next run begins where the match is by then.

use rustc_hash::FxHashSet;

use crate::factor_model::{FactorModel, MoveEffect};
use crate::pattern_database::PatternDatabases;

/// How wide the first beam is, and how much wider the next.
const INITIAL_WIDTH: usize = 256;
const WIDTH_FACTOR: usize = 4;
/// The bytes of a position that goes on, besides its parts: where it came from, and its place among
/// those seen.
const BYTES_PER_NODE: usize = 72;
/// The bytes of a position that may go on, in a list that may be twice as long as needed.
const BYTES_PER_CANDIDATE: usize = 16;

#[derive(Clone, Copy, Debug)]
struct Candidate {
    from: u32,
    number: u8,
}

/// The choice of those that go on to the next step.
#[derive(Debug, Default)]
struct LayerSelection {
    /// How far it is: the distance, and how many of those at this distance were tried.
    distance: usize,
    tried: usize,
    states: Vec<u8>,
    last_moves: Vec<u8>,
    back_pointers: Vec<(u32, u8)>,
}

/// What has come of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum BeamOutcome {
    /// There is more to do.
    Running,
    /// A line to where everything is as wanted, by the numbers of its moves.
    Solved(Vec<u8>),
    /// The beam has come to its end; a line to the position with most parts right.
    Unsolved(Vec<u8>),
}

/// A beam.
#[derive(Debug)]
pub(crate) struct BeamSearch {
    width: usize,
    max_bytes: usize,
    /// The most moves of a line from where the match is, and the same when the run began.
    steps: usize,
    steps_at_start: usize,
    /// Whether a run came to its end for want of steps since they were last told.
    needs_more_steps: bool,
    /// What was played since then, but for moves that do nothing.
    moves_played: Vec<u8>,
    /// The positions of this step, one after the other, and the last move of each.
    states: Vec<u8>,
    last_moves: Vec<u8>,
    /// How many have been looked at.
    expanded: usize,
    /// Those that may go on, by how far they look to be.
    candidates: Vec<Vec<Candidate>>,
    selection: Option<LayerSelection>,
    /// For each step and position, where it came from and by which move.
    back_pointers: Vec<Vec<(u32, u8)>>,
    /// Hashes of positions of this step and the two before.
    seen: [FxHashSet<u64>; 3],
    /// The most parts that were right, with the step and place.
    best: (usize, usize, u32),
    salt: u64,
    scratch: Vec<u8>,
}

impl BeamSearch {
    pub(crate) fn new(model: &FactorModel, steps: usize, max_bytes: usize, seed: u64) -> Self {
        let factors = model.state_counts.len();
        let mut beam = Self {
            width: INITIAL_WIDTH,
            max_bytes,
            steps,
            steps_at_start: steps,
            needs_more_steps: false,
            moves_played: Vec::new(),
            states: Vec::new(),
            last_moves: Vec::new(),
            expanded: 0,
            candidates: Vec::new(),
            selection: None,
            back_pointers: Vec::new(),
            seen: Default::default(),
            best: (0, 0, 0),
            salt: seed,
            scratch: vec![0; factors],
        };
        beam.start_run(model);
        beam
    }

    fn start_run(&mut self, model: &FactorModel) {
        self.steps_at_start = self.steps;
        self.moves_played.clear();
        self.states.clone_from(&model.root);
        self.last_moves = vec![model.moves.len() as u8];
        self.expanded = 0;
        self.candidates.clear();
        self.selection = None;
        self.back_pointers = vec![vec![(0, 0)]];
        self.seen = Default::default();
        self.best = (model.satisfied_factors(&model.root), 0, 0);
    }

    /// A move was played in the match, and the model is there already.
    pub(crate) fn advance(&mut self, model: &FactorModel, effect: MoveEffect) {
        self.steps = self.steps.saturating_sub(1);
        match effect {
            MoveEffect::Identity => {}
            MoveEffect::Move(number) if model.inverse_length(number).is_some() => {
                self.moves_played.push(number)
            }
            MoveEffect::Move(_) => self.start_run(model),
        }
    }

    /// Whether more steps would be of use.
    pub(crate) fn needs_more_steps(&self) -> bool {
        self.needs_more_steps || self.steps == 0
    }

    /// There are so many steps from where the match is, as far as is known by now.
    pub(crate) fn raise_steps(&mut self, model: &FactorModel, steps: usize) {
        self.needs_more_steps = false;
        self.steps = self.steps.max(steps);
        self.steps_at_start = self.steps_at_start.max(self.steps);
        self.width = self.width.min(self.max_width(model));
    }

    /// How wide a run may be: every step of it is kept.
    fn max_width(&self, model: &FactorModel) -> usize {
        let factors = model.state_counts.len();
        let each =
            2 * factors + BYTES_PER_NODE + 8 * self.steps + BYTES_PER_CANDIDATE * model.moves.len();
        (self.max_bytes / each).max(INITIAL_WIDTH)
    }

    /// How deep the run may go, so that there are steps enough to take back what was played.
    fn max_depth(&self, model: &FactorModel) -> usize {
        let back = self
            .moves_played
            .iter()
            .filter_map(|n| model.inverse_length(*n));
        self.steps.saturating_sub(back.sum())
    }

    /// The bytes it takes.
    pub(crate) fn bytes(&self) -> usize {
        let back_pointers: usize = self.back_pointers.iter().map(|step| step.len() * 8).sum();
        let seen: usize = self.seen.iter().map(|seen| seen.capacity() * 16).sum();
        let lists = self.candidates.iter();
        let candidates: usize = lists
            .map(|list| list.capacity() * size_of::<Candidate>())
            .sum();
        let selection = self.selection.as_ref().map_or(0, |selection| {
            selection.states.capacity()
                + selection.last_moves.capacity()
                + selection.back_pointers.capacity() * 8
        });
        let states = self.states.capacity() + self.last_moves.capacity();
        states + selection + candidates + back_pointers + seen
    }

    /// The moves to a position of a step.
    fn line(&self, step: usize, mut place: u32) -> Vec<u8> {
        let mut line = Vec::with_capacity(step);
        for back_pointers in self.back_pointers[1..=step].iter().rev() {
            let (from, number) = back_pointers[place as usize];
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
    pub(crate) fn work(
        &mut self,
        model: &FactorModel,
        databases: &PatternDatabases,
        quota: u64,
    ) -> (BeamOutcome, u64) {
        let mut made = 0;
        while made < quota {
            if let Some(selection) = self.selection.take() {
                made += self.select_layer(model, selection, quota - made);
                continue;
            }
            let is_deep = self.back_pointers.len() > self.max_depth(model);
            if !is_deep && self.expanded < self.last_moves.len() {
                if let Some(line) = self.expand_next(model, databases, &mut made) {
                    let line = model.rebase_line(&self.moves_played, line);
                    self.start_wider_run(model);
                    return (line.map_or(BeamOutcome::Running, BeamOutcome::Solved), made);
                }
                continue;
            }
            if !is_deep && self.candidates.iter().any(|list| !list.is_empty()) {
                self.seen.rotate_right(1);
                self.seen[0].clear();
                self.selection = Some(LayerSelection::default());
                continue;
            }
            let line = self.line(self.best.1, self.best.2);
            let line = model.rebase_line(&self.moves_played, line);
            self.needs_more_steps |= is_deep;
            if is_deep && self.back_pointers.len() <= self.steps_at_start {
                // The match was quicker: the same again from where it is now.
                self.start_run(model);
            } else {
                self.start_wider_run(model);
            }
            return (
                line.map_or(BeamOutcome::Running, BeamOutcome::Unsolved),
                made.max(1),
            );
        }
        (BeamOutcome::Running, made)
    }

    /// Looks where moves lead from the next position of this step. Gives the line if that is where
    /// everything is as wanted.
    fn expand_next(
        &mut self,
        model: &FactorModel,
        databases: &PatternDatabases,
        made: &mut u64,
    ) -> Option<Vec<u8>> {
        let factors = model.state_counts.len();
        let state = &self.states[self.expanded * factors..][..factors];
        let from = self.expanded as u32;
        for number in &model.successors[self.last_moves[self.expanded] as usize] {
            model.play(state, *number, &mut self.scratch);
            *made += 1;
            let distance = databases.distance(&self.scratch) as usize;
            if distance == 0 {
                let mut line = self.line(self.back_pointers.len() - 1, from);
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
        self.expanded += 1;
        None
    }

    /// The next run.
    fn start_wider_run(&mut self, model: &FactorModel) {
        self.salt = self
            .salt
            .wrapping_mul(0x5851_f42d_4c95_7f2d)
            .wrapping_add(1);
        self.width = (self.width * WIDTH_FACTOR).min(self.max_width(model));
        self.start_run(model);
    }

    /// Chooses those that look nearest for the next step, and makes it when they are together.
    /// Gives how many positions were made.
    fn select_layer(
        &mut self,
        model: &FactorModel,
        mut selection: LayerSelection,
        quota: u64,
    ) -> u64 {
        let factors = model.state_counts.len();
        let mut next = std::mem::take(&mut self.scratch);
        let mut made = 0;
        while selection.last_moves.len() < self.width
            && let Some(list) = self.candidates.get(selection.distance)
        {
            if selection.tried >= list.len() {
                selection.distance += 1;
                selection.tried = 0;
                continue;
            }
            if made >= quota {
                self.scratch = next;
                self.selection = Some(selection);
                return made;
            }
            // Of those that look alike any may go on: from another place in every run.
            let offset = (self.salt >> 20) as usize % list.len();
            let candidate = list[(offset + selection.tried) % list.len()];
            selection.tried += 1;
            let from = candidate.from as usize * factors;
            let state = &self.states[from..from + factors];
            model.play(state, candidate.number, &mut next);
            made += 1;
            let hash = self.hash(&next);
            if self.seen[1].contains(&hash)
                || self.seen[2].contains(&hash)
                || !self.seen[0].insert(hash)
            {
                continue;
            }
            let satisfied_factors = model.satisfied_factors(&next);
            if satisfied_factors > self.best.0 {
                self.best = (
                    satisfied_factors,
                    self.back_pointers.len(),
                    selection.last_moves.len() as u32,
                );
            }
            selection.states.extend_from_slice(&next);
            selection.last_moves.push(candidate.number);
            selection
                .back_pointers
                .push((candidate.from, candidate.number));
        }
        self.scratch = next;
        self.states = selection.states;
        self.last_moves = selection.last_moves;
        self.back_pointers.push(selection.back_pointers);
        self.expanded = 0;
        self.candidates.clear();
        made
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::factor_model::tests::model;
    use ludorum_reasoner::MoveId;

    fn databases(model: &FactorModel) -> PatternDatabases {
        let mut databases = PatternDatabases::new(model, 1 << 20);
        while !databases.fill(model, 100).0 {}
        databases
    }

    /// What comes of a beam that works in pieces.
    fn outcome(
        beam: &mut BeamSearch,
        model: &FactorModel,
        databases: &PatternDatabases,
        quota: u64,
    ) -> BeamOutcome {
        loop {
            match beam.work(model, databases, quota).0 {
                BeamOutcome::Running => {}
                outcome => return outcome,
            }
        }
    }

    #[test]
    fn a_beam_finds_the_way_and_the_next_one_finds_it_again() {
        let model = model();
        let databases = databases(&model);
        let mut beam = BeamSearch::new(&model, 5, 1 << 20, 1);
        for _ in 0..2 {
            // The second move that is kept turns the first part back.
            let found = outcome(&mut beam, &model, &databases, 1000);
            assert_eq!(found, BeamOutcome::Solved(vec![1]));
        }
        assert!(beam.bytes() > 0);
    }

    #[test]
    fn without_steps_the_best_position_is_the_root() {
        let model = model();
        let databases = databases(&model);
        let mut beam = BeamSearch::new(&model, 0, 1 << 20, 1);
        let found = outcome(&mut beam, &model, &databases, 1000);
        assert_eq!(found, BeamOutcome::Unsolved(Vec::new()));
    }

    #[test]
    fn steps_that_turn_out_to_be_more_are_gone() {
        let mut model = distant_model();
        let databases = databases(&model);
        let mut beam = BeamSearch::new(&model, 1, 1 << 20, 1);
        let missed = outcome(&mut beam, &model, &databases, 1000);
        assert!(matches!(missed, BeamOutcome::Unsolved(_)) && beam.needs_more_steps());
        let effect = model.advance(MoveId(12)).unwrap();
        beam.advance(&model, effect);
        beam.raise_steps(&model, 0);
        assert!(beam.needs_more_steps(), "without steps nothing can be done");
        beam.raise_steps(&model, 3);
        assert!(!beam.needs_more_steps());
        let found = outcome(&mut beam, &model, &databases, 1000);
        assert!(matches!(found, BeamOutcome::Solved(line) if line.len() == 2));
    }

    /// Two moves away from what is wanted.
    fn distant_model() -> FactorModel {
        let mut distant_model = model();
        distant_model.root = vec![0, 1];
        distant_model
    }

    #[test]
    fn pieces_of_any_size_lead_to_the_same_line() {
        let model = distant_model();
        let databases = databases(&model);
        let mut whole = BeamSearch::new(&model, 5, 1 << 20, 1);
        let mut pieces = BeamSearch::new(&model, 5, 1 << 20, 1);
        let line = outcome(&mut whole, &model, &databases, 1000);
        assert!(matches!(&line, BeamOutcome::Solved(line) if line.len() == 2));
        assert_eq!(outcome(&mut pieces, &model, &databases, 1), line);
    }

    #[test]
    fn a_run_goes_on_while_the_match_does() {
        let databases = databases(&distant_model());
        // The moves of the match: the one that does nothing, turning the second part, and turning
        // the first back, which is of the line.
        for (id, rest) in [(12, 2), (13, 1), (11, 1)] {
            let mut model = distant_model();
            let mut beam = BeamSearch::new(&model, 5, 1 << 20, 1);
            // All of the first step was looked at, and nothing of the second.
            beam.work(&model, &databases, 4);
            assert_eq!((beam.expanded, beam.back_pointers.len()), (1, 1));
            let effect = model.advance(MoveId(id)).unwrap();
            beam.advance(&model, effect);
            assert_eq!(
                (beam.expanded, beam.back_pointers.len()),
                (1, 1),
                "it begins anew"
            );
            let BeamOutcome::Solved(line) = outcome(&mut beam, &model, &databases, 1000) else {
                panic!("nothing was found after {id}");
            };
            assert!(line.len() >= rest && line.len() <= 4, "{id}: {line:?}");
            let end = line.iter().fold(model.root.clone(), |at, number| {
                let mut next = at.clone();
                model.play(&at, *number, &mut next);
                next
            });
            assert_eq!(model.satisfied_factors(&end), 2, "{id}: {line:?}");
        }
    }

    #[test]
    fn after_a_move_that_cannot_be_taken_back_a_run_of_the_same_width_begins() {
        let mut model = distant_model();
        let mut beam = BeamSearch::new(&model, 5, 1 << 20, 1);
        let databases = databases(&model);
        beam.work(&model, &databases, 4);
        let effect = model.advance(MoveId(10)).unwrap();
        beam.advance(&model, effect);
        assert_eq!(
            (beam.expanded, beam.width, beam.steps),
            (0, INITIAL_WIDTH, 4)
        );
        assert_eq!(beam.states, model.root);
    }
}
