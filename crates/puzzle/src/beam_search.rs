//! Beam search in a [`FactorModel`], guided by pattern databases.
//!
//! Each step generates the successors of all positions of the beam and keeps those with the
//! smallest estimated distance, up to the beam width. A run ends with a solution, at the step
//! limit, or when no successor is left. The next run is wider by a constant factor.
//!
//! A run continues while moves of the match are played. Its lines then start with moves that take
//! back what was played since it started, unless they start with exactly these moves. The next run
//! starts at the current position of the match.

use rustc_hash::FxHashSet;

use crate::factor_model::{FactorModel, MoveEffect};
use crate::pattern_database::PatternDatabases;

/// Width of the first run.
const INITIAL_WIDTH: usize = 256;
/// Factor between the widths of two runs.
const WIDTH_FACTOR: usize = 4;
/// Bytes of a kept position besides its factor states: back pointer, last move and hash.
const BYTES_PER_NODE: usize = 72;
/// Bytes of a candidate, in a list whose capacity may be twice its length.
const BYTES_PER_CANDIDATE: usize = 16;

/// A candidate for the next layer.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    /// Index of the parent in the layer.
    from: u32,
    /// Index of the move in the model.
    number: u8,
}

/// Selection of the next layer from the candidates. It can be interrupted.
#[derive(Debug, Default)]
struct LayerSelection {
    /// The distance whose candidates are being tried.
    distance: usize,
    /// How many of these were tried.
    tried: usize,
    states: Vec<u8>,
    last_moves: Vec<u8>,
    back_pointers: Vec<(u32, u8)>,
}

/// Result of a piece of work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum BeamOutcome {
    /// The run is not finished.
    Running,
    /// A line to a position that meets all requirements, as move indices of the model.
    Solved(Vec<u8>),
    /// The run has ended without a solution. The line leads to the position with the most satisfied
    /// factors.
    Unsolved(Vec<u8>),
}

/// The state of the search.
#[derive(Debug)]
pub(crate) struct BeamSearch {
    width: usize,
    max_bytes: usize,
    /// Maximal length of a line from the current position of the match.
    steps: usize,
    /// The same when the run started.
    steps_at_start: usize,
    /// Whether a run has reached the step limit since the limit was last set.
    needs_more_steps: bool,
    /// The moves of the match since the run started, without those that change nothing.
    moves_played: Vec<u8>,
    /// The positions of the current layer, one after the other.
    states: Vec<u8>,
    /// The last move of each.
    last_moves: Vec<u8>,
    /// How many positions of the layer were expanded.
    expanded: usize,
    /// Candidates for the next layer, by estimated distance.
    candidates: Vec<Vec<Candidate>>,
    selection: Option<LayerSelection>,
    /// For each layer and position the index of the parent in the layer before, and the move.
    back_pointers: Vec<Vec<(u32, u8)>>,
    /// Hashes of the positions of the current layer and the two before it, for duplicate detection.
    seen: [FxHashSet<u64>; 3],
    /// The largest number of satisfied factors, with the layer and index of that position.
    best: (usize, usize, u32),
    /// Seed of the hashes and of the order of candidates; different in every run.
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

    /// Starts a run at the current position of the match.
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

    /// A move of the match was played, and the model has been advanced already.
    pub(crate) fn advance(&mut self, model: &FactorModel, effect: MoveEffect) {
        self.steps = self.steps.saturating_sub(1);
        match effect {
            MoveEffect::Identity => {}
            MoveEffect::Move(number) if model.inverse_length(number).is_some() => {
                self.moves_played.push(number);
            }
            MoveEffect::Move(_) => self.start_run(model),
        }
    }

    /// Whether a larger step limit would allow more.
    pub(crate) fn needs_more_steps(&self) -> bool {
        self.needs_more_steps || self.steps == 0
    }

    /// Sets the step limit, counted from the current position of the match.
    pub(crate) fn raise_steps(&mut self, model: &FactorModel, steps: usize) {
        self.needs_more_steps = false;
        self.steps = self.steps.max(steps);
        self.steps_at_start = self.steps_at_start.max(self.steps);
        self.width = self.width.min(self.max_width(model));
    }

    /// The maximal width of a run: the back pointers of every layer stay in memory.
    fn max_width(&self, model: &FactorModel) -> usize {
        let factors = model.state_counts.len();
        let each =
            2 * factors + BYTES_PER_NODE + 8 * self.steps + BYTES_PER_CANDIDATE * model.moves.len();
        (self.max_bytes / each).max(INITIAL_WIDTH)
    }

    /// The maximal depth of the run, which leaves enough steps to take back the moves played since
    /// it started.
    fn max_depth(&self, model: &FactorModel) -> usize {
        let back = self
            .moves_played
            .iter()
            .filter_map(|n| model.inverse_length(*n));
        self.steps.saturating_sub(back.sum())
    }

    /// The bytes in use.
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

    /// The moves from the root of the run to a position of a layer.
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

    /// The hash of a position.
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

    /// Works until about `quota` positions were generated. Returns the result and their number.
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
                // Moves of the match have shortened this run, so the same width is tried again from
                // the current position.
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

    /// Expands the next position of the layer. Returns the line if a successor is a solution.
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
        // A position without useful successors counts as work too; otherwise the loop could run
        // without using its quota.
        *made += 1;
        self.expanded += 1;
        None
    }

    /// Starts the next, wider run.
    fn start_wider_run(&mut self, model: &FactorModel) {
        self.salt = self
            .salt
            .wrapping_mul(0x5851_f42d_4c95_7f2d)
            .wrapping_add(1);
        self.width = (self.width * WIDTH_FACTOR).min(self.max_width(model));
        self.start_run(model);
    }

    /// Selects the candidates with the smallest distances until the beam is full, and makes them
    /// the next layer. Returns how many positions were generated.
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
            // Candidates of equal distance are tried from a different offset in every run.
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

    /// Works in pieces of `quota` until the run has a result.
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
    fn every_run_finds_the_shortest_line() {
        let model = model();
        let databases = databases(&model);
        let mut beam = BeamSearch::new(&model, 5, 1 << 20, 1);
        for _ in 0..2 {
            // The model's second move turns the first factor back.
            let found = outcome(&mut beam, &model, &databases, 1000);
            assert_eq!(found, BeamOutcome::Solved(vec![1]));
        }
        assert!(beam.bytes() > 0);
    }

    #[test]
    fn with_a_step_limit_of_zero_the_best_position_is_the_root() {
        let model = model();
        let databases = databases(&model);
        let mut beam = BeamSearch::new(&model, 0, 1 << 20, 1);
        let found = outcome(&mut beam, &model, &databases, 1000);
        assert_eq!(found, BeamOutcome::Unsolved(Vec::new()));
    }

    #[test]
    fn a_larger_step_limit_is_used() {
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

    /// A model whose root is two moves away from the goal.
    fn distant_model() -> FactorModel {
        let mut model = model();
        model.root = vec![0, 1];
        model
    }

    #[test]
    fn the_quota_does_not_change_the_result() {
        let model = distant_model();
        let databases = databases(&model);
        let mut whole = BeamSearch::new(&model, 5, 1 << 20, 1);
        let mut pieces = BeamSearch::new(&model, 5, 1 << 20, 1);
        let line = outcome(&mut whole, &model, &databases, 1000);
        assert!(matches!(&line, BeamOutcome::Solved(line) if line.len() == 2));
        assert_eq!(outcome(&mut pieces, &model, &databases, 1), line);
    }

    #[test]
    fn a_run_continues_through_moves_of_the_match() {
        let databases = databases(&distant_model());
        // The moves of the match: the no-op, turning the second factor, and turning the first
        // factor back, which is part of the line.
        for (id, rest) in [(12, 2), (13, 1), (11, 1)] {
            let mut model = distant_model();
            let mut beam = BeamSearch::new(&model, 5, 1 << 20, 1);
            // The first layer is expanded, and nothing of the second.
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
    fn an_irreversible_move_restarts_the_run_with_the_same_width() {
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
