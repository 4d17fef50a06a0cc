//! Nested rollout policy adaptation (NRPA, Rosin 2011).
//!
//! A level runs a number of searches of the level below. After each it adapts its policy towards
//! its best line, and in the end it passes that line up. The lowest level plays rollouts with moves
//! drawn by softmax over the policy weights. In the words of Rosin 2011: [`LEVELS`] is the nesting
//! level, [`ITERATIONS`] is N, and [`ALPHA`] is the step size.
//!
//! Every run uses another coding of moves, since no single one is good for all puzzles: the move
//! alone, the move at its step, the move after its predecessor, the move in its position.

use ludorum_reasoner::{MoveId, ReasonError, Reasoner, Rng};
use rustc_hash::FxHashMap;

use crate::best_line::SolveMethod;
use crate::memory_estimate;
use crate::rule_analysis::ROLE;
use crate::technique::{Technique, TechniqueContext, TechniqueStatus};

/// Nesting levels above the rollouts.
const LEVELS: usize = 3;
/// Iterations of a level.
const ITERATIONS: u32 = 40;
/// Step size of the policy adaptation.
const ALPHA: f64 = 1.0;
/// The bytes of a policy weight.
const WEIGHT_BYTES: usize = size_of::<(u64, f64)>();
/// Bytes per legal move along a line: the lines of all levels, of a rollout and of one that is
/// passed up, each in lists with up to double capacity, and the changes of an adaptation.
const BYTES_PER_CHOICE: usize = 256;

/// Coding of moves: what a policy weight belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MoveCoding {
    /// The move alone.
    Move,
    /// The move and the step.
    Step,
    /// The move and the move before it.
    PreviousMove,
    /// The move and the position.
    Position,
}

/// The codings, in the order of the runs.
const CODINGS: [MoveCoding; 4] = [
    MoveCoding::Move,
    MoveCoding::Step,
    MoveCoding::Position,
    MoveCoding::PreviousMove,
];

impl MoveCoding {
    /// The code of a move in a context.
    fn of(self, id: MoveId, step: usize, before: MoveId, key: u128) -> u64 {
        let context = match self {
            Self::Move => 0,
            Self::Step => step as u64 + 1,
            Self::PreviousMove => u64::from(before.0) + 1,
            Self::Position => key as u64,
        };
        context.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ u64::from(id.0)
    }
}

/// A line with all legal moves along it.
#[derive(Clone, Debug, Default)]
struct Rollout {
    /// The goal value plus one; 0 for a line without an end.
    score: u32,
    moves: Vec<MoveId>,
    /// The codes of all legal moves, step by step.
    codes: Vec<u64>,
    /// For each step its first index in `codes`, and the index of the chosen move.
    steps: Vec<(u32, u32)>,
    /// Whether the line has more legal moves than the memory allows. It can become the best line,
    /// but the policy does not adapt to it.
    is_too_long: bool,
}

impl Rollout {
    fn clear(&mut self) {
        self.score = 0;
        self.moves.clear();
        self.codes.clear();
        self.steps.clear();
        self.is_too_long = false;
    }

    fn bytes(&self) -> usize {
        4 * self.moves.capacity() + 8 * (self.codes.capacity() + self.steps.capacity())
    }
}

/// The weights of a policy, by the codes of moves.
type PolicyWeights = FxHashMap<u64, f64>;

/// A nesting level with its policy and its best line.
#[derive(Clone, Debug, Default)]
struct Level {
    policy: PolicyWeights,
    best: Rollout,
    iterations: u32,
}

/// The state of the search.
#[derive(Debug)]
pub(crate) struct NestedRollout {
    /// The lowest level first.
    levels: Vec<Level>,
    /// Index in [`CODINGS`].
    coding: usize,
    rng: Rng,
    legal: Vec<MoveId>,
    weights: Vec<f64>,
    rollout: Rollout,
    max_bytes: usize,
}

impl NestedRollout {
    pub(crate) fn new(max_bytes: usize, seed: u64) -> Self {
        Self {
            levels: vec![Level::default(); LEVELS],
            coding: (seed % CODINGS.len() as u64) as usize,
            rng: Rng::new(seed),
            legal: Vec::new(),
            weights: Vec::new(),
            rollout: Rollout::default(),
            max_bytes,
        }
    }

    /// Whether a level has memory for the weights of a line. Half of the memory is for weights:
    /// those of all levels and one temporary copy.
    fn has_memory(&self, level: &Level) -> bool {
        let (len, capacity) = (level.policy.len(), level.policy.capacity());
        let most = self.max_bytes / 2 / (LEVELS + 1);
        memory_estimate::hash_table_bytes(len, capacity, level.best.codes.len(), WEIGHT_BYTES)
            <= most
    }

    /// Plays a rollout with the policy of the lowest level.
    fn roll_out<R: Reasoner>(
        &mut self,
        context: &mut TechniqueContext<'_, R>,
    ) -> Result<(), ReasonError> {
        let coding = CODINGS[self.coding];
        let most_codes = self.max_bytes / 2 / BYTES_PER_CHOICE;
        let policy = &self.levels[0].policy;
        let rollout = &mut self.rollout;
        rollout.clear();
        let mut state = context.root.clone();
        let mut before = MoveId(u32::MAX - 1);
        loop {
            if context.reasoner.is_terminal(&state)? {
                rollout.score = u32::from(context.goal_value(&state)?) + 1;
                return Ok(());
            }
            let step = rollout.moves.len();
            if step >= context.max_steps || context.should_cut_playout() {
                return Ok(());
            }
            context
                .reasoner
                .legal_moves(&state, ROLE, &mut self.legal)?;
            if self.legal.is_empty() {
                return Ok(());
            }
            let key = match coding {
                MoveCoding::Position => context.reasoner.key(&state),
                _ => 0,
            };
            let begin = rollout.codes.len();
            if begin + self.legal.len() > most_codes && !rollout.is_too_long {
                rollout.is_too_long = true;
                rollout.codes = Vec::new();
                rollout.steps = Vec::new();
            }
            self.weights.clear();
            for id in &self.legal {
                let code = coding.of(*id, step, before, key);
                if !rollout.is_too_long {
                    rollout.codes.push(code);
                }
                self.weights
                    .push(policy.get(&code).map_or(1.0, |weight| weight.exp()));
            }
            let mut left = self.rng.next_f64() * self.weights.iter().sum::<f64>();
            let found = self.weights.iter().position(|weight| {
                left -= weight;
                left < 0.0
            });
            let chosen = found.unwrap_or(self.legal.len() - 1);
            before = self.legal[chosen];
            if !rollout.is_too_long {
                rollout.steps.push((begin as u32, chosen as u32));
            }
            rollout.moves.push(before);
            state = context.next(&state, before)?;
        }
    }

    /// Passes the rollout up through all levels that are finished with it.
    fn finish_rollout(&mut self) {
        let (mut line, levels) = (std::mem::take(&mut self.rollout), self.levels.len());
        for i in 0..levels {
            let level = &mut self.levels[i];
            level.iterations += 1;
            if line.score >= level.best.score {
                level.best = line;
            }
            let has_memory = self.has_memory(&self.levels[i]);
            let level = &mut self.levels[i];
            // A line with goal value 0 is no example to adapt to.
            if level.best.score > 1 && has_memory {
                adapt(&mut level.policy, &level.best);
            }
            // A level that is out of memory ends early.
            if level.iterations < ITERATIONS && has_memory {
                return;
            }
            line = std::mem::take(&mut level.best);
            level.iterations = 0;
            let above = self.levels.get(i + 1).map(|above| above.policy.clone());
            self.levels[i].policy = above.unwrap_or_default();
        }
        // The highest level is finished: the next run uses the next coding.
        self.coding = (self.coding + 1) % CODINGS.len();
        self.levels.fill(Level::default());
    }
}

/// Policy adaptation (Rosin 2011, procedure Adapt): raises the weight of the chosen move by
/// [`ALPHA`] and lowers those of all legal moves of the step by their probabilities.
fn adapt(policy: &mut PolicyWeights, line: &Rollout) {
    let mut changes: Vec<(u64, f64)> = Vec::with_capacity(line.codes.len() + line.steps.len());
    for (i, (begin, chosen)) in line.steps.iter().enumerate() {
        let end = line
            .steps
            .get(i + 1)
            .map_or(line.codes.len(), |next| next.0 as usize);
        let codes = &line.codes[*begin as usize..end];
        let weight = |code: &u64| policy.get(code).map_or(1.0, |weight| weight.exp());
        let sum: f64 = codes.iter().map(weight).sum();
        changes.push((codes[*chosen as usize], ALPHA));
        changes.extend(
            codes
                .iter()
                .map(|code| (*code, -ALPHA * weight(code) / sum)),
        );
    }
    for (code, change) in changes {
        let weight = policy.entry(code).or_insert(0.0);
        *weight = (*weight + change).clamp(-50.0, 50.0);
    }
}

impl<R: Reasoner> Technique<R> for NestedRollout {
    fn method(&self) -> SolveMethod {
        SolveMethod::Nested
    }

    fn work(
        &mut self,
        context: &mut TechniqueContext<'_, R>,
        quota: u64,
    ) -> Result<TechniqueStatus, ReasonError> {
        let end = context.positions + quota;
        while context.positions < end && !context.should_stop() {
            // A terminal root takes no steps, so one position is always counted.
            context.positions += 1;
            self.roll_out(context)?;
            context.simulations += 1;
            let rollout = &self.rollout;
            if let Some(value) = rollout.score.checked_sub(1) {
                context.best.offer(
                    value as u8,
                    rollout.moves.len(),
                    SolveMethod::Nested,
                    || rollout.moves.clone(),
                );
            }
            if !self.rollout.is_too_long {
                self.finish_rollout();
            }
        }
        Ok(TechniqueStatus::Running)
    }

    fn size(&self) -> (u64, u64) {
        let levels = self.levels.iter().map(|level| {
            let policy = &level.policy;
            memory_estimate::hash_table_bytes(policy.len(), policy.capacity(), 0, WEIGHT_BYTES)
                + level.best.bytes()
        });
        (0, (levels.sum::<usize>() + self.rollout.bytes()) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{TestPuzzle, history_puzzle};
    use ludorum_prover::Prover;

    #[test]
    fn adaptation_changes_weights_as_computed_by_hand() {
        let mut policy = PolicyWeights::default();
        let line = Rollout {
            score: 101,
            moves: vec![MoveId(1)],
            codes: vec![10, 11, 12, 13],
            steps: vec![(0, 1)],
            is_too_long: false,
        };
        adapt(&mut policy, &line);
        // Four moves of equal probability: + 1 - 1/4 for the chosen one, - 1/4 for the others.
        let close = |code: u64, expected: f64| (policy[&code] - expected).abs() < 1e-12;
        assert!(close(11, 0.75) && close(10, -0.25) && close(13, -0.25));
    }

    #[test]
    fn a_level_passes_its_best_line_up_after_its_iterations() {
        let mut nested = NestedRollout::new(1 << 20, 0);
        for score in 0..ITERATIONS {
            nested.rollout = Rollout {
                score,
                ..Rollout::default()
            };
            nested.finish_rollout();
        }
        assert_eq!(nested.levels[0].iterations, 0);
        assert_eq!(nested.levels[1].iterations, 1);
        assert_eq!(nested.levels[1].best.score, ITERATIONS - 1);
    }

    #[test]
    fn weights_and_lines_stay_within_the_memory() {
        let most = 64 << 10;
        let mut puzzle = TestPuzzle::new(&history_puzzle(100));
        let mut context = puzzle.context();
        let mut nested = NestedRollout::new(most, 0);
        for _ in 0..40 {
            nested.work(&mut context, 500).unwrap();
            let size = Technique::<Prover>::size(&nested).1;
            assert!(size <= most as u64, "{size}");
        }
        assert!(context.best.value().is_some());
        // A line with more legal moves than the memory allows is found as well.
        let mut puzzle = TestPuzzle::new(&history_puzzle(100));
        let mut context = puzzle.context();
        let mut nested = NestedRollout::new(0, 0);
        nested.work(&mut context, 1).unwrap();
        assert_eq!(context.best.line().unwrap().moves.len(), 100);
    }
}
